import Foundation
import Testing

/// `nfcctl desktop`, with programs that take the places of nfcd-desktop and systemctl.
@Suite(.timeLimit(.minutes(5))) struct `nfcctl desktop` {
    /// A folder with programs, which note how they are called.
    private struct Session {
        let scratch: Scratch

        /// - Parameters:
        ///   - desktop: what nfcd-desktop does.
        ///   - systemctl: what systemctl does.
        init(desktop: String = "echo \"nfcd: taps\"", systemctl: String = "echo active") throws {
            scratch = try Scratch()
            for (name, script) in [("nfcd-desktop", desktop), ("systemctl", systemctl)] {
                let text = "#!/bin/sh\necho \"\(name) $*\" >> \(scratch.path)/calls\n\(script)\n"
                chmod(try scratch.file(name, text), 0o755)
            }
        }

        var calls: [String] {
            ((try? String(contentsOfFile: "\(scratch.path)/calls", encoding: .utf8)) ?? "").split(separator: "\n").map(
                String.init)
        }

        func nfcctl(_ command: String) async throws -> Finished {
            try await run(
                [Programs.nfcctl, "desktop", command], environment: ["PATH": "\(scratch.path):/usr/bin:/bin"])
        }
    }

    @Test func `status shows the service and what the session offers`() async throws {
        let session = try Session()
        let finished = try await session.nfcctl("status")
        #expect(finished.status == 0)
        #expect(finished.output == ["Service:       active, active", "nfcd: taps"])
        #expect(session.calls.contains("systemctl --user is-enabled nfcd-desktop.service"))
    }

    @Test func `status of a service that does not run is 69, with what to do`() async throws {
        let finished = try await Session(systemctl: "echo inactive; exit 3").nfcctl("status")
        #expect(finished.status == 69)
        #expect(finished.output.first?.contains("start it with: nfcctl desktop enable") == true)
    }

    @Test func `enable checks the configuration, then starts the unit`() async throws {
        let session = try Session()
        let finished = try await session.nfcctl("enable")
        #expect(finished.status == 0, "\(finished.errors)")
        #expect(
            session.calls == ["nfcd-desktop --check", "systemctl --user enable --now nfcd-desktop.service"])
    }

    @Test func `enable with an invalid configuration starts nothing`() async throws {
        let session = try Session(desktop: "echo 'desktop.toml:3: open.host: unknown key' >&2; exit 78")
        let finished = try await session.nfcctl("enable")
        #expect(finished.status == 78)
        #expect(finished.errors.contains { $0.contains("desktop.toml:3") })
        #expect(session.calls == ["nfcd-desktop --check"])
    }

    @Test func `enable in a session without its target says what is missing`() async throws {
        let session = try Session(systemctl: "echo inactive; exit 1")
        let finished = try await session.nfcctl("enable")
        #expect(finished.status == 69)
        #expect(finished.errors.contains { $0.contains("graphical-session.target") }, "\(finished.errors)")
    }

    @Test func `every call in its page runs`() async throws {
        let session = try Session()
        let calls = try Document("Docs/desktop.md").calls(of: "nfcctl").filter { $0 != "nfcctl doctor" }
        #expect(calls.count >= 3)
        for call in Set(calls) {
            let words = call.split(separator: " ").map(String.init)
            #expect(words.prefix(2) == ["nfcctl", "desktop"], "\(call)")
            let finished = try await session.nfcctl(words.dropFirst(2).joined(separator: " "))
            #expect(finished.status == 0, "\(call): \(finished.errors)")
        }
    }

    @Test func `test runs nfcd-desktop, and has its exit status`() async throws {
        let session = try Session(desktop: "echo shown; exit 69")
        let finished = try await session.nfcctl("test")
        #expect(finished.status == 69)
        #expect(finished.output == ["shown"])
        #expect(session.calls == ["nfcd-desktop --test"])
    }
}
