import NFCReaders
public import NFCTags
import Synchronization

/// A tag that is held on its reader for a session. Commands run strictly one after another, in the order in which they were
/// given; nothing else reaches the tag in between.
public final class HeldTag: Sendable {
    private struct State {
        /// Returns when the last command given so far has ended.
        var last: @Sendable () async -> Void = {}
        /// Why no more commands are taken.
        var refusal: TagError?
    }

    /// What the tag is.
    public let identity: TagIdentity
    let connection: any CardConnection
    let drivers: TagDrivers
    private let state = Mutex(State())
    private let written = Mutex<ReaderFeedback.Kind?>(nil)

    /// Takes over the connection to a tag.
    init(_ contact: TagContact) {
        identity = contact.identity
        connection = contact.connection
        drivers = TagDrivers(contact)
    }

    /// Connects to the tag of an arrival and identifies it.
    static func connect(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver
    ) async throws(TagError) -> HeldTag {
        HeldTag(try await TagContact.make(arrival, on: reader, driver: driver))
    }

    /// Lets go of the tag as soon as the running command has ended; those that have not started fail with `refusal`.
    func close(_ refusal: TagError) async {
        let last = state.withLock { state in
            state.refusal = refusal
            return state.last
        }
        await last()
        await connection.close()
    }

    /// How the last change of the message ended, for who stands at the reader; nil where there was none.
    var outcome: ReaderFeedback.Kind? { written.withLock { $0 } }

    /// Changes the message when it is its turn, and keeps how that ended.
    func performChange(_ command: @escaping @Sendable () async throws(TagError) -> Void) async throws(TagError) {
        try await perform { () throws(TagError) in
            self.written.withLock { $0 = .failure }
            try await command()
            self.written.withLock { $0 = .success }
        }
    }

    /// Runs a command when its turn has come.
    func perform<Value: Sendable>(
        _ command: @escaping @Sendable () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        let task = state.withLock { state in
            let previous = state.last
            let task = Task {
                await previous()
                return await self.run(command)
            }
            state.last = { _ = await task.value }
            return task
        }
        return try await task.value.get()
    }

    private func run<Value: Sendable>(
        _ command: @Sendable () async throws(TagError) -> Value
    ) async -> Result<Value, TagError> {
        if let refusal = state.withLock({ $0.refusal }) { return .failure(refusal) }
        do throws(TagError) {
            return .success(try await command())
        } catch {
            return .failure(error)
        }
    }
}
