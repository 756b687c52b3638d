import Foundation
import NFCProtocol
import Testing

/// The permissions of real users, with a real configuration file.
@Suite(.timeLimit(.minutes(20)))
struct `Access` {
    static let others = ConditionTrait.enabled(
        if: PlainClient.canChangeUser, "to be another user takes root, setpriv and /usr/bin/python3")

    /// A daemon with a socket that every user can open, and a configuration with these grants.
    private func start(_ text: String) async throws -> (DaemonUnderTest, file: String, Scratch) {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", text)
        let daemon = try await DaemonUnderTest(simulatedReaders: 2, configuration: file)
        for path in [daemon.scratch.path, daemon.socket] { chmod(path, 0o777) }
        return (daemon, file, scratch)
    }

    private static let list = #"{"jsonrpc":"2.0","id":2,"method":"simulator.list"}"#

    private func nobody(_ daemon: DaemonUnderTest, groups: [UInt32] = [65_534]) -> PlainClient {
        PlainClient(socket: daemon.socket, user: 65_534, groups: groups)
    }

    @Test(others) func `a user without a grant has the default permissions`() async throws {
        let (daemon, _, _) = try await start("")
        let may = try await nobody(daemon).entitlements()
        #expect(may.formats == ["NDEF", "TAG"])
        #expect(may.capabilities == ["read", "write", "format", "raw", "background", "simulate"])
        #expect(may.readers == ["*"])
        await daemon.process.end()
    }

    /// The entitlements of a client with one grant.
    private static func only(
        formats: [String] = [], capabilities: [String] = [], readers: [String] = []
    ) -> ServerInfo.Entitlements {
        let grant = ServerInfo.Grant(
            formats: formats, capabilities: capabilities, iso7816SelectIdentifiers: [], feliCaSystemCodes: [],
            readers: readers)
        return ServerInfo.Entitlements(formats: formats, capabilities: capabilities, readers: readers, grants: [grant])
    }

    @Test(others) func `the relay's user may receive taps, whatever the grants are`() async throws {
        let grant = "[[grant]]\nuser = 1\nformats = [\"TAG\"]\n"
        let (daemon, _, scratch) = try await start("[relay]\nuser = \"nobody\"\n\(grant)")
        let allowed = try await nobody(daemon).entitlements()
        #expect(allowed == Self.only(capabilities: ["taps", "monitor"], readers: ["*"]))
        #expect(try await PlainClient(socket: daemon.socket, user: 1, groups: [1]).entitlements().capabilities == [])
        _ = try scratch.file("nfcd.toml", "[relay]\nuser = \"none\"\n\(grant)")
        daemon.process.signal(SIGHUP)
        try await daemon.wait(for: "applied: relay.user")
        #expect(try await nobody(daemon).entitlements().capabilities == [])
        await daemon.process.end()
    }

    @Test(others) func `a grant for a user applies only to that user`() async throws {
        let (daemon, _, _) = try await start(
            "[[grant]]\nuser = \"nobody\"\ncapabilities = [\"simulate\"]\n[[grant]]\nuser = 1\nformats = [\"TAG\"]\n")
        let nobody = nobody(daemon)
        #expect(try await nobody.ask(Self.list) == [#"{"id":2,"jsonrpc":"2.0","result":[]}"#])
        #expect(try await nobody.entitlements() == Self.only(capabilities: ["simulate"]))
        let other = PlainClient(socket: daemon.socket, user: 1, groups: [1])
        let refusal = try await other.ask(Self.list).first
        #expect(refusal?.contains(#""code":2"#) == true)
        #expect(refusal?.contains(#"capabilities = [\"simulate\"]"#) == true)
        #expect(try await other.entitlements() == Self.only(formats: ["TAG"]))
        await daemon.process.end()
    }

    @Test(others) func `a grant for a group applies to its members, even with a thousand groups`() async throws {
        let (daemon, _, _) = try await start(
            "[[grant]]\ngroup = 5999\nformats = [\"NDEF\"]\nreaders = [\"simulated-1\"]\n")
        let member = nobody(daemon, groups: Array(5000..<6000))
        #expect(try await member.entitlements() == Self.only(formats: ["NDEF"], readers: ["simulated-1"]))
        #expect(try await nobody(daemon).entitlements() == .init(formats: [], capabilities: [], grants: []))
        await daemon.process.end()
    }

    @Test(others) func `a session that is not permitted ends with 2 before it is active`() async throws {
        let (daemon, _, _) = try await start(
            "[[grant]]\nformats = [\"TAG\"]\ncapabilities = [\"read\"]\nreaders = [\"*\"]\n")
        let begin = #"{"jsonrpc":"2.0","id":3,"method":"session.begin","params":{"kind":"ndef"}}"#
        let lines = try await nobody(daemon).converse(begin, #""id":3,"#, "session.didInvalidate")
        #expect(lines.first == #"{"id":3,"jsonrpc":"2.0","result":{"session":"session-1"}}"#)
        #expect(lines.last?.contains(#""code":2"#) == true)
        #expect(lines.last?.contains(#"formats = [\"NDEF\"]"#) == true)
        await daemon.process.end()
    }

    @Test(others) func `SIGHUP applies new grants, but not an invalid configuration`() async throws {
        let (daemon, file, scratch) = try await start("[[grant]]\nformats = [\"NDEF\"]\n")
        #expect(try await nobody(daemon).entitlements().formats == ["NDEF"])
        _ = try scratch.file("nfcd.toml", "[[grant]]\nformats = [\"TAG\"]\n")
        daemon.process.signal(SIGHUP)
        try await daemon.wait(for: "SIGHUP: \(file) was read; applied: [[grant]]")
        #expect(try await nobody(daemon).entitlements().formats == ["TAG"])
        _ = try scratch.file("nfcd.toml", "[[grant]]\n\nformat = [\"PACE\"]\n")
        daemon.process.signal(SIGHUP)
        try await daemon.wait(for: "the configuration was not changed: \(file):3: grant[0].format: unknown key")
        #expect(try await nobody(daemon).entitlements().formats == ["TAG"])
        #expect(await daemon.process.end() == 0)
    }

    @Test(others) func `for a user outside the socket's group, nfcctl reports that and exits with 77`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        chmod(daemon.scratch.path, 0o755)
        // A group that exists on every system.
        chown(daemon.socket, 0, 1)
        let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let canRun = try await run(nobody + [Programs.nfcctl, "--version"]).status == 0
        guard canRun else { return print("skipped: another user cannot run \(Programs.nfcctl)") }
        for command in ["scan", "readers", "info"] {
            let finished = try await run(nobody + [Programs.nfcctl, command, "--socket", daemon.socket])
            #expect(finished.status == 77)
            #expect(finished.errors.first?.contains("you may not open \(daemon.socket)") == true)
            #expect(finished.errors.contains("sudo usermod -aG daemon nobody"), "\(finished.errors)")
        }
        let doctor = try await run(nobody + [Programs.nfcctl, "doctor", "--socket", daemon.socket])
        #expect(doctor.status == 77)
        #expect(doctor.output.contains { $0.hasSuffix("$ sudo usermod -aG daemon nobody") }, "\(doctor.output)")
        await daemon.process.end()
    }

    @Test(others) func `for a user outside a private socket, only commands for that socket are proposed`() async throws
    {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        chmod(daemon.scratch.path, 0o755)
        chown(daemon.socket, 0, 1)
        let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let canRun = try await run(nobody + [Programs.nfcctl, "--version"]).status == 0
        guard canRun else { return print("skipped: another user cannot run \(Programs.nfcctl)") }
        for (group, mode, fix) in [(1, 0o600, ["chmod 0660"]), (0, 0o660, ["chgrp nfc", "chmod 0660"])] {
            chown(daemon.socket, 0, gid_t(group))
            chmod(daemon.socket, mode_t(mode))
            let expected = fix.map { "sudo \($0) \(daemon.socket)" }
            let scan = try await run(nobody + [Programs.nfcctl, "scan", "--socket", daemon.socket])
            let doctor = try await run(nobody + [Programs.nfcctl, "doctor", "--socket", daemon.socket])
            #expect(scan.status == 77 && doctor.status == 77)
            for command in expected {
                #expect(scan.errors.contains(command), "\(scan.errors)")
                #expect(doctor.output.contains { $0.hasSuffix("$ \(command)") }, "\(doctor.output)")
            }
            #expect(!(scan.errors + doctor.output).contains { $0.contains(/kill (-x nfcd|[0-9])/) })
        }
        await daemon.process.end()
    }
}
