import Testing

/// The attack suite in its short form; `make attack` runs all of it, with figures of time.
@Suite(.timeLimit(.minutes(15)))
struct `A hostile client` {
    @Test func `harms no other client and gets nothing that is not granted`() async throws {
        guard try await Programs.found(["python3", "unshare", "pcscd", "vpcd-config"]) else { return }
        let finished = try await run(["python3", Repository.script("attack"), "--short", "--nfcd", Programs.nfcd])
        let report = (finished.output + finished.errors).joined(separator: "\n")
        #expect(finished.status == 0, "\(report)")
    }
}
