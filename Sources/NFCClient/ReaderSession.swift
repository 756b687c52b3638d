/// A reader session of the daemon.
///
/// ``events`` are the events of this session alone, in their order; the last one is always
/// ``Event/didInvalidate(_:)`` with the reason, also where the connection is lost. Nothing follows it.
///
/// A session counts as in use until it has ended: ``NFCClient/withSession(_:_:)`` ends it in any case.
public final class ReaderSession: Sendable {
    /// What happens in a session.
    public enum Event: Sendable {
        /// The readers are the session's, and poll for tags.
        case didBecomeActive
        /// A tag was found and read. Of a session whose `detection` is `messages`.
        case didDetectNDEFs(SessionDidDetectNDEFs)
        /// Tags were found, at least one. They take commands until they leave or polling is restarted.
        case didDetectTags([RemoteTag])
        /// A tag that was found has left the field.
        case tagRemoved(RemoteTag.ID)
        /// A tag came to a reader and cannot be used.
        case tagFailed(SessionTagFailed)
        /// A tag came to a reader that the session does not look for. Of a session that began with `yields`.
        case tagIgnored(SessionTagIgnored)
        /// The session is over.
        case didInvalidate(SessionEnd)
    }

    /// The events of a session. Only one task at a time may iterate them.
    ///
    /// Cancelling the task that iterates ends the iteration, not the sequence: another task may continue with it.
    public struct Events: AsyncSequence, Sendable {
        /// Reads the events.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let session: ReaderSession

            /// The next event; nil after the last one, or where the task is cancelled.
            public func next() async -> Event? { await session.nextEvent() }

            /// The next event; nil after the last one, or where the task is cancelled.
            public func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Event? {
                await session.nextEvent()
            }
        }

        fileprivate let session: ReaderSession

        /// Reads the events that have not been read yet.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }
    }

    /// The name of the session within the daemon.
    public let id: String
    /// The connection of the session.
    public let client: NFCClient
    private let queue: EventRouter.SessionQueue

    init(client: NFCClient, id: String, queue: EventRouter.SessionQueue) {
        self.client = client
        self.id = id
        self.queue = queue
    }

    /// The events of this session, in their order.
    public var events: Events { Events(session: self) }

    /// The next tags that are found; other events are passed over.
    ///
    /// - Throws: `NFCClientError.sessionEnded` with the reason; `CancellationError`.
    public func nextTags() async throws -> [RemoteTag] {
        while let event = await nextEvent() {
            switch event {
            case .didDetectTags(let tags): return tags
            case .didInvalidate(let end): throw NFCClientError.sessionEnded(end)
            default: break
            }
        }
        try Task.checkCancellation()
        throw NFCClientError.connectionLost
    }

    // MARK: Requests

    /// Looks for tags again. Those found before, also those in the field, become invalid; those in the field are found again.
    ///
    /// - Parameters: what to look for in this polling, as in `session.begin`; nil for what the session began with.
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func restartPolling(
        pollingOption: [PollingTechnology]? = nil, iso7816SelectIdentifiers: [HexBytes]? = nil,
        feliCaSystemCodes: [HexBytes]? = nil
    ) async throws {
        _ = try await client.call(
            SessionRestartPolling.self,
            .init(
                session: id, pollingOption: pollingOption, iso7816SelectIdentifiers: iso7816SelectIdentifiers,
                feliCaSystemCodes: feliCaSystemCodes))
    }

    /// Changes the text that is shown for the session, for example by `nfcctl sessions`.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func setAlertMessage(_ message: String) async throws {
        _ = try await client.call(SessionSetAlertMessage.self, .init(session: id, message: message))
    }

    /// Changes whether the session yields its readers to the sessions of other clients.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func setYielding(_ yields: Bool) async throws {
        _ = try await client.call(SessionSetYielding.self, .init(session: id, yields: yields))
    }

    /// Ends the session with code 200. Its last event follows. Has no effect on a session that is over.
    ///
    /// - Parameter errorMessage: a text that is shown as the reason.
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func invalidate(errorMessage: String? = nil) async throws {
        do {
            _ = try await client.call(SessionInvalidate.self, .init(session: id, errorMessage: errorMessage))
        } catch let error as NFCClientError where error.nfcCode == .sessionInvalidated {
            // It is over already.
        }
    }

    /// How long the daemon may take to end a session that the program is done with.
    private static let patience = Duration.seconds(3)

    /// Ends the session, also where the task is cancelled. Where the daemon does not answer, the end of the connection will
    /// end the session.
    func end() async {
        await Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await self.invalidate() }
                group.addTask { try? await Task.sleep(for: Self.patience) }
                await group.next()
                group.cancelAll()
            }
        }.value
    }

    // MARK: Events

    private func nextEvent() async -> Event? {
        switch await queue.next() {
        case .didBecomeActive: .didBecomeActive
        case .didDetectNDEFs(let detection): .didDetectNDEFs(detection)
        case .didDetectTags(let detection):
            .didDetectTags(detection.tags.map { RemoteTag(session: self, facts: $0) })
        case .tagRemoved(let removal): .tagRemoved(removal.tag)
        case .tagFailed(let failure): .tagFailed(failure)
        case .tagIgnored(let event): .tagIgnored(event)
        case .didInvalidate(let end): .didInvalidate(SessionEnd(end))
        case nil: nil
        }
    }
}

/// Why a session ended.
public struct SessionEnd: Sendable, Hashable, CustomStringConvertible {
    /// CoreNFC's code, for example 201.
    public let code: NFCErrorCode
    /// CoreNFC's short name, for example `SessionTimeout`.
    public let name: String
    /// CoreNFC's text.
    public let message: String
    /// The cause in words, or the program's own error message; may be empty.
    public let detail: String

    init(_ event: SessionDidInvalidate) {
        code = event.nfcCode
        (name, message, detail) = (event.name, event.message, event.detail)
    }

    /// The text, the cause and the code: `Session timeout: … (201 SessionTimeout)`.
    public var description: String {
        // Lines at the end are meant to be copied.
        guard !detail.contains("\n") else { return "\(message) (\(code.rawValue) \(name)): \(detail)" }
        return "\(message)\(detail.isEmpty ? "" : ": \(detail)") (\(code.rawValue) \(name))"
    }
}
