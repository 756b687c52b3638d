public import NFCTags

/// A command's place in the queue of a tag. Whoever takes one runs its command once, whatever becomes of the place.
public struct CommandPlace: Sendable {
    private let tag: HeldTag
    private let number: UInt64
    private let limit: Duration?

    init(_ tag: HeldTag, number: UInt64, limit: Duration?) {
        self.tag = tag
        self.number = number
        self.limit = limit
    }

    /// Runs the command when its turn has come; everything it does with the tag it is given belongs to this turn.
    ///
    /// - Throws: ``CommandFailure``.
    public func run<Value: Sendable>(
        _ command: (HeldTag) async throws(TagError) -> Value
    ) async throws(CommandFailure) -> Value {
        try await tag.queue.turn(of: number)
        defer { tag.queue.end() }
        do throws(TagError) {
            return try await tag.inTurn(within: limit, command)
        } catch {
            throw .failed(error)
        }
    }

    /// Takes the command back. False: it has started.
    public func cancel() -> Bool {
        tag.queue.drop(number, .cancelled)
    }
}
