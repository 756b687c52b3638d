import Foundation
import Testing

/// The files for systemd, polkit and modprobe, checked with the tools that read them.
@Suite(.timeLimit(.minutes(20))) struct `System integration files` {
    private static let root = `The README`.root
    private static let units = ["nfcd.socket", "nfcd.service", "nfcd-relay.service", "nfcd-fido.service"]

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The lines that are not comments.
    private func lines(_ path: String) throws -> [String] {
        try text(path).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// A directory with the units, the programs that they start, and the files that they refer to.
    private func system() throws -> Scratch {
        let scratch = try Scratch()
        for folder in ["usr/lib/systemd/system", "usr/bin", "bin"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(folder)", withIntermediateDirectories: true)
        }
        for program in ["usr/bin/nfcd", "usr/bin/nfcd-relay", "usr/bin/nfcd-fido", "bin/kill"] {
            chmod(try scratch.file(program, "#!/bin/sh\n"), 0o755)
        }
        for unit in Self.units {
            _ = try scratch.file("usr/lib/systemd/system/\(unit)", try text("systemd/\(unit)"))
        }
        for unit in ["sysinit", "sockets", "basic", "multi-user", "network", "shutdown"] {
            _ = try scratch.file("usr/lib/systemd/system/\(unit).target", "[Unit]\nDescription=\(unit)\n")
        }
        return scratch
    }

    @Test func `the units are valid`() async throws {
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let system = try system()
        let finished = try await run(
            ["systemd-analyze", "verify", "--man=no", "--root=\(system.path)"] + Self.units)
        #expect(finished.status == 0)
        #expect(finished.output + finished.errors == [])
    }

    @Test func `nfcd-desktop runs in sessions with a screen, is valid, and leaves what it has opened`() async throws {
        let lines = try lines("systemd/user/nfcd-desktop.service")
        for line in [
            "PartOf=graphical-session.target", "Requisite=graphical-session.target",
            "WantedBy=graphical-session.target",
            "KillMode=process",
        ] { #expect(lines.contains(line), "\(line)") }
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let scratch = try Scratch()
        let unit = try scratch.file(
            "nfcd-desktop.service",
            try text("systemd/user/nfcd-desktop.service").replacing("/usr/bin/nfcd-desktop", with: "/bin/true"))
        let finished = try await run(
            ["systemd-analyze", "verify", "--user", "--man=no", unit], environment: ["XDG_RUNTIME_DIR": scratch.path])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    @Test func `the desktop file and the metainfo are valid`() async throws {
        let files = Self.root.appending(path: "Config/desktop").path
        if try await Programs.found(["desktop-file-validate"]) {
            let finished = try await run(["desktop-file-validate", "\(files)/org.nfcd.Desktop.desktop"])
            #expect(finished.status == 0 && finished.output + finished.errors == [])
        }
        if try await Programs.found(["appstreamcli"]) {
            let finished = try await run(
                ["appstreamcli", "validate", "--no-net", "\(files)/org.nfcd.Desktop.metainfo.xml"])
            #expect(finished.status == 0, "\(finished.output)")
        }
    }

    /// The limits are in tenths.
    @Test(arguments: [("nfcd.service", 15), ("nfcd-relay.service", 25), ("nfcd-fido.service", 15)])
    func `a service has a low exposure level`(unit: String, limit: Int) async throws {
        guard try await Programs.found(["systemd-analyze"]) else { return }
        let system = try system()
        let finished = try await run([
            "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=\(limit)",
            "--root=\(system.path)", unit,
        ])
        #expect(finished.status == 0, "\(finished.output.suffix(2))")
    }

    @Test(arguments: [
        ("[journal]\nenabled = true\n", true),
        ("[log]\nlevel = \"info\"\n[ journal ] # taps\n  enabled=true # on\n", true),
        ("\u{FEFF}[journal]\r\nmax-taps = 5\r\nenabled = true\r\n", true), ("journal.enabled = true\n", true),
        ("journal = { max-taps = 5, enabled = true }\n", true), ("[\"journal\"]\n'enabled' = true\n", true),
        ("[[grant]]\nuser = \"ada\"\n[journal]\nenabled = true", true), ("", false), ("[journal]\n", false),
        ("[journal]\n# enabled = true\n", false), ("[journal]\nenabled = false\n", false),
        ("# [journal]\nenabled = true\n", false), ("[journal]\nmax-taps = 5\n[other]\nenabled = true\n", false),
        ("[other]\njournal.enabled = true\n", false), ("[journal]\nenabled = truely\n", false),
    ])
    func `nfcd starts at boot if its file enables the journal`(text: String, starts: Bool) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", text)
        let units = "\(scratch.path)/units"
        let finished = try await run(
            [Self.root.appending(path: "systemd/nfcd-generator").path, units, units, units],
            environment: ["NFCD_CONFIGURATION": file])
        #expect(finished.status == 0 && finished.output + finished.errors == [])
        let wanted = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "\(units)/multi-user.target.wants/nfcd.service")
        #expect(wanted.map { $0.hasSuffix("/system/nfcd.service") } == (starts ? true : nil))
    }

    @Test func `without a configuration nfcd does not start at boot`() async throws {
        let scratch = try Scratch()
        let finished = try await run(
            [Self.root.appending(path: "systemd/nfcd-generator").path, scratch.path, scratch.path, scratch.path],
            environment: ["NFCD_CONFIGURATION": "\(scratch.path)/missing"])
        #expect(finished.status == 0 && finished.output + finished.errors == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test(arguments: ["systemd/nfcd.service", "systemd/user/nfcd.service"])
    func `a service is restarted, except after a configuration error`(path: String) throws {
        let lines = try lines(path)
        for line in [
            "Type=notify", "Restart=on-failure", "RestartPreventExitStatus=64 78", "WatchdogSec=90",
            "Requires=nfcd.socket", "NoNewPrivileges=yes",
        ] {
            #expect(lines.contains(line), "\(path): \(line)")
        }
    }

    @Test(arguments: ["systemd/nfcd-relay.service", "systemd/user/nfcd-relay.service"])
    func `the relay may use the network, keeps its state, and is restarted`(path: String) throws {
        let lines = try lines(path)
        for line in [
            "Restart=on-failure", "RestartPreventExitStatus=64 78", "StateDirectory=nfcd-relay",
            "RuntimeDirectory=nfcd-relay", "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "NoNewPrivileges=yes",
        ] {
            #expect(lines.contains(line), "\(path): \(line)")
        }
    }

    @Test func `nfcd-fido may open one device, and has no network`() throws {
        let lines = try lines("systemd/nfcd-fido.service")
        for line in [
            "Type=notify", "Restart=on-failure", "RestartPreventExitStatus=64 78", "ConditionPathExists=/dev/uhid",
            "DevicePolicy=closed", "DeviceAllow=/dev/uhid rw", "PrivateDevices=no", "PrivateNetwork=yes",
            "RestrictAddressFamilies=AF_UNIX", "User=nfcd-fido", "NoNewPrivileges=yes", "CapabilityBoundingSet=",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let rules = try self.lines("Config/udev/70-nfcd-fido.rules").joined()
        #expect(rules.contains("static_node=uhid") && !rules.contains("uaccess"))
    }

    @Test func `sockets have the path and the permissions that clients expect`() throws {
        let system = try lines("systemd/nfcd.socket")
        for line in ["ListenStream=/run/nfcd/nfcd.sock", "SocketMode=0660", "SocketGroup=nfc"] {
            #expect(system.contains(line), "\(line)")
        }
        let user = try lines("systemd/user/nfcd.socket")
        for line in ["ListenStream=%t/nfcd/nfcd.sock", "SocketMode=0600", "DirectoryMode=0700"] {
            #expect(user.contains(line), "\(line)")
        }
    }

    @Test func `the user and the group are created`() async throws {
        guard try await Programs.found(["systemd-sysusers"]) else { return }
        let system = try system()
        let files = ["nfcd.conf", "nfcd-relay.conf", "nfcd-fido.conf"].map {
            Self.root.appending(path: "Config/sysusers.d/\($0)").path
        }
        let finished = try await run(["systemd-sysusers", "--dry-run", "--root=\(system.path)"] + files)
        #expect(finished.status == 0, "\(finished.errors)")
        let text = (finished.output + finished.errors).joined(separator: "\n")
        for account in ["group 'nfc'", "user 'nfcd'", "user 'nfcd-relay'", "user 'nfcd-fido'"] {
            #expect(text.contains("Creating \(account)"), "\(text)")
        }
    }

    @Test func `the polkit rule permits nfcd to use readers, and nothing else`() async throws {
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

    @Test func `the kernel drivers are blacklisted`() throws {
        #expect(
            try lines("Config/modprobe.d/nfcd.conf") == ["blacklist pn533_usb", "blacklist pn533", "blacklist nfc"])
    }
}
