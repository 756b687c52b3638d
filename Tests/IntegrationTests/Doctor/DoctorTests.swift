import Foundation
import NFCProtocol
import Testing

@testable import nfcctl

/// The doctor on made-up machines.
@Suite struct `The doctor` {
    @Test(arguments: Situation.all)
    func `names the cause and the command that mends it`(situation: Situation) throws {
        var system = FakeSystem()
        situation.change(&system)
        let doctor = Doctor(system.scene())
        let finding = try #require(
            doctor.findings.first {
                $0.check == situation.check && $0.verdict == situation.verdict && $0.summary.contains(situation.cause)
            }, "\(doctor.findings)")
        if let mend = situation.mend {
            #expect(finding.mend.contains { $0.contains(mend) }, "\(finding.mend)")
        } else {
            #expect(finding.mend.isEmpty)
        }
        #expect(doctor.status == situation.code, "\(doctor.findings.filter { $0.verdict == .problem })")
        #expect(doctor.conclusion.verdict == doctor.findings.map(\.verdict).max())
    }

    @Test func `finds nothing where all is well, and every check has looked`() throws {
        let doctor = Doctor(FakeSystem().scene())
        #expect(doctor.findings.allSatisfy { $0.verdict == .ok }, "\(doctor.findings)")
        #expect(doctor.status == 0)
        #expect(doctor.conclusion.summary == "Nothing stops NFC from working.")
        #expect(
            doctor.findings.map(\.check) == [
                "daemon", "socket", "service", "configuration", "pcscd", "driver", "modules", "readers", "programs",
                "clock",
            ])
    }

    @Test func `asks for no PC/SC where readers are simulated`() throws {
        var system = FakeSystem()
        system.daemon = .answered(
            FakeSystem.state([FakeSystem.reader("Simulated Reader 0", id: "simulated-0")]))
        system.files[FakeSystem.pcscSocket] = nil
        system.files[FakeSystem.plist] = nil
        system.unplugAll()
        let doctor = Doctor(system.scene())
        #expect(doctor.status == 0)
        #expect(doctor.findings.allSatisfy { $0.verdict == .ok }, "\(doctor.findings)")
    }

    @Test func `puts what is behind the others first`() throws {
        var system = FakeSystem()
        (system.daemon, system.groups) = (.notPermitted, [71_234])
        #expect(Doctor(system.scene()).status == 77)
        system.answers["nfcd"] = CommandResult(status: 78, output: "nfcd: x")
        #expect(Doctor(system.scene()).status == 78)
        system.files[FakeSystem.pcscSocket] = nil
        #expect(Doctor(system.scene()).status == 78)
    }

    @Test func `passes on what nfcd says of its configuration`() throws {
        var system = FakeSystem()
        system.answers["nfcd"] = CommandResult(
            status: 78, output: "nfcd: /etc/nfcd/nfcd.toml:3: session.timeuot: unknown key\u{1B}[2J\n")
        let finding = try #require(Doctor(system.scene()).findings.first { $0.check == "configuration" })
        #expect(finding.detail.hasPrefix("/etc/nfcd/nfcd.toml:3: session.timeuot: unknown key"))
        #expect(!finding.detail.contains("\u{1B}"))
        // The daemon runs with what it read before.
        #expect(finding.verdict == .warning)
    }

    @Test func `sees that a rule of polkit is there`() throws {
        var system = FakeSystem()
        system.daemon = .noSocket
        system.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.0.\npolkit\n")
        system.files["/usr/share/polkit-1/rules.d/nfcd.rules"] = #"["org.debian.pcsc-lite.access_pcsc"]"#
        let findings = Doctor(system.scene()).findings.filter { $0.check == "pcscd" }
        #expect(findings.map(\.verdict) == [.ok])
        // Where the rules may not be read, nothing is said about them.
        system.closed = ["/usr/share/polkit-1/rules.d"]
        #expect(Doctor(system.scene()).findings.filter { $0.check == "pcscd" }.map(\.verdict) == [.ok])
    }

    @Test func `is a line of JSON per finding`() throws {
        let finding = Finding(
            check: "pcscd", verdict: .problem, summary: "s", detail: "d", mend: ["sudo pcscd"], code: .notPermitted)
        let line = String(decoding: try JSONLine.encode(finding), as: UTF8.self)
        #expect(
            line.trimmed
                == #"{"check":"pcscd","detail":"d","mend":["sudo pcscd"],"summary":"s","verdict":"problem"}"#)
    }
}

/// Files that are not what they should be stop no check.
@Suite(.serialized)
struct `The doctor and bad files` {
    static let junk: [(name: String, content: String)] = [
        ("empty", ""), ("a newline", "\n"), ("zeros", String(repeating: "\0", count: 5000)),
        ("colons", String(repeating: ":", count: 5000)), ("one long line", String(repeating: "x", count: 100_000)),
        ("many lines", String(repeating: "blacklist a\n0x\n", count: 2_000)),
        ("numbers out of range", "root:x:99999999999999999999:-1::\nnfc:x:4294967296:ada\n"),
        ("signs of escape", "\u{1B}[2J\u{1B}]0;x\u{7}\n"), ("spaces", "   \t  \n   \n"),
        ("deep", "<plist><dict>" + String(repeating: "<array>", count: 2_000)),
        ("wrong types", "<plist version=\"1.0\"><dict><key>ifdVendorID</key><dict/></dict></plist>"),
    ]

    @Test(arguments: junk.map(\.name))
    func `whichever file has the junk`(name: String) throws {
        let content = try #require(Self.junk.first { $0.name == name }).content
        for path in FakeSystem().files.keys {
            var system = FakeSystem()
            system.files[path] = content
            let doctor = Doctor(system.scene())
            #expect(!doctor.findings.isEmpty)
            #expect(doctor.findings.allSatisfy { !$0.summary.contains("\u{1B}") && !$0.detail.contains("\u{1B}") })
        }
    }

    @Test func `a driver's list is whole or not used`() throws {
        let whole = FakeSystem.plist(readers: [("0x072F", "0x2200", "A"), ("7", "8", "B"), ("0x1FFFF", "x", "C")])
        for length in stride(from: 0, to: whole.utf8.count, by: 7) {
            var system = FakeSystem()
            system.files[FakeSystem.plist] = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
            let scene = system.scene()
            #expect(scene.bundles.allSatisfy { $0.readers.count <= 2 })
            if scene.bundles.isEmpty {
                #expect(Doctor(scene).findings.contains { $0.summary.contains("its list cannot be read") })
            }
        }
        var system = FakeSystem()
        system.files[FakeSystem.plist] = whole
        let readers = try #require(system.scene().bundles.first).readers
        #expect(
            readers == [USBIdentity(vendor: 0x072F, product: 0x2200): "A", USBIdentity(vendor: 7, product: 8): "B"])
    }

    @Test func `one word in the place of a list is a list of one`() throws {
        var system = FakeSystem()
        let list = "<key>ifdVendorID</key><string>0x1</string><key>ifdProductID</key><string>2</string>"
        system.files[FakeSystem.plist] =
            "<plist version=\"1.0\"><dict>\(list)<key>ifdFriendlyName</key><string>N</string></dict></plist>"
        #expect(system.scene().bundles.first?.readers == [USBIdentity(vendor: 1, product: 2): "N"])
    }

    @Test func `answers of programs are not believed either`() throws {
        for (_, content) in Self.junk {
            var system = FakeSystem()
            for name in system.answers.keys { system.answers[name] = CommandResult(status: 3, output: content) }
            #expect(!Doctor(system.scene()).findings.isEmpty)
        }
        var system = FakeSystem()
        system.answers = [:]
        #expect(Doctor(system.scene()).status == 0)
    }

    @Test func `no more is read than the limit`() throws {
        let scratch = try Scratch()
        let path = try scratch.file("long", "AAAAAA\nB")
        let files = MachineFiles()
        #expect(files.bytes(path, limit: 3) == [65, 65, 65])
        #expect(files.lines(path) == ["AAAAAA", "B"])
        #expect(files.bytes(scratch.path, limit: 3) == nil)
        #expect(files.bytes("\(path)-not", limit: 3) == nil)
    }

    @Test func `the files of this machine are seen as they are`() throws {
        let scratch = try Scratch()
        let path = try scratch.file("file", "some text\n")
        chmod(path, 0o640)
        symlink("../far/away", "\(scratch.path)/link")
        mkfifo("\(scratch.path)/pipe", 0o600)
        let files = MachineFiles()
        #expect(files.names(in: scratch.path) == ["file", "link", "pipe"])
        #expect(files.linkedName("\(scratch.path)/link") == "away")
        #expect(files.facts(path) == FileFacts(mode: 0o640, user: geteuid(), group: getegid(), isFolder: false))
        #expect(files.facts(scratch.path)?.isFolder == true)
        #expect(files.exists(path) && files.canRead(path) && !files.canRun(path) && !files.canRun(scratch.path))
        #expect(files.contains("me te", in: path) && !files.contains("metal", in: path))
        // Nobody writes to it, and nobody waits.
        #expect(files.bytes("\(scratch.path)/pipe", limit: 10) == [])
    }
}

/// `nfcctl doctor` on this machine, whatever is the matter with it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct `nfcctl doctor` {
    private struct Line: Decodable {
        let check: String
        let verdict: String
        let summary: String
        let detail: String
        let mend: [String]
    }

    private func lines(_ finished: Finished) throws -> [Line] {
        try finished.output.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `finds a daemon on simulated readers in good health`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let finished = try await daemon.run("doctor", "--json")
        #expect(finished.status == 0)
        let lines = try lines(finished)
        #expect(lines.last?.check == "all")
        #expect(lines.first?.summary.contains(daemon.socket) == true)
        #expect(lines.contains { $0.check == "readers" && $0.summary.contains("Simulated Reader 0") })
        let sheet = try await daemon.run("doctor")
        #expect(sheet.status == 0)
        #expect(sheet.output.first?.hasPrefix("ok ") == true)
        #expect(!sheet.output.contains { $0.contains("\u{1B}") })
        await daemon.process.end()
    }

    @Test func `says how to start a daemon that is not there, and ends with 69 or more`() async throws {
        let finished = try await run([Programs.nfcctl, "doctor", "--json", "--socket", "/nonexistent/nfcd.sock"])
        #expect([69, 78].contains(finished.status))
        let daemon = try #require(try lines(finished).first { $0.check == "daemon" })
        #expect(daemon.verdict == "problem")
        #expect(daemon.mend.first == "nfcd --socket /nonexistent/nfcd.sock")
    }

    @Test func `tells a socket that was left behind from one that is not there`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        await daemon.process.end(SIGKILL)
        let finished = try await daemon.run("doctor", "--json")
        #expect(try lines(finished).first?.summary.hasPrefix("Nobody listens") == true)
    }

    @Test func `gives a daemon that is stopped up`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        daemon.process.signal(SIGSTOP)
        defer { daemon.process.signal(SIGCONT) }
        let answer = await DaemonProbe(path: daemon.socket, hasSocket: true, limit: .milliseconds(200)).ask()
        guard case .silent = answer else { throw TestError("\(answer)") }
    }

    @Test func `learns from a session that cannot begin why there is no reader`() async throws {
        let scratch = try Scratch()
        // A libpcsclite that looks where no pcscd is.
        let daemon = try ChildProcess(
            [Programs.nfcd, "--socket", "\(scratch.path)/s"], environment: ["PCSCLITE_CSOCK_NAME": "\(scratch.path)/p"])
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        let answer = await DaemonProbe(path: "\(scratch.path)/s", hasSocket: true, limit: .seconds(50)).ask()
        #expect(answer.state?.refusal?.code == 6)
        #expect(answer.state?.refusal?.detail.contains("0x8010001D") == true)
        // What readers says to the same.
        let readers = try await run([Programs.nfcctl, "readers", "--socket", "\(scratch.path)/s"])
        #expect(readers.status == 69)
        #expect(readers.errors.first?.contains("nfcctl doctor") == true)
        await daemon.end()
    }

    @Test func `runs a program for a while only, and keeps a part of what it says`() {
        let shell = "/bin/sh"
        #expect(
            CommandRunner.run([shell, "-c", "echo out; echo err >&2; exit 3"])
                == CommandResult(status: 3, output: "out\nerr\n"))
        #expect(CommandRunner.run([shell, "-c", "kill -9 $$"])?.status == 137)
        #expect(CommandRunner.run([shell, "-c", "sleep 60"], limit: .milliseconds(100)) == nil)
        #expect(CommandRunner.run([shell, "-c", "exec >&- 2>&-; sleep 60"], limit: .milliseconds(100)) == nil)
        #expect(CommandRunner.run(["/nonexistent/program"]) == nil)
        #expect(CommandRunner.run([]) == nil)
        let long = CommandRunner.run([shell, "-c", "head -c 200000 /dev/zero"])
        #expect(long?.output.utf8.count == CommandRunner.mostOutput)
    }
}
