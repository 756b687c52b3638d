import Foundation
import NFCTypes
import Testing

/// Tags whose keys are in a token of SoftHSM, at a real nfcd.
@Suite(
    .enabled(if: TokenFolder.isInstalled, "softhsm2 is not installed; Scripts/setup --tests installs it"),
    .timeLimit(.minutes(20)))
struct `A key in a token` {
    private struct Tap: Decodable {
        struct Proof: Decodable {
            let status: String
            let method: String
            let profile: String
            let key: String
            let keyVersion: Int
            let identifier: String?
            let scope: String?
        }

        let event: String
        let proof: Proof
    }

    private static let identifier = "04A1B2C3D4E5F6"

    private let folder: TokenFolder

    init() async throws { folder = try await TokenFolder() }

    /// An nfcd with the keys, and what it reports of each tap.
    private func start() async throws -> (daemon: DaemonUnderTest, watch: ChildProcess) {
        let daemon = try await DaemonUnderTest(
            simulatedReaders: 1, configuration: folder.configuration, environment: folder.environment)
        let watch = try daemon.start("watch", "--json")
        _ = await watch.errors.next()
        return (daemon, watch)
    }

    /// The tap of a virtual tag of a profile, which nfcd makes with the token, too.
    private func tap(
        _ profile: String, _ daemon: DaemonUnderTest, _ watch: ChildProcess, _ more: [String] = []
    ) async throws -> Tap {
        let tag = try await daemon.tap(["--profile", profile, "--uid", Self.identifier] + more)
        let line = try #require(await watch.output.next())
        try await daemon.takeAway(tag)
        return try JSONDecoder().decode(Tap.self, from: Data(line.utf8))
    }

    @Test(arguments: ["front", "fob"]) func `proves a tag by a challenge`(profile: String) async throws {
        let (daemon, watch) = try await start()
        let proof = try await tap(profile, daemon, watch).proof
        #expect(proof.status == "proven" && proof.method == "mutual" && proof.profile == profile, "\(proof)")
        #expect(proof.key == "door" && proof.keyVersion == 1 && proof.scope == "everywhere", "\(proof)")
        #expect(proof.identifier == Self.identifier)
        #expect(try await tap(profile, daemon, watch, ["--copy"]).proof.status == "failed")
        await watch.end(SIGINT)
        await daemon.process.end()
        let printed = (watch.output.all + daemon.process.errors.all).joined().uppercased()
        #expect(!printed.contains(TokenFolder.value.prefix(8)) && !printed.contains(TokenFolder.pin))
    }

    @Test func `is checked by nfcctl`() async throws {
        let finished = try await run(
            [Programs.nfcctl, "keys", "check", "--keys", folder.keys], environment: folder.environment)
        #expect(finished.status == 0 && finished.errors == [], "\(finished)")
        #expect(finished.output == ["\(folder.keys): ok, keys: 1, profiles: 2"])
    }
}

/// A token of SoftHSM in a folder, and the files of an nfcd that uses it.
private struct TokenFolder {
    static let pin = "4815162342"
    /// Not published.
    static let value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"

    private static let module = [
        "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so", "/usr/lib/pkcs11/libsofthsm2.so",
    ].first { FileManager.default.fileExists(atPath: $0) }
    static let isInstalled = module != nil

    private let scratch: Scratch
    let environment: [String: String]
    let keys: String
    let configuration: String

    init() async throws {
        scratch = try Scratch()
        let path = scratch.path
        try FileManager.default.createDirectory(atPath: "\(path)/tokens", withIntermediateDirectories: false)
        let file = try scratch.file("softhsm2.conf", "directories.tokendir = \(path)/tokens\nlog.level = ERROR\n")
        environment = ["SOFTHSM2_CONF": file]
        let pin = try scratch.file("pin", Self.pin + "\n")
        keys = try scratch.file("keys.toml", Self.text(pinFile: pin))
        for secret in [pin, keys] { chmod(secret, 0o600) }
        configuration = try scratch.file("nfcd.toml", "[keys]\nfile = \"\(keys)\"\n[journal]\ndebounce = 0\n")
        let key = try scratch.file("key", Hexadecimal.bytes(Self.value) ?? [])
        try await softhsm("--init-token", "--free", "--label", "door", "--pin", Self.pin, "--so-pin", "99999999")
        try await softhsm(
            "--import", key, "--aes", "--token", "door", "--label", "door-master", "--id", "01", "--pin", Self.pin)
    }

    private func softhsm(_ arguments: String...) async throws {
        let finished = try await run(["softhsm2-util"] + arguments, environment: environment)
        guard finished.status == 0 else { throw TestError("softhsm2-util: \(finished)") }
    }

    private static func text(pinFile: String) -> String {
        """
        [pkcs11]
        module = "\(module ?? "")"
        pin-file = "\(pinFile)"
        [[key]]
        name = "door"
        pkcs11 = "pkcs11:token=door;object=door-master"
        [[profile]]
        name = "front"
        tag = "ntag424"
        tag-key = "door"
        [[profile]]
        name = "fob"
        tag = "desfire"
        tag-key = "door"
        master-key = "door"
        write-key = "door"
        application = "A1B2C3"
        """
    }
}
