import Foundation
import Testing

/// The files that systemd, polkit and modprobe read, by the tools that know them.
@Suite(.timeLimit(.minutes(5))) struct `What is shipped for the system` {
    private static let root = `The README`.root

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The lines that are no comments.
    private func lines(_ path: String) throws -> [String] {
        try text(path).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// A folder that looks like a system with the units, the programs they start, and what they refer to.
    private func system() throws -> Scratch {
        let scratch = try Scratch()
        for folder in ["usr/lib/systemd/system", "usr/bin", "bin"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(folder)", withIntermediateDirectories: true)
        }
        for program in ["usr/bin/nfcd", "bin/kill"] {
            chmod(try scratch.file(program, "#!/bin/sh\n"), 0o755)
        }
        for unit in ["nfcd.socket", "nfcd.service"] {
            _ = try scratch.file("usr/lib/systemd/system/\(unit)", try text("systemd/\(unit)"))
        }
        for unit in ["sysinit", "sockets", "basic", "multi-user", "shutdown"] {
            _ = try scratch.file("usr/lib/systemd/system/\(unit).target", "[Unit]\nDescription=\(unit)\n")
        }
        return scratch
    }

    @Test func `units are right`() async throws {
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let system = try system()
        let finished = try await run([
            "systemd-analyze", "verify", "--man=no", "--root=\(system.path)", "nfcd.socket", "nfcd.service",
        ])
        #expect(finished.status == 0)
        #expect(finished.output + finished.errors == [])
    }

    @Test func `the service is exposed to little`() async throws {
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let system = try system()
        // Tenths: 1.5 at most.
        let finished = try await run([
            "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=15", "--root=\(system.path)",
            "nfcd.service",
        ])
        #expect(finished.status == 0, "\(finished.output.suffix(2))")
    }

    @Test(arguments: ["systemd/nfcd.service", "systemd/user/nfcd.service"])
    func `a service is restarted, but not for a mistake in its configuration`(path: String) throws {
        let lines = try lines(path)
        for line in [
            "Type=notify", "Restart=on-failure", "RestartPreventExitStatus=64 78", "WatchdogSec=90",
            "Requires=nfcd.socket", "NoNewPrivileges=yes",
        ] {
            #expect(lines.contains(line), "\(path): \(line)")
        }
    }

    @Test func `sockets are where clients look, for those who may`() throws {
        let system = try lines("systemd/nfcd.socket")
        for line in ["ListenStream=/run/nfcd/nfcd.sock", "SocketMode=0660", "SocketGroup=nfc"] {
            #expect(system.contains(line), "\(line)")
        }
        let user = try lines("systemd/user/nfcd.socket")
        for line in ["ListenStream=%t/nfcd/nfcd.sock", "SocketMode=0600", "DirectoryMode=0700"] {
            #expect(user.contains(line), "\(line)")
        }
    }

    @Test func `the user and the group are made`() async throws {
        guard try await Programs.found(["systemd-sysusers"]) else { return }
        let system = try system()
        let file = Self.root.appending(path: "Config/sysusers.d/nfcd.conf").path
        let finished = try await run(["systemd-sysusers", "--dry-run", "--root=\(system.path)", file])
        #expect(finished.status == 0, "\(finished.errors)")
        let said = (finished.output + finished.errors).joined(separator: "\n")
        #expect(said.contains("Creating group 'nfc'") && said.contains("Creating user 'nfcd'"), "\(said)")
    }

    @Test func `polkit lets nfcd use readers, and decides nothing else`() async throws {
        guard try await Programs.found(["node"]) else { return }
        let ask = """
            const ids = ["access_pcsc", "access_card", "other"].map(name => "org.debian.pcsc-lite." + name);
            for (const user of ["nfcd", "nfc"])
                console.log(user, ...ids.map(id => rule({ id: id }, { user: user })));
            """
        let prologue = """
            let rule; const polkit = { addRule: made => { rule = made; },
                Result: { YES: "yes", NOT_HANDLED: "not-handled" } };
            """
        let finished = try await run(["node", "-e", prologue + (try text("Config/polkit/nfcd.rules")) + ask])
        #expect(finished.errors == [])
        #expect(finished.output == ["nfcd yes yes not-handled", "nfc not-handled not-handled not-handled"])
    }

    @Test func `the kernel's drivers are kept off the readers`() throws {
        #expect(
            try lines("Config/modprobe.d/nfcd.conf") == ["blacklist pn533_usb", "blacklist pn533", "blacklist nfc"])
    }
}
