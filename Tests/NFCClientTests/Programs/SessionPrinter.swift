import NFCClient

/// Prints what happens in a session until it ends, and returns why it ended.
func printSession(_ client: NFCClient, print: (String) -> Void) async throws -> SessionEnd? {
    try await client.withSession(SessionBegin.Parameters(kind: .tag, timeout: 30)) { session in
        for await event in session.events {
            switch event {
            case .didBecomeActive: print("Hold a tag to the reader.")
            case .didDetectTags(let tags):
                for tag in tags { print("\(tag.facts.technology) on \(tag.facts.readerName)") }
            case .didDetectNDEFs, .tagIgnored: break
            case .tagRemoved(let tag): print("\(tag) has left")
            case .tagFailed(let failure): print("a tag cannot be used: \(failure.detail)")
            case .didInvalidate(let end): return end
            }
        }
        return nil
    }
}
