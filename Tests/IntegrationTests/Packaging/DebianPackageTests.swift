import Foundation
import Testing

/// The Debian package: what it says of itself, what lintian finds, and what it does to a system that boots.
@Suite(.serialized)
struct `The Debian package` {
    private static let built = Repository.file(".build/package")

    /// Whether `make release` made programs of the sources as they are now.
    private func isBuilt() async throws -> Bool {
        let program = Self.built.appending(path: "bin/nfcd").path
        guard FileManager.default.fileExists(atPath: program) else {
            print("skipped: make release has not been run")
            return false
        }
        let newer = try await run(
            ["find", Repository.file("Sources").path, "-name", "*.swift", "-newer", program, "-print", "-quit"])
        if !newer.output.isEmpty { print("skipped: sources are newer than what make release made") }
        return newer.output.isEmpty
    }

    @Test(.timeLimit(.minutes(3)))
    func `has a version, its libraries, one conffile, and nothing that lintian calls an error`() async throws {
        guard let staged = try await StagedPrograms(), try await Programs.found(["dpkg-deb", "dpkg-shlibdeps"]) else {
            return
        }
        let made = try await run(
            [Repository.script("deb"), "--compress", "gzip", "--suffix", "+test\(getpid())"],
            environment: ["STAGE": staged.path])
        let package = try #require(made.output.last, "\(made.errors)")
        defer { try? FileManager.default.removeItem(atPath: package) }
        let fields = try await run(["dpkg-deb", "--field", package]).output
        #expect(fields.contains { $0.hasPrefix("Version: ") && $0.hasSuffix("+test\(getpid())") })
        let needs = try #require(fields.first { $0.hasPrefix("Depends: ") })
        for name in ["libc6", "libpcsclite1", "libstdc++6", "pcscd"] { #expect(needs.contains(name), "\(name)") }
        let conffiles = try await run(["dpkg-deb", "--info", package, "conffiles"]).output
        #expect(conffiles == ["/etc/nfcd/nfcd.toml"])
        guard try await Programs.found(["lintian"]) else { return }
        // The programs under test are linked with Swift's library, and so they know where it is; those of a release are not.
        let lintian = try await run(
            ["lintian", "--allow-root", "--fail-on", "error", "--suppress-tags", "custom-library-search-path", package])
        #expect(lintian.status == 0, "\(lintian.output)")
    }

    @Test(.timeLimit(.minutes(10)))
    func `works on a Debian that boots`() async throws {
        guard try await isBuilt() else { return }
        let test = try await run([Repository.script("boot-test")])
        guard test.status != 77 else { return print("skipped: \(test.errors)") }
        #expect(test.status == 0, "\(test.errors)")
        #expect(test.output.count { $0.hasPrefix("ok - ") } >= 15)
        for line in test.output where !line.hasPrefix("ok - ") { Issue.record("\(line)") }
    }
}
