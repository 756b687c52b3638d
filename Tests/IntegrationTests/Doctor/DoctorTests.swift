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
