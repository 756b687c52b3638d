import Cryptography
import Dispatch
import Foundation
import NFCTypes
import SecureTags
import ServiceSupport
import Testing

@testable import KeyStore

/// Keys in a token of SoftHSM.
@Suite(
    .enabled(if: SoftHSM.isInstalled, "softhsm2 is not installed; Scripts/setup --tests installs it"),
    .timeLimit(.minutes(2)))
struct TokenKeyTests {
    private let hsm: SoftHSM

    init() throws { hsm = try #require(SoftHSM.shared) }

    private func text(_ uri: String, pinFile: String? = nil, name: String = "door", _ rest: String = "") -> String {
        """
        [pkcs11]
        module = "\(hsm.module)"
        pin-file = "\(pinFile ?? hsm.pinFile)"
        [[key]]
        name = "\(name)"
        pkcs11 = "\(uri)"
        \(rest)
        """
    }

    private func file(_ text: String, _ extent: KeyFile.Extent = .everything) async throws -> KeyFile {
        try await KeyFile(bytes: SecretBytes(Array(text.utf8)), file: "keys.toml", extent)
    }

    private func key(_ object: String) async throws -> any MasterKey {
        try #require(try await file(text("pkcs11:token=door;object=\(object)")).ring.entry("door", version: 1)).master
    }

    private func refusal(_ text: String, _ extent: KeyFile.Extent = .everything) async throws -> String {
        let error = try await #require(throws: ConfigurationError.self) { _ = try await file(text, extent) }
        #expect(!error.description.contains(SoftHSM.pin))
        return error.description
    }

    /// A file with a PIN, which is removed at the end.
    private func withPIN(_ pin: String, _ body: (String) async throws -> String) async throws -> String {
        let path = hsm.pinFile + "-" + UUID().uuidString
        try SoftHSM.write(pin, to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    // MARK: Derivation

    @Test(arguments: [1, 7, 11, 12, 14, 15, 16, 17, 23, 30, 31], KeyDiversification.Padding.allCases)
    func `keys of tags are those that the same key in the file makes`(
        length: Int, padding: KeyDiversification.Padding
    ) async throws {
        let input = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 4) }
        let master = try #require(TagKey(SoftHSM.value))
        let derived = try await key("door-master").derived(from: input, padding: padding)
        #expect(try derived.isEqual(to: KeyDiversification.aes128(master: master, input: input, padding: padding)))
        #expect(!derived.isPublished)
    }

    @Test func `the vector of AN10922 comes out`() async throws {
        let input = try #require(Hexadecimal.bytes("04782E21801D803042F54E585020416275"))
        let expected = try #require(TagKey(hexadecimal: "A8DD63A3B89D54B37CA802473FDA9175"))
        #expect(try await key("an10922").derived(from: input, padding: .twoBlocks).isEqual(to: expected))
    }

    @Test(arguments: [("an10922", true), ("zero", true), ("door-master", false)])
    func `a published key is recognised in a token`(object: String, isPublished: Bool) async throws {
        let master = try await key(object)
        #expect(master.isPublished == isPublished)
        #expect(try await master.derived(from: [1, 2, 3], padding: .twoBlocks).isPublished == isPublished)
    }

    @Test(arguments: [0, 32])
    func `an input of another length is refused`(length: Int) async throws {
        let master = try await key("door-master")
        await #expect(throws: SecureTagError.self) {
            _ = try await master.derived(from: [UInt8](repeating: 1, count: length), padding: .wholeBlocks)
        }
    }

    @Test func `many tasks derive at a time`() async throws {
        let master = try await key("door-master")
        let known = try #require(TagKey(SoftHSM.value))
        let areRight = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 as Range<UInt8> {
                group.addTask {
                    let input = [number, 1, 2, 3]
                    let derived = try await master.derived(from: input, padding: .twoBlocks)
                    return try derived.isEqual(to: KeyDiversification.aes128(master: known, input: input))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(areRight.count == 64 && areRight.allSatisfy { $0 })
    }

    // MARK: Files

    private static let profile = """
        [[profile]]
        name = "front"
        tag = "ntag424"
        tag-key = "door"
        """

    @Test func `a profile takes its key from a token`() async throws {
        let uri = "pkcs11:token=door;object=door-master?module-path=\(hsm.module)&pin-source=file:\(hsm.pinFile)"
        let file = try await file("[[key]]\nname = \"door\"\npkcs11 = \"\(uri)\"\n\(Self.profile)")
        let master = try #require(file.ring.entry("door", version: 1)).master
        let known = try #require(TagKey(SoftHSM.value))
        let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
        #expect(
            try await file.profiles[0].key(.tag, of: uid, from: master).isEqual(
                to: file.profiles[0].key(.tag, of: uid, from: known)))
        #expect(file.origins[0].place == "token door, object door-master")
        #expect(file.origins[0].isInToken && file.origins[0].unreadReason == nil)
        #expect(throws: TokenError.self) { _ = try master.shared() }
    }

    @Test func `no description shows a PIN`() async throws {
        let file = try await file(text("pkcs11:token=door;object=door-master"))
        var words = "\(file)"
        dump(file, to: &words)
        #expect(!words.contains(SoftHSM.pin) && !words.contains(Hexadecimal.string(SoftHSM.value)))
    }

    static let uses: [(lines: String, words: String)] = [
        ("tag-key = \"door\"\nderivation = \"none\"", "profile[0].tag-key: key door is in a token"),
        (
            "method = \"sun\"\nfile-key = \"door\"\nmeta-key = \"door\"\nurl = \"https://ex.am/?p={picc}&c={mac}\"",
            "must not be used for anything else"
        ),
        (
            "method = \"sun\"\nfile-key = \"other\"\nmeta-key = \"door\"\nurl = \"https://ex.am/?p={picc}&c={mac}\"",
            "profile[0].meta-key: key door is in a token, which does not reveal it"
        ),
    ]

    @Test(arguments: uses, [KeyFile.Extent.everything, .references])
    func `a key that all tags share cannot be in a token`(
        use: (lines: String, words: String), extent: KeyFile.Extent
    ) async throws {
        let other = "[[key]]\nname = \"other\"\nvalue = \"\(Hexadecimal.string(SoftHSM.value))\""
        let profile = "[[profile]]\nname = \"p\"\ntag = \"ntag424\"\n\(use.lines)"
        let error = try await refusal(text("pkcs11:token=door;object=door-master", "\(other)\n\(profile)"), extent)
        #expect(error.contains(use.words), "\(error)")
    }

    @Test func `a key that must not encrypt makes keys from long inputs alone`() async throws {
        let uri = "pkcs11:token=door;object=no-encrypt"
        let error = try await refusal(text(uri, Self.profile))
        #expect(error.contains("a system-id with at least 1 bytes"), "\(error)")
        let file = try await file(text(uri, Self.profile + "\nsystem-id = \"6E\""))
        let master = try #require(file.ring.entry("door", version: 1)).master
        let known = try #require(TagKey(SoftHSM.value))
        let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
        #expect(
            try await file.profiles[0].key(.tag, of: uid, from: master).isEqual(
                to: file.profiles[0].key(.tag, of: uid, from: known)))
        await #expect(throws: TokenError.self) { _ = try await master.derived(from: [1, 2, 3], padding: .twoBlocks) }
        let short = try KeyDiversification.aes128(master: known, input: [1, 2, 3], padding: .wholeBlocks)
        #expect(try await master.derived(from: [1, 2, 3], padding: .wholeBlocks).isEqual(to: short))
    }

    // MARK: What can be wrong

    static let objects: [(uri: String, words: String)] = [
        ("pkcs11:token=door;object=none", "token door, object none: there is no secret key with object none"),
        ("pkcs11:token=door;object=twin", "more than one secret key with object twin"),
        ("pkcs11:token=door;object=generic", "is not an AES key"),
        ("pkcs11:token=door;object=long", "has 32 bytes"),
        ("pkcs11:token=door;object=no-sign", "must not sign"),
        ("pkcs11:token=garage;object=key", "has no such token: it has "),
        ("pkcs11:token=door;object=key?module-path=/usr/lib/none.so", "the module /usr/lib/none.so cannot be loaded"),
        ("pkcs11:token=door;object=key?pin-source=/none/pin", "/none/pin: cannot be read"),
    ]

    @Test(arguments: objects)
    func `a key that cannot be used is reported at start`(uri: String, words: String) async throws {
        let error = try await refusal(text(uri))
        #expect(error.hasPrefix("keys.toml:6: key[0].pkcs11: ") && error.contains(words), "\(error)")
    }

    @Test func `two keys with one label differ by their id`() async throws {
        let master = try await key("twin;id=%02")
        #expect(master.isPublished)
        #expect(try await !key("twin;id=%01").isPublished)
    }

    @Test func `a library that is not a module is refused`() async throws {
        let other = "/lib/x86_64-linux-gnu/libc.so.6"
        guard FileManager.default.fileExists(atPath: other) else { return }
        let error = try await refusal(text("pkcs11:token=door;object=key?module-path=\(other)"))
        #expect(error.contains("it is not a PKCS#11 module"), "\(error)")
    }

    @Test func `the module must be named`() async throws {
        let error = try await refusal("[[key]]\nname = \"a\"\npkcs11 = \"pkcs11:token=door;object=key\"")
        #expect(error.contains("the module is missing"), "\(error)")
    }

    @Test func `a token that needs a PIN says so`() async throws {
        let error = try await refusal(
            "[pkcs11]\nmodule = \"\(hsm.module)\"\n[[key]]\nname = \"a\"\npkcs11 = \"pkcs11:token=door;object=key\"")
        #expect(error.contains("it needs a PIN; add pin-file"), "\(error)")
    }

    // MARK: PINs

    @Test func `a wrong PIN is tried once, and then by a person alone`() async throws {
        let uri = "pkcs11:token=wrong-pin;object=key"
        let wrong = "0000000000"
        let first = try await withPIN(wrong) { try await refusal(text(uri, pinFile: $0)) }
        #expect(first.contains("it refuses the PIN from file ") && !first.contains(wrong), "\(first)")
        #expect(try hsm.hasFailedLogins("wrong-pin"))
        // The next start of nfcd, even with the right PIN.
        let second = try await refusal(text(uri))
        #expect(second.contains("nfcctl keys check"), "\(second)")
        #expect(try hsm.hasFailedLogins("wrong-pin"))
        _ = try await file(text(uri), .attended)
        #expect(try !hsm.hasFailedLogins("wrong-pin"))
        _ = try await file(text(uri))
    }

    @Test func `a token that refused a PIN does not get it again`() async throws {
        let place = Token.Place(
            module: hsm.module, fields: [.token: Array("refused".utf8)], pinSource: "file pin")
        let token = Token(place, pin: SecretBytes(Array("0000000000".utf8)), isAttended: true)
        let object = TokenURI.Object(label: Array("key".utf8))
        await #expect(throws: TokenError.self) { _ = try await TokenKey(token, object) }
        #expect(try hsm.hasFailedLogins("refused"))
        try hsm.withSession("refused") { _ in }
        let again = try await #require(throws: TokenError.self) { _ = try await TokenKey(token, object) }
        #expect(again.description.contains("it refuses the PIN from file pin"))
        #expect(try !hsm.hasFailedLogins("refused"))
    }

    @Test(arguments: ["", "\n"])
    func `a file without a PIN is refused`(content: String) async throws {
        let error = try await withPIN(content) {
            try await refusal(text("pkcs11:token=door;object=door-master", pinFile: $0))
        }
        #expect(error.contains("has no PIN"), "\(error)")
    }

    @Test func `a PIN that is a credential of the unit is left to the unit`() async throws {
        let text = text("pkcs11:token=door;object=door-master")
            .replacingOccurrences(of: "pin-file = \"\(hsm.pinFile)\"", with: "pin-credential = \"pin\"")
        #expect(try await refusal(text).contains("add LoadCredential=pin to the unit"))
        let origin = try await file(text, .attended).origins[0]
        #expect(origin.unreadReason?.contains("its PIN is a credential") == true && origin.isInToken)
        let folder = String(hsm.pinFile.dropLast("/pin".count))
        let file = try await KeyFile(bytes: SecretBytes(Array(text.utf8)), file: "keys.toml", credentials: folder)
        #expect(file.origins[0].unreadReason == nil)
    }

    // MARK: Lost sessions

    @Test func `a session that was lost is opened again`() async throws {
        let file = try await file(text("pkcs11:token=lost;object=key"))
        let master = try #require(file.ring.entry("door", version: 1)).master
        let before = try await master.derived(from: [1, 2, 3], padding: .twoBlocks)
        try hsm.endSessions("lost")
        #expect(try await master.derived(from: [1, 2, 3], padding: .twoBlocks).isEqual(to: before))
        try hsm.endSessions("lost")
        let long = [UInt8](repeating: 7, count: 20)
        let known = try #require(TagKey(SoftHSM.value))
        #expect(
            try await master.derived(from: long, padding: .wholeBlocks).isEqual(
                to: KeyDiversification.aes128(master: known, input: long, padding: .wholeBlocks)))
    }

    @Test func `another key in its place is not used`() async throws {
        let file = try await file(text("pkcs11:token=replaced;object=key"))
        let master = try #require(file.ring.entry("door", version: 1)).master
        try hsm.endSessions("replaced")
        try hsm.replaceKeys("replaced", by: .init(label: "key", value: SoftHSM.nxp))
        let error = try await #require(throws: TokenError.self) {
            _ = try await master.derived(from: [1, 2, 3], padding: .twoBlocks)
        }
        #expect(error.description.contains("not the one of the start"))
    }
}
