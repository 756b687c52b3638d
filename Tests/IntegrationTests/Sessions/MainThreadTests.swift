import Testing

/// A program with callbacks on the main queue.
@Suite(.timeLimit(.minutes(20)))
struct MainThreadTests {
    @Test func `callbacks come on the main thread where the main run loop runs`() async throws {
        let scratch = try Scratch()
        let result = try await run(
            [Programs.coreNFCPrograms, "main-thread"], environment: ["NFCD_SOCKET": "\(scratch.path)/nothing.sock"])
        #expect(result.output.contains("on the main thread"))
    }
}
