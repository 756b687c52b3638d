import Foundation
import Testing

@testable import nfcctl

/// `make install` and `make uninstall`, in a temporary directory.
@Suite(.timeLimit(.minutes(20)))
struct `Installing` {
    /// A directory that replaces the root, and the files that are installed there.
    struct Target {
        let staged: StagedPrograms
        let prefix: String
        var root: String { "\(staged.scratch.path)/a root" }

        /// Runs Scripts/products/install, which has to succeed, and returns its output.
        @discardableResult
        func install(_ arguments: String...) async throws -> [String] {
            let done = try await run(
                [Repository.script("products/install")] + arguments,
                environment: ["DESTDIR": root, "PREFIX": prefix, "STAGE": staged.path])
            guard done.status == 0, done.errors.isEmpty else { throw TestError("Scripts/products/install: \(done)") }
            return done.output
        }

        /// The paths of all files, relative to the root.
        func files() throws -> [String] {
            let below = try FileManager.default.subpathsOfDirectory(atPath: root)
            return below.filter { FileManager.default.contents(atPath: "\(root)/\($0)") != nil }.sorted()
        }

        func text(_ path: String) throws -> String {
            try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
        }
    }

    @Test(arguments: ["/usr", "/usr/local"])
    func `installs everything under the prefix, and uninstalls it again`(prefix: String) async throws {
        guard let staged = try await StagedPrograms() else { return }
        let target = Target(staged: staged, prefix: prefix)
        try await target.install()
        let files = try target.files()
        let zsh = prefix == "/usr" ? "vendor-completions" : "site-functions"
        for path in [
            "bin/nfcd", "bin/nfcctl", "lib/systemd/system/nfcd.socket", "lib/systemd/user/nfcd.service",
            "lib/systemd/system-generators/nfcd-generator",
            "lib/sysusers.d/nfcd.conf", "lib/modprobe.d/nfcd.conf",
            "share/man/man1/nfcctl-ndef-encode.1.gz", "share/man/man5/nfcd.toml.5.gz", "share/man/man8/nfcd.8.gz",
            "share/man/man1/nfcctl-keys-rotate.1.gz", "share/man/man5/keys.toml.5.gz",
            "share/doc/nfcd/examples/keys.toml",
            "share/bash-completion/completions/nfcctl", "share/zsh/\(zsh)/_nfcctl",
            "bin/nfcd-relay", "lib/systemd/system/nfcd-relay.service",
            "lib/systemd/user/nfcd-relay.service", "lib/sysusers.d/nfcd-relay.conf", "share/man/man8/nfcd-relay.8.gz",
            "share/man/man5/relay.toml.5.gz", "share/zsh/\(zsh)/_nfcd-relay", "bin/nfcd-fido",
            "lib/systemd/system/nfcd-fido.service", "lib/sysusers.d/nfcd-fido.conf", "share/man/man8/nfcd-fido.8.gz",
            "share/man/man5/fido.toml.5.gz", "bin/nfcd-web", "share/man/man1/nfcd-web.1.gz",
            "share/man/man5/web.toml.5.gz",
            "bin/nfcd-desktop", "lib/systemd/user/nfcd-desktop.service", "share/man/man1/nfcd-desktop.1.gz",
            "share/man/man5/desktop.toml.5.gz",
            "share/webext/nfcd/chromium/manifest.json", "share/webext/nfcd/firefox/page/reader.js",
        ] {
            #expect(files.contains("\(prefix.dropFirst())/\(path)"), "\(path)")
        }
        for path in [
            "etc/nfcd/nfcd.toml", "etc/nfcd/relay.toml", "etc/nfcd/fido.toml",
            "usr/lib/udev/rules.d/70-nfcd-fido.rules",
            "usr/lib/modules-load.d/nfcd-fido.conf", "etc/nfcd/web.toml", "etc/nfcd/desktop.toml",
            "usr/share/applications/org.nfcd.Desktop.desktop", "usr/share/metainfo/org.nfcd.Desktop.metainfo.xml",
            // polkit 122 and fish do not look in /usr/local.
            prefix == "/usr" ? "usr/share/polkit-1/rules.d/nfcd.rules" : "etc/polkit-1/rules.d/nfcd.rules",
            prefix == "/usr" ? "usr/share/fish/vendor_completions.d/nfcd.fish" : "etc/fish/completions/nfcd.fish",
        ] {
            #expect(files.contains(path), "\(path)")
        }
        try checkWeb(target, prefix)
        let version = try await run(["\(target.root)\(prefix)/bin/nfcctl", "--version"])
        #expect(version.status == 0)

        try await target.install("--uninstall")
        #expect(try target.files().isEmpty)
        for folder in Self.extensions { #expect(!FileManager.default.fileExists(atPath: "\(target.root)/\(folder)")) }
    }

    /// The host manifest of each browser, and the folder where it finds the extension.
    private static let extensions = [
        "usr/share/chromium/extensions/nfcd",
        "usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/web-nfc@nfcd",
    ]
    private static let manifests = ["etc/chromium", "etc/opt/chrome", "usr/lib/mozilla"].map {
        "\($0)/native-messaging-hosts/org.nfcd.web.json"
    }

    /// The links work wherever the root is, and the doctor finds no fault with the manifests but the path of the root.
    private func checkWeb(_ target: Target, _ prefix: String) throws {
        for (folder, browser) in zip(Self.extensions, ["chromium", "firefox"]) {
            let text = try target.text("\(folder)/manifest.json")
            let original = try target.text("\(prefix.dropFirst())/share/webext/nfcd/\(browser)/manifest.json")
            #expect(text == original)
        }
        for (path, kind) in zip(Self.manifests, [WebBrowser.Kind.chromium, .chrome, .firefox]) {
            let data = Data(try target.text(path).utf8)
            let manifest = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(path == "\(kind.systemManifests.dropFirst())/org.nfcd.web.json")
            #expect(manifest["name"] as? String == WebBrowser.host && manifest["type"] as? String == "stdio")
            #expect(manifest["path"] as? String == "\(prefix)/bin/nfcd-web")
            let allowed = manifest[kind == .firefox ? "allowed_extensions" : "allowed_origins"] as? [String]
            #expect(allowed == [kind.allowed])
        }
    }

    @Test func `keeps a host manifest that was changed`() async throws {
        guard let staged = try await StagedPrograms() else { return }
        let target = Target(staged: staged, prefix: "/opt/nfc")
        try await target.install()
        let changed = try target.text(Self.manifests[1]).replacing("/\"]", with: "/\", \"chrome-extension://own/\"]")
        try changed.write(toFile: "\(target.root)/\(Self.manifests[1])", atomically: false, encoding: .utf8)
        let reports = [try await target.install(), try await target.install("--uninstall")]
        for report in reports {
            #expect(report.contains { $0.contains(": kept ") && $0.contains(Self.manifests[1]) }, "\(report)")
        }
        #expect(try target.files() == [Self.manifests[1]])
        #expect(try target.text(Self.manifests[1]) == changed)
    }

    @Test func `sets the paths of the programs in the units`() async throws {
        guard let staged = try await StagedPrograms() else { return }
        let target = Target(staged: staged, prefix: "/opt/nfc")
        try await target.install()
        for unit in ["nfcd", "nfcd-relay"].flatMap({ ["system/\($0).service", "user/\($0).service"] })
            + ["system/nfcd-fido.service", "user/nfcd-desktop.service"]
        {
            // systemd does not look below any prefix.
            let lines = try target.text("etc/systemd/\(unit)").split(separator: "\n")
            let starts = lines.filter { $0.hasPrefix("ExecStart=") }
            #expect(starts.count == 1 && starts.allSatisfy { $0.hasPrefix("ExecStart=/opt/nfc/bin/nfcd") })
        }
    }

    @Test func `keeps a changed configuration`() async throws {
        guard let staged = try await StagedPrograms() else { return }
        let target = Target(staged: staged, prefix: "/usr")
        try await target.install()
        let changed = "[session]\ntimeout = 45\n"
        try changed.write(toFile: "\(target.root)/etc/nfcd/nfcd.toml", atomically: false, encoding: .utf8)
        #expect(try await target.install().contains { $0.contains("kept ") })
        #expect(try target.text("etc/nfcd/nfcd.toml") == changed)
        #expect(try await target.install("--uninstall").contains { $0.contains("which was changed") })
        #expect(try target.files() == ["etc/nfcd/nfcd.toml"])
    }

    @Test(.enabled(if: geteuid() == 0), arguments: ["nfcd-relay", "nfcd-fido", "nfcd"])
    func `leaves no secret to the next owner of its numbers when it is purged`(package: String) async throws {
        let scratch = try Scratch()
        let file = Repository.file("packaging/\(package)/postrm")
        // Any account instead of the one that is removed, and any folder instead of /etc/nfcd.
        let script = try String(contentsOf: file, encoding: .utf8)
            .replacing("/etc/nfcd", with: "\(scratch.path)/etc").replacing("/run/", with: "\(scratch.path)/run/")
            .replacing("/var/lib/", with: "\(scratch.path)/var/").replacing(
                "-group \(package) ", with: "-group daemon "
            )
            .replacing("-group $group", with: "-group daemon").replacing("-user \(package) ", with: "-user daemon ")
        for command in ["deb-systemd-helper", "userdel", "groupdel", "udevadm", "systemctl"] {
            chmod(try scratch.file(command, "#!/bin/sh\n"), 0o755)
        }
        let secrets = "\(scratch.path)/etc/secrets"
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: true)
        let secret = try scratch.file("etc/secrets/till", "whsec_")
        chmod(secret, 0o640)
        let daemon = try #require(getgrnam("daemon")?.pointee.gr_gid)
        for path in [secrets, secret] { try #require(chown(path, daemon, daemon) == 0) }
        let done = try await run(["/bin/sh", "-c", "PATH=\(scratch.path):$PATH; \(script)", "postrm", "purge"])
        #expect(done.status == 0, "\(done)")
        for path in [secrets, secret] {
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_uid == 0 && status.st_gid == 0, "\(path)")
        }
    }

    @Test func `reports if nothing was built, and rejects unknown options`() async throws {
        let scratch = try Scratch()
        let environment = ["DESTDIR": scratch.path, "STAGE": "\(scratch.path)/nothing"]
        let without = try await run([Repository.script("products/install")], environment: environment)
        #expect(without.status == 66)
        #expect(without.errors.first?.contains("make release") == true)
        let unknown = try await run([Repository.script("products/install"), "--remove"], environment: environment)
        #expect(unknown.status == 64)
        let relative = try await run(
            [Repository.script("products/install")], environment: environment.merging(["PREFIX": "usr"]) { $1 })
        #expect(relative.status == 64)
    }
}

/// The Debian package: its control file, and the results of lintian. `make boot-test` installs it on a system that boots.
@Suite(.serialized)
struct `The Debian package` {
    /// The packages of a build, the libraries that each needs, and its conffiles.
    static let packages: [(name: String, needs: [String], without: String, conffiles: [String])] = [
        ("nfcd", ["libc6", "libpcsclite1", "libssl3", "libstdc++6", "pcscd"], "libmosquitto", ["/etc/nfcd/nfcd.toml"]),
        ("nfcd-relay", ["libc6", "libcurl4", "libmosquitto1", "nfcd (>= "], "libpcsclite", ["/etc/nfcd/relay.toml"]),
        ("nfcd-fido", ["libc6", "nfcd (>= "], "libpcsclite", ["/etc/nfcd/fido.toml"]),
        ("nfcd-desktop", ["libc6", "libsystemd0", "nfcd (>= "], "libpcsclite", ["/etc/nfcd/desktop.toml"]),
        (
            "nfcd-web", ["libc6", "nfcd (>= "], "libpcsclite",
            [
                "/etc/chromium/native-messaging-hosts/org.nfcd.web.json", "/etc/nfcd/web.toml",
                "/etc/opt/chrome/native-messaging-hosts/org.nfcd.web.json",
            ]
        ),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: packages)
    func `has a version, dependencies and conffiles, and no lintian errors`(
        name: String, needed: [String], without: String, conffiles: [String]
    ) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["dpkg-deb", "dpkg-shlibdeps"]) else {
            return
        }
        let made = try await run(
            [Repository.script("products/deb"), "--compress", "gzip", "--suffix", "+test\(getpid())", name],
            environment: ["STAGE": staged.path])
        let package = try #require(made.output.last, "\(made.errors)")
        defer { try? FileManager.default.removeItem(atPath: package) }
        let fields = try await run(["dpkg-deb", "--field", package]).output
        #expect(fields.contains { $0.hasPrefix("Version: ") && $0.hasSuffix("+test\(getpid())") })
        let needs = try #require(fields.first { $0.hasPrefix("Depends: ") })
        for name in needed { #expect(needs.contains(name), "\(name)") }
        #expect(!needs.contains(without))
        let listed = try await run(["dpkg-deb", "--info", package, "conffiles"]).output
        #expect(listed.sorted() == conffiles)
        guard try await Programs.found(["lintian"]) else { return }
        // Unlike release programs, the programs under test are linked dynamically with the Swift library.
        let lintian = try await run(
            ["lintian", "--allow-root", "--fail-on", "error", "--suppress-tags", "custom-library-search-path", package])
        #expect(lintian.status == 0, "\(lintian.output)")
    }

    @Test func `is not made for another architecture than that of its programs`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["dpkg"]) else { return }
        let native = try await run(["dpkg", "--print-architecture"]).output
        let other = native == ["arm64"] ? "amd64" : "arm64"
        for stage in [staged.path, "\(staged.path)/nothing"] {
            let made = try await run(
                [Repository.script("products/deb"), "--architecture", other], environment: ["STAGE": stage])
            #expect(made.status == 1)
            #expect(made.errors.contains { $0.contains("run 'make release ARCH=\(other)' first") })
        }
    }
}
