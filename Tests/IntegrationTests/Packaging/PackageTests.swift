import Foundation
import Testing

/// `make install` and `make uninstall`, in a temporary directory.
@Suite(.timeLimit(.minutes(10)))
struct `Installing` {
    /// A directory that replaces the root, and the files that are installed there.
    struct Target {
        let staged: StagedPrograms
        let prefix: String
        var root: String { "\(staged.scratch.path)/a root" }

        /// Runs Scripts/install, which has to succeed, and returns its output.
        @discardableResult
        func install(_ arguments: String...) async throws -> [String] {
            let done = try await run(
                [Repository.script("install")] + arguments,
                environment: ["DESTDIR": root, "PREFIX": prefix, "STAGE": staged.path])
            guard done.status == 0, done.errors.isEmpty else { throw TestError("Scripts/install: \(done)") }
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
            "lib/sysusers.d/nfcd.conf", "lib/modprobe.d/nfcd.conf", "share/polkit-1/rules.d/nfcd.rules",
            "share/man/man1/nfcctl-ndef-encode.1.gz", "share/man/man5/nfcd.toml.5.gz", "share/man/man8/nfcd.8.gz",
            "share/bash-completion/completions/nfcctl", "share/zsh/\(zsh)/_nfcctl",
            "share/fish/vendor_completions.d/nfcd.fish", "bin/nfcd-relay", "lib/systemd/system/nfcd-relay.service",
            "lib/systemd/user/nfcd-relay.service", "lib/sysusers.d/nfcd-relay.conf", "share/man/man8/nfcd-relay.8.gz",
            "share/man/man5/relay.toml.5.gz", "share/zsh/\(zsh)/_nfcd-relay", "bin/nfcd-fido",
            "lib/systemd/system/nfcd-fido.service", "lib/sysusers.d/nfcd-fido.conf", "share/man/man8/nfcd-fido.8.gz",
            "share/man/man5/fido.toml.5.gz",
        ] {
            #expect(files.contains("\(prefix.dropFirst())/\(path)"), "\(path)")
        }
        for path in [
            "etc/nfcd/nfcd.toml", "etc/nfcd/relay.toml", "etc/nfcd/fido.toml",
            "usr/lib/udev/rules.d/70-nfcd-fido.rules",
            "usr/lib/modules-load.d/nfcd-fido.conf",
        ] {
            #expect(files.contains(path), "\(path)")
        }
        let version = try await run(["\(target.root)\(prefix)/bin/nfcctl", "--version"])
        #expect(version.status == 0)

        try await target.install("--uninstall")
        #expect(try target.files().isEmpty)
    }

    @Test func `sets the paths of the programs in the units`() async throws {
        guard let staged = try await StagedPrograms() else { return }
        let target = Target(staged: staged, prefix: "/opt/nfc")
        try await target.install()
        for unit in ["nfcd", "nfcd-relay"].flatMap({ ["system/\($0).service", "user/\($0).service"] })
            + ["system/nfcd-fido.service"]
        {
            let lines = try target.text("opt/nfc/lib/systemd/\(unit)").split(separator: "\n")
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

    @Test func `reports if nothing was built, and rejects unknown options`() async throws {
        let scratch = try Scratch()
        let environment = ["DESTDIR": scratch.path, "STAGE": "\(scratch.path)/nothing"]
        let without = try await run([Repository.script("install")], environment: environment)
        #expect(without.status == 66)
        #expect(without.errors.first?.contains("make release") == true)
        let unknown = try await run([Repository.script("install"), "--remove"], environment: environment)
        #expect(unknown.status == 64)
        let relative = try await run(
            [Repository.script("install")], environment: environment.merging(["PREFIX": "usr"]) { $1 })
        #expect(relative.status == 64)
    }
}

/// The Debian package: its control file, the results of lintian, and a test on a booted system.
@Suite(.serialized)
struct `The Debian package` {
    private static let built = Repository.file(".build/package")

    /// Whether the results of `make release` are up to date.
    private func isBuilt() async throws -> Bool {
        let program = Self.built.appending(path: "bin/nfcd").path
        guard FileManager.default.fileExists(atPath: program) else {
            print("skipped: make release has not been run")
            return false
        }
        let newer = try await run(
            ["find", Repository.file("Sources").path, "-name", "*.swift", "-newer", program, "-print", "-quit"])
        if !newer.output.isEmpty { print("skipped: the results of make release are out of date") }
        return newer.output.isEmpty
    }

    /// The packages of a build, the libraries that each needs, and its conffile.
    static let packages: [(name: String, needs: [String], without: String, conffile: String)] = [
        ("nfcd", ["libc6", "libpcsclite1", "libstdc++6", "pcscd"], "libmosquitto", "/etc/nfcd/nfcd.toml"),
        ("nfcd-relay", ["libc6", "libmosquitto1", "nfcd (>= "], "libpcsclite", "/etc/nfcd/relay.toml"),
        ("nfcd-fido", ["libc6", "nfcd (>= "], "libpcsclite", "/etc/nfcd/fido.toml"),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: packages)
    func `has a version, dependencies and one conffile, and no lintian errors`(
        name: String, needed: [String], without: String, conffile: String
    ) async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["dpkg-deb", "dpkg-shlibdeps"]) else {
            return
        }
        let made = try await run(
            [Repository.script("deb"), "--compress", "gzip", "--suffix", "+test\(getpid())", name],
            environment: ["STAGE": staged.path])
        let package = try #require(made.output.last, "\(made.errors)")
        defer { try? FileManager.default.removeItem(atPath: package) }
        let fields = try await run(["dpkg-deb", "--field", package]).output
        #expect(fields.contains { $0.hasPrefix("Version: ") && $0.hasSuffix("+test\(getpid())") })
        let needs = try #require(fields.first { $0.hasPrefix("Depends: ") })
        for name in needed { #expect(needs.contains(name), "\(name)") }
        #expect(!needs.contains(without))
        let conffiles = try await run(["dpkg-deb", "--info", package, "conffiles"]).output
        #expect(conffiles == [conffile])
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
                [Repository.script("deb"), "--architecture", other], environment: ["STAGE": stage])
            #expect(made.status == 1)
            #expect(made.errors.contains { $0.contains("run 'make release ARCH=\(other)' first") })
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `works on a booted Debian system`() async throws {
        guard try await isBuilt() else { return }
        let test = try await run([Repository.script("boot-test")])
        guard test.status != 77 else { return print("skipped: \(test.errors)") }
        #expect(test.status == 0, "\(test.errors)")
        #expect(test.output.count { $0.hasPrefix("ok - ") } >= 15)
        for line in test.output where !line.hasPrefix("ok - ") { Issue.record("\(line)") }
    }
}
