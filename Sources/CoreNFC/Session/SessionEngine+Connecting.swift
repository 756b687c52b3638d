import Synchronization

// Connecting, in the forms that sessions have it.

extension SessionEngine {
    /// Connects to a tag of this session. Another one, or a double of a test, is refused with 104.
    func connect(to tag: LiveTag?, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let tag, tag.engine === self else {
            return refuse(
                .init(.readerTransceiveErrorTagNotConnected, reason: "the tag is none of this session"), handler)
        }
        connect(to: tag) { handler($0) }
    }

    /// The same for those who wait.
    func connect(to tag: LiveTag?) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            connect(to: tag) { (error: (any Error)?) in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Whether a detection is the first of its polling: an iPhone tells of no more until polling is restarted. Of a polling
    /// before that, none is.
    func takeDetection(of tags: [LiveTag]) -> Bool {
        state.withLock { state in
            guard state.detectedPolling != state.polling, tags.contains(where: { $0.polling == state.polling }) else {
                return false
            }
            state.detectedPolling = state.polling
            return true
        }
    }

    /// Tells somebody of tags that leave; nil: nobody.
    func onRemoval(_ handler: (@Sendable (any NFCNDEFTag) -> Void)?) {
        guard let handler else { return state.withLock { $0.onRemoval = nil } }
        state.withLock { $0.onRemoval = { tag in handler(tag) } }
    }
}
