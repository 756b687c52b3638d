import NFCClient
import NFCProtocol
import Synchronization

// The requests of a program to its session and its tags.

extension SessionEngine {
    /// The text that is shown for the session.
    var alertMessage: String {
        get { state.withLock { $0.alertMessage } }
        set {
            let hasBegun = state.withLock { state in
                state.alertMessage = newValue
                return state.phase != .created
            }
            guard hasBegun else { return }
            controls.add { try? await $0.setAlertMessage(newValue) }
        }
    }

    /// Ends a session that has begun, with an error of the caller's choice.
    func requestEnd(_ error: NFCReaderError, message: String? = nil) {
        guard wantEnd(error) else { return }
        controls.add { try? await $0.invalidate(errorMessage: message) }
    }

    /// How long nfcd may take to end a session; then it is over for the client.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// Ends the session as its client wants it, also one that has not begun.
    func invalidate(_ listener: any SessionListener, message: String? = nil) {
        let error = NFCReaderError(.readerSessionInvalidationErrorUserCanceled, reason: message)
        requestEnd(error, message: message)
        let hasBegun = state.withLock { $0.phase != .created }
        guard hasBegun else { return end(error) { listener.sessionEnded($0) } }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            guard let self, let session = owner else { return }
            end(error) { session.ended($0) }
        }
    }

    /// Makes the tags found so far stale and restarts polling, as `polling` says or as the session began.
    func restartPolling(_ polling: ProgramDeclarations.Polling? = nil) {
        let isActive = state.withLock { state in
            guard state.phase == .active, state.wantedEnd == nil else { return false }
            for tag in state.tags.values { tag.place.leave(as: .stale) }
            (state.tags, state.connected) = ([:], nil)
            state.polling += 1
            return true
        }
        guard isActive else { return }
        controls.add { session in
            do {
                try await session.restartPolling(
                    pollingOption: polling?.options, iso7816SelectIdentifiers: polling?.selectIdentifiers,
                    feliCaSystemCodes: polling?.systemCodes)
            } catch {
                // No tag would come any more.
                self.requestEnd(NFCReaderError(command: error))
            }
        }
    }

    /// Connects to a tag; `completion` gets why not.
    func connect(to tag: LiveTag, completion: @escaping @Sendable (NFCReaderError?) -> Void) {
        perform(on: tag) { remote in
            try await remote.connect()
            self.didConnect(to: tag)
        } completion: {
            completion($0.failure)
        }
    }

    /// A tag takes commands from now on.
    func didConnect(to tag: LiveTag) {
        state.withLock { state in
            if state.tags[tag.name] === tag { state.connected = tag }
        }
    }

    /// Whether a tag is in the field and takes commands.
    func isConnected(_ tag: LiveTag) -> Bool {
        state.withLock { $0.connected === tag }
    }

    /// Does something with a tag after everything that was asked for before it. `completion` is posted, once, whatever
    /// happens.
    func perform<Value: Sendable>(
        on tag: LiveTag,
        _ command: @escaping @Sendable (RemoteTag) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        let id = expect { completion(.failure($0)) }
        guard let id else { return }
        commands.add { _ in
            do {
                if let objection = tag.place.objection { throw objection }
                self.answer(id, completion, .success(try await command(tag.remote)))
            } catch {
                let error = NFCReaderError(command: error)
                // That it has left comes as an event, too, but a program may look at once.
                if error.code == .readerTransceiveErrorTagConnectionLost { self.lose(tag) }
                self.answer(id, completion, .failure(error))
            }
        }
    }

    /// A tag takes no commands any more: it has left the field.
    func lose(_ tag: LiveTag) {
        tag.place.leave(as: .gone)
        state.withLock { state in
            if state.connected === tag { state.connected = nil }
        }
    }

    /// Posts an error to a handler.
    func refuse(_ error: NFCReaderError, _ handler: @escaping @Sendable (NFCReaderError) -> Void) {
        queue.post { handler(error) }
    }

    /// Registers a command that waits for its answer; nil where there will be none, and then the reason has been posted.
    private func expect(_ fail: @escaping @Sendable (NFCReaderError) -> Void) -> UInt64? {
        state.withLock { state in
            guard state.phase != .over, state.wantedEnd == nil else {
                queue.post { fail(.overSession) }
                return nil
            }
            defer { state.nextCommand += 1 }
            let queue = queue
            state.unanswered[state.nextCommand] = { error in queue.post { fail(error) } }
            return state.nextCommand
        }
    }

    private func answer<Value: Sendable>(
        _ id: UInt64, _ completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void,
        _ result: Result<Value, NFCReaderError>
    ) {
        state.withLock { state in
            guard state.unanswered.removeValue(forKey: id) != nil else { return }
            queue.post { completion(result) }
        }
    }
}

extension Result {
    /// The error; nil for a value.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

// Connecting, in the forms that sessions have it.

extension SessionEngine {
    /// Connects to a tag of this session. Another one, or a double of a test, is refused with 104.
    func connect(to tag: LiveTag?, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let tag, tag.engine === self else {
            return refuse(
                .init(.readerTransceiveErrorTagNotConnected, reason: "the tag does not belong to this session"), handler
            )
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

    /// Whether a detection is the first of its polling: an iPhone delivers no more until polling is restarted. Of a polling
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

    /// Sets the handler for tags that leave; nil for none.
    func onRemoval(_ handler: (@Sendable (any NFCNDEFTag) -> Void)?) {
        guard let handler else { return state.withLock { $0.onRemoval = nil } }
        state.withLock { $0.onRemoval = { tag in handler(tag) } }
    }
}
