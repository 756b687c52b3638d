import Foundation
import NFCProtocol
import Testing

@testable import nfcctl

/// The doctor on simulated machines.
@Suite struct `The doctor` {
    @Test(arguments: DoctorScenario.all)
    func `reports the cause and the command that fixes it`(scenario: DoctorScenario) throws {
        var system = FakeSystem()
        scenario.change(&system)
        let doctor = Doctor(system.snapshot())
        let finding = try #require(
            doctor.findings.first {
                $0.check == scenario.check && $0.verdict == scenario.verdict && $0.summary.contains(scenario.cause)
            }, "\(doctor.findings)")
        if let fix = scenario.fix {
            #expect(finding.fix.contains { $0.contains(fix) }, "\(finding.fix)")
        } else {
            #expect(finding.fix.isEmpty)
        }
        #expect(doctor.status == scenario.code, "\(doctor.findings.filter { $0.verdict == .problem })")
        #expect(doctor.conclusion.verdict == doctor.findings.map(\.verdict).max())
    }

    @Test func `runs every check and finds no problem on a working machine`() throws {
        let doctor = Doctor(FakeSystem().snapshot())
        #expect(doctor.findings.allSatisfy { $0.verdict == .ok }, "\(doctor.findings)")
        #expect(doctor.status == 0)
        #expect(doctor.conclusion.summary == "Nothing prevents NFC from working.")
        #expect(
            doctor.findings.map(\.check) == [
                "daemon", "socket", "service", "configuration", "pcscd", "driver", "modules", "readers", "programs",
                "clock", "journal", "security keys", "desktop",
            ])
    }

    @Test(arguments: [DaemonStatus.noSocket, .staleSocket, .notPermitted, .notAnswering, .failed("it broke")])
    func `looks for nothing of the machine in a container for clients`(daemon: DaemonStatus) throws {
        var system = FakeSystem()
        system.programs.remove("/usr/bin/nfcd")
        system.files["/run/.containerenv"] = ""
        system.daemon = daemon
        let findings = Doctor(system.snapshot()).findings
        #expect(findings.count == 1, "\(findings)")
        let finding = try #require(findings.first)
        #expect(["container", "daemon"].contains(finding.check) && finding.verdict == .problem, "\(finding)")
        #expect(!finding.fix.contains { $0.contains("simulator") || $0.contains("kill") }, "\(finding)")
    }

    @Test func `prints nothing when a package is installed where all is well`() {
        for status in [DaemonStatus.noSocket, .notAnswering] {
            var system = FakeSystem()
            (system.daemon, system.user) = (status, 0)
            let doctor = Doctor(system.snapshot(), onlyPrerequisites: true)
            #expect(DoctorReport(style: .plain).faults(doctor).isEmpty, "\(doctor.findings)")
            system.unplugAll()
            let without = Doctor(system.snapshot(), onlyPrerequisites: true)
            #expect(DoctorReport(style: .plain).faults(without).isEmpty, "\(without.findings)")
        }
    }

    /// What a package can be installed without, and the line that says so.
    private static let missing: [(String, @Sendable (inout FakeSystem) -> Void)] = [
        (
            "nfcd: The kernel module pn533_usb claims ACS ACR122U PICC Interface (072F:2200).",
            {
                $0.files["/proc/modules"] = "pn533_usb 1 1 - Live 0x0\n"
                $0.links["\(FakeSystem.usb)/1-1:1.0/driver"] = "../../bus/usb/drivers/pn533_usb"
            }
        ),
        (
            "nfcd: pcscd is not installed.",
            {
                $0.programs.remove("/usr/sbin/pcscd")
                $0.files[FakeSystem.pcscSocket] = nil
            }
        ),
        (
            "nfcd: pcscd.service is masked: systemd will not start pcscd.",
            { $0.setUnits(.init("pcscd.socket"), .init("pcscd.service", load: "masked", active: "inactive")) }
        ),
        (
            "nfcd: No installed driver supports ACS ACR1552U (072F:2303) (libccid 1.5.2).",
            { $0.plug("1-2", 0x072F, 0x2303, "ACS", "ACR1552U") }
        ),
        (
            "nfcd: pcscd runs as pcscd, which may not open ACS ACR122U PICC Interface (072F:2200).",
            {
                $0.runUnprivileged("2.5.1")
                $0.addNode("1-1")
                $0.files[FakeSystem.plist] = $0.files[FakeSystem.plist]?.replacing("1.5.2", with: "1.8.1")
            }
        ),
    ]

    @Test(arguments: missing.indices)
    func `prints what is missing when a package is installed, with its fix, in two lines`(index: Int) {
        let (line, change) = Self.missing[index]
        var system = FakeSystem()
        change(&system)
        (system.daemon, system.user) = (.noSocket, 0)
        let lines = DoctorReport(style: .plain).faults(Doctor(system.snapshot(), onlyPrerequisites: true))
        #expect(lines.first == line)
        #expect(lines.count == 2 && lines.last?.hasPrefix("nfcd: to fix it, run: ") == true, "\(lines)")
        #expect(lines.last?.contains("sudo") == false)
    }

    @Test func `does not require PC/SC if all readers are simulated`() throws {
        var system = FakeSystem()
        system.daemon = .answered(
            FakeSystem.state([FakeSystem.reader("Simulated Reader 0", id: "simulated-0")]))
        system.files[FakeSystem.pcscSocket] = nil
        system.files[FakeSystem.plist] = nil
        system.unplugAll()
        let doctor = Doctor(system.snapshot())
        #expect(doctor.status == 0)
        #expect(doctor.findings.allSatisfy { $0.verdict == .ok }, "\(doctor.findings)")
    }

    @Test func `takes a suspended reader for a cause only if it does not work`() throws {
        var system = FakeSystem()
        system.files["\(FakeSystem.usb)/1-1/power/control"] = "auto\n"
        let doctor = Doctor(system.snapshot())
        #expect(doctor.findings.allSatisfy { $0.verdict == .ok }, "\(doctor.findings)")
    }

    @Test(arguments: DoctorScenario.all)
    func `ends no nfcd but the one that listens on the socket`(scenario: DoctorScenario) throws {
        for daemons in 0...2 {
            var system = FakeSystem()
            if daemons == 1 { system.runOwnDaemon() }
            if daemons == 2 { system.runSystemDaemon() }
            scenario.change(&system)
            let other = system.socket == "/srv/ada/nfcd.sock" ? "kill 40" : "kill 77"
            for command in Doctor(system.snapshot()).findings.flatMap(\.fix) {
                #expect(!command.contains("pkill -x nfcd") && !command.contains("killall"))
                #expect(!command.contains(other), "\(command)")
            }
        }
    }

    @Test func `gives the same advice once`() throws {
        for scenario in DoctorScenario.all {
            var system = FakeSystem()
            scenario.change(&system)
            let advice = Doctor(system.snapshot()).findings.map(\.fix).filter { !$0.isEmpty }
            #expect(Set(advice).count == advice.count, "\(scenario): \(advice)")
        }
    }

    @Test func `does not advise to unplug a reader that another program holds, or to restart a masked service`() throws
    {
        var system = FakeSystem()
        system.hold()
        #expect(!Doctor(system.snapshot()).findings.contains { $0.detail.contains("nplug") })
        let masked = try #require(DoctorScenario.all.first { $0.testDescription == "a masked pcscd" })
        masked.change(&system)
        #expect(
            !Doctor(system.snapshot()).findings.flatMap(\.fix).contains { $0.contains("restart pcscd.socket pcscd") })
    }

    /// Each is a system where pcscd 2.4.0 or later works with the reader.
    @Test(
        arguments: [
            { $0.addNode("1-1", group: 984) }, { $0.modes["/dev/bus/usb/001/014"] = 0o666 },
            { $0.owners["/dev/bus/usb/001/014"] = 985 }, { $0.owners["/proc/50"] = 0 },
            { $0.daemon = .answered(FakeSystem.state([FakeSystem.reader("ACS ACR122U PICC Interface 00 00")])) },
        ] as [@Sendable (inout FakeSystem) -> Void])
    func `does not say that pcscd may not open a reader that it may open`(change: @Sendable (inout FakeSystem) -> Void)
    {
        var system = FakeSystem()
        system.runUnprivileged("2.5.1")
        system.addNode("1-1")
        system.files[FakeSystem.plist] = FakeSystem.plist(
            readers: [("0x072F", "0x2200", "ACS ACR122U PICC Interface")], version: "1.8.1")
        system.daemon = .answered(FakeSystem.state([]))
        func isRefused(_ system: FakeSystem) -> Bool {
            Doctor(system.snapshot()).findings.contains { $0.summary.contains("may not open") }
        }
        #expect(isRefused(system))
        change(&system)
        #expect(!isRefused(system))
    }

    @Test(arguments: ["2.4.1", "2.5.1", "2.6.0"])
    func `does not report the fault of pcscd 2.5.0 of another version`(version: String) {
        var system = FakeSystem()
        system.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version \(version).\n")
        system.addDescriptors("1-1", slots: 3)
        #expect(!Doctor(system.snapshot()).findings.contains { $0.summary.contains("slot") })
    }

    @Test func `does not judge a user's own nfcd by the system's units`() throws {
        var system = FakeSystem()
        system.runOwnDaemon()
        system.answers["systemctl"] = CommandResult(status: 0, output: FakeSystem.systemd(socket: "failed"))
        let doctor = Doctor(system.snapshot())
        #expect(doctor.findings.allSatisfy { $0.verdict == .ok }, "\(doctor.findings)")
    }

    @Test(arguments: [
        "nfcd\0--config\0/srv/ada/my nfcd.toml\0--socket\0/srv/ada/nfcd.sock\0",
        "nfcd\0--config=/srv/ada/my nfcd.toml\0",
    ])
    func `checks the file that the running nfcd was started with`(command: String) throws {
        var system = FakeSystem()
        system.runOwnDaemon()
        system.files["/proc/77/cmdline"] = command
        system.files["/srv/ada/my nfcd.toml"] = ""
        system.answers["nfcd"] = CommandResult(status: 78, output: "nfcd: /srv/ada/my nfcd.toml:1: x")
        let findings = Doctor(system.snapshot()).findings.filter { $0.check == "configuration" }
        #expect(findings.map(\.summary) == ["/srv/ada/my nfcd.toml is invalid; nfcd does not start with it."])
        system.files["/srv/ada/my nfcd.toml"] = nil
        #expect(Doctor(system.snapshot()).findings.contains { $0.summary.contains("/srv/ada/my nfcd.toml") })
    }

    @Test func `does not say that there is no file where nfcd may have another one`() {
        var system = FakeSystem()
        system.runOwnDaemon()
        system.files["/etc/nfcd/nfcd.toml"] = nil
        #expect(
            Doctor(system.snapshot()).findings.contains { $0.summary.contains("without --config uses its defaults") })
    }

    @Test func `shows a free socket for a simulator while nfcd has its own`() {
        var system = FakeSystem()
        system.runOwnDaemon()
        system.unplugAll()
        system.daemon = .answered(FakeSystem.state([]))
        let commands = Doctor(system.snapshot()).findings.flatMap(\.fix).filter { $0.contains("simulator") }
        #expect(commands == ["nfcctl simulator --socket /tmp/nfcd.sock &"])
    }

    @Test func `shows quotation marks of a message unchanged`() {
        var system = FakeSystem()
        system.answers["nfcd"] = CommandResult(
            status: 0, output: "x: ok\nwarning: grant 1 has no readers; add readers = [\"*\"]\n")
        #expect(Doctor(system.snapshot()).findings.contains { $0.detail.contains(#"add readers = ["*"]"#) })
    }

    @Test(arguments: [
        ("ID=debian\n", "apt-get install pcscd libccid"),
        ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt-get install pcscd libccid"),
        ("ID=fedora\n", "dnf install pcsc-lite pcsc-lite-ccid"),
        ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install pcsc-lite pcsc-lite-ccid"),
        ("ID=arch\n", "pacman -S pcsclite ccid"),
        ("NAME=x\nID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "zypper install pcsc-lite pcsc-ccid"),
        ("ID=alpine\n", "apk add pcsc-lite ccid"), ("ID=nixos\n", "apt-get install pcscd libccid"),
    ])
    func `names the packages of the distribution`(release: String, command: String) {
        var system = FakeSystem()
        system.files["/etc/os-release"] = release
        system.programs.remove("/usr/sbin/pcscd")
        system.files[FakeSystem.pcscSocket] = nil
        system.daemon = .noSocket
        #expect(Doctor(system.snapshot()).findings.flatMap(\.fix).contains("sudo \(command)"))
    }

    @Test(arguments: [UInt16(0x2303), 0x2308])
    func `does not advise a driver that does not know the reader`(product: UInt16) throws {
        var system = FakeSystem()
        system.unplugAll()
        system.plug("1-2", 0x072F, product, "ACS", "ACR1552U")
        let finding = try #require(Doctor(system.snapshot()).findings.first { $0.check == "driver" })
        #expect(
            finding.detail.contains("libccid 1.5.3 or later")
                && finding.detail.contains("does not know the reader either"))
        #expect(!finding.fix.contains { $0.contains("acsccid") })
    }

    @Test func `exits with the code of the root cause`() throws {
        var system = FakeSystem()
        (system.daemon, system.groups) = (.notPermitted, [71_234])
        #expect(Doctor(system.snapshot()).status == 77)
        system.answers["nfcd"] = CommandResult(status: 78, output: "nfcd: x")
        #expect(Doctor(system.snapshot()).status == 78)
        system.files[FakeSystem.pcscSocket] = nil
        #expect(Doctor(system.snapshot()).status == 78)
    }

    @Test func `shows nfcd's messages about its configuration`() throws {
        var system = FakeSystem()
        system.answers["nfcd"] = CommandResult(
            status: 78, output: "nfcd: /etc/nfcd/nfcd.toml:3: session.timeuot: unknown key\u{1B}[2J\n")
        let finding = try #require(Doctor(system.snapshot()).findings.first { $0.check == "configuration" })
        #expect(finding.detail.hasPrefix("/etc/nfcd/nfcd.toml:3: session.timeuot: unknown key"))
        #expect(!finding.detail.contains("\u{1B}"))
        // The daemon still runs with the configuration that it read before.
        #expect(finding.verdict == .warning)
    }

    @Test func `does not warn if there is a polkit rule, or if the rules cannot be read`() throws {
        var system = FakeSystem()
        system.daemon = .noSocket
        system.answers["pcscd"] = CommandResult(status: 0, output: "pcsc-lite version 2.3.0.\npolkit\n")
        system.files["/usr/share/polkit-1/rules.d/nfcd.rules"] = #"["org.debian.pcsc-lite.access_pcsc"]"#
        let findings = Doctor(system.snapshot()).findings.filter { $0.check == "pcscd" }
        #expect(findings.map(\.verdict) == [.ok])

        system.closed = ["/usr/share/polkit-1/rules.d"]
        #expect(Doctor(system.snapshot()).findings.filter { $0.check == "pcscd" }.map(\.verdict) == [.ok])
    }

    @Test func `prints one line of JSON per finding`() throws {
        let finding = Finding(
            check: "pcscd", verdict: .problem, summary: "s", detail: "d", fix: ["sudo pcscd"], code: .notPermitted)
        let line = String(decoding: try JSONLine.encode(finding), as: UTF8.self)
        #expect(
            line.trimmed
                == #"{"check":"pcscd","detail":"d","fix":["sudo pcscd"],"summary":"s","verdict":"problem"}"#)
    }
}

/// Invalid files do not prevent a check from running.
@Suite(.serialized)
struct `The doctor with invalid files` {
    static let junk: [(name: String, content: String)] = [
        ("empty", ""), ("a newline", "\n"), ("zeros", String(repeating: "\0", count: 5000)),
        ("colons", String(repeating: ":", count: 5000)), ("one long line", String(repeating: "x", count: 100_000)),
        ("many lines", String(repeating: "blacklist a\n0x\n", count: 2_000)),
        ("numbers out of range", "root:x:99999999999999999999:-1::\nnfc:x:4294967296:ada\n"),
        ("escape sequences", "\u{1B}[2J\u{1B}]0;x\u{7}\n"), ("spaces", "   \t  \n   \n"),
        ("deep", "<plist><dict>" + String(repeating: "<array>", count: 2_000)),
        ("wrong types", "<plist version=\"1.0\"><dict><key>ifdVendorID</key><dict/></dict></plist>"),
    ]

    @Test(arguments: junk.map(\.name))
    func `runs all checks, whichever file is invalid`(name: String) throws {
        let content = try #require(Self.junk.first { $0.name == name }).content
        for path in FakeSystem().files.keys {
            var system = FakeSystem()
            system.files[path] = content
            let doctor = Doctor(system.snapshot())
            #expect(!doctor.findings.isEmpty)
            #expect(doctor.findings.allSatisfy { !$0.summary.contains("\u{1B}") && !$0.detail.contains("\u{1B}") })
        }
    }

    @Test func `ignores a truncated Info.plist`() throws {
        let whole = FakeSystem.plist(readers: [("0x072F", "0x2200", "A"), ("7", "8", "B"), ("0x1FFFF", "x", "C")])
        for length in stride(from: 0, to: whole.utf8.count, by: 7) {
            var system = FakeSystem()
            system.files[FakeSystem.plist] = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
            let snapshot = system.snapshot()
            #expect(snapshot.bundles.allSatisfy { $0.readers.count <= 2 })
            if snapshot.bundles.isEmpty {
                #expect(Doctor(snapshot).findings.contains { $0.summary.contains("cannot be read") })
            }
        }
        var system = FakeSystem()
        system.files[FakeSystem.plist] = whole
        let readers = try #require(system.snapshot().bundles.first).readers
        #expect(
            readers == [USBIdentity(vendor: 0x072F, product: 0x2200): "A", USBIdentity(vendor: 7, product: 8): "B"])
    }

    @Test func `accepts a single string instead of a list in Info.plist`() throws {
        var system = FakeSystem()
        let list = "<key>ifdVendorID</key><string>0x1</string><key>ifdProductID</key><string>2</string>"
        system.files[FakeSystem.plist] =
            "<plist version=\"1.0\"><dict>\(list)<key>ifdFriendlyName</key><string>N</string></dict></plist>"
        #expect(system.snapshot().bundles.first?.readers == [USBIdentity(vendor: 1, product: 2): "N"])
    }

    @Test func `accepts any output of other programs`() throws {
        for (_, content) in Self.junk {
            var system = FakeSystem()
            for name in system.answers.keys { system.answers[name] = CommandResult(status: 3, output: content) }
            #expect(!Doctor(system.snapshot()).findings.isEmpty)
        }
        var system = FakeSystem()
        system.answers = [:]
        #expect(Doctor(system.snapshot()).status == 0)
    }

    @Test func `reads at most the limit`() throws {
        let scratch = try Scratch()
        let path = try scratch.file("long", "AAAAAA\nB")
        let files = MachineFiles()
        #expect(files.bytes(path, limit: 3) == [65, 65, 65])
        #expect(files.lines(path) == ["AAAAAA", "B"])
        #expect(files.bytes(scratch.path, limit: 3) == nil)
        #expect(files.bytes("\(path)-not", limit: 3) == nil)
    }

    @Test func `reads files, directories, links and pipes of this machine`() throws {
        let scratch = try Scratch()
        let path = try scratch.file("file", "some text\n")
        chmod(path, 0o640)
        symlink("../far/away", "\(scratch.path)/link")
        mkfifo("\(scratch.path)/pipe", 0o600)
        let files = MachineFiles()
        #expect(files.names(in: scratch.path) == ["file", "link", "pipe"])
        #expect(files.linkedName("\(scratch.path)/link") == "away")
        #expect(
            files.attributes(path) == FileAttributes(mode: 0o640, user: geteuid(), group: getegid(), isFolder: false))
        #expect(files.attributes(scratch.path)?.isFolder == true)
        #expect(files.exists(path) && files.canRead(path) && !files.canRun(path) && !files.canRun(scratch.path))
        #expect(files.contains("me te", in: path) && !files.contains("metal", in: path))
        // The pipe has no writer; reading must not block.
        #expect(files.bytes("\(scratch.path)/pipe", limit: 10) == [])
    }
}

/// `nfcctl doctor` on this machine, whatever its state is.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `nfcctl doctor` {
    private struct Line: Decodable {
        let check: String
        let verdict: String
        let summary: String
        let detail: String
        let fix: [String]
    }

    private func lines(_ finished: Finished) throws -> [Line] {
        try finished.output.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `finds no problem with a daemon with simulated readers`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let finished = try await daemon.run("doctor", "--json")
        #expect(finished.status == 0)
        let lines = try lines(finished)
        #expect(lines.last?.check == "all")
        #expect(lines.first?.summary.contains(daemon.socket) == true)
        #expect(lines.contains { $0.check == "readers" && $0.summary.contains("Simulated Reader 0") })
        let text = try await daemon.run("doctor")
        #expect(text.status == 0)
        #expect(text.output.first?.hasPrefix("ok ") == true)
        #expect(!text.output.contains { $0.contains("\u{1B}") })
        await daemon.process.end()
    }

    @Test func `without a daemon, shows how to start it and exits with 69 or more`() async throws {
        let finished = try await run([Programs.nfcctl, "doctor", "--json", "--socket", "/nonexistent/nfcd.sock"])
        #expect([69, 78].contains(finished.status))
        let daemon = try #require(try lines(finished).first { $0.check == "daemon" })
        #expect(daemon.verdict == "problem")
        #expect(daemon.fix.first == "nfcd --socket /nonexistent/nfcd.sock")
    }

    @Test func `distinguishes a stale socket from a missing one`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        await daemon.process.end(SIGKILL)
        let finished = try await daemon.run("doctor", "--json")
        #expect(try lines(finished).first?.summary.hasPrefix("No program listens") == true)
    }

    @Test func `stops waiting for a daemon that does not answer`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        daemon.process.signal(SIGSTOP)
        defer { daemon.process.signal(SIGCONT) }
        let answer = await DaemonProbe(path: daemon.socket, hasSocket: true, limit: .milliseconds(200)).status()
        guard case .notAnswering = answer else { throw TestError("\(answer)") }
    }

    @Test func `reports why nfcd cannot access readers`() async throws {
        let scratch = try Scratch()
        // libpcsclite connects to a socket that does not exist.
        let daemon = try ChildProcess(
            [Programs.nfcd, "--socket", "\(scratch.path)/s"], environment: ["PCSCLITE_CSOCK_NAME": "\(scratch.path)/p"])
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        let answer = await DaemonProbe(path: "\(scratch.path)/s", hasSocket: true, limit: .seconds(50)).status()
        #expect(answer.state?.serviceProblem?.contains("0x8010001D") == true)
        // `nfcctl readers` in the same situation.
        let readers = try await run([Programs.nfcctl, "readers", "--socket", "\(scratch.path)/s"])
        #expect(readers.status == 69)
        #expect(readers.errors.first?.contains("nfcctl doctor") == true)
        await daemon.end()
    }

    @Test func `runs a program with a time limit and an output limit`() {
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
        #expect(long?.output.utf8.count == CommandRunner.maximumOutputLength)
    }
}
