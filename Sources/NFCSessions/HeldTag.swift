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
    private let connection: any CardConnection
    private let ndef: (any NDEFTag)?
    private let state = Mutex(State())

    /// Takes over a connection to an identified tag.
    init(identity: TagIdentity, connection: any CardConnection, profile: ReaderProfile) {
        self.identity = identity
        self.connection = connection
        ndef = ndefTag(for: identity, channel: connection, profile: profile)
    }

    /// Connects to the tag of an arrival and identifies it.
    static func connect(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver
    ) async throws(TagError) -> HeldTag {
        let connection: any CardConnection
        do throws(CardChannelError) {
            connection = try await driver.connect(to: arrival.reader)
        } catch {
            throw TagError(error.code, "the tag could not be connected to: \(error)")
        }
        do throws(TagError) {
            let identity = try await identify(atr: connection.answerToReset, channel: connection)
            return HeldTag(identity: identity, connection: connection, profile: .profile(reader: reader.name))
        } catch {
            await connection.close()
            throw error
        }
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

    /// Runs a command when its turn has come.
    private func perform<Value: Sendable>(
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

// MARK: - Commands

extension HeldTag {
    /// Sends a command APDU as it is and returns the response as it is: data, SW1, SW2.
    ///
    /// - Throws: ``TagError`` 100 when the tag left, 102 when there is no answer or one without a status word.
    public func sendCommand(_ apdu: [UInt8]) async throws(TagError) -> (data: [UInt8], sw1: UInt8, sw2: UInt8) {
        let response = try await perform { () throws(TagError) in try await self.transmit(apdu) }
        let status = Array(response.suffix(2))
        guard status.count == 2 else {
            throw TagError(.tagResponseError, "the answer has no status word", response: response)
        }
        return (Array(response.dropLast(2)), status[0], status[1])
    }

    private func transmit(_ apdu: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(CardChannelError) {
            return try await connection.transmit(apdu)
        } catch {
            throw TagError(error.code, "no answer: \(error)")
        }
    }
}

// MARK: - NDEF

extension HeldTag {
    /// Status, capacity and message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/readNDEF()``.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        try await perform { () throws(TagError) in
            guard let ndef = self.ndef else { return .notSupported(self.noNDEF) }
            return try await ndef.readNDEF()
        }
    }

    /// Puts a message, encoded, in place of the one that is there; no bytes erase it.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/writeNDEF(_:verifying:progress:)``.
    public func writeNDEF(_ message: [UInt8], verifying: Bool) async throws(TagError) {
        try await perform { () throws(TagError) in try await self.driver().writeNDEF(message, verifying: verifying) }
    }

    /// Makes a tag without NDEF one with an empty message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/formatNDEF()``.
    public func formatNDEF() async throws(TagError) {
        try await perform { () throws(TagError) in try await self.driver().formatNDEF() }
    }

    /// Makes the message read-only for ever.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/makeReadOnly()``.
    public func makeReadOnly() async throws(TagError) {
        try await perform { () throws(TagError) in try await self.driver().makeReadOnly() }
    }

    private func driver() throws(TagError) -> any NDEFTag {
        guard let ndef else { throw TagError(.unsupportedFeature, noNDEF) }
        return ndef
    }

    private var noNDEF: String { "NDEF on \(identity.technology) is not supported yet" }
}
