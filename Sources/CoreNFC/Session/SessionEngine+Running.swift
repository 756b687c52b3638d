import NFCClient
import NFCProtocol
import Synchronization

/// Whom an engine tells, on the session's queue.
protocol SessionListener: AnyObject, Sendable {
    /// Whether anybody hears the session's callbacks.
    var isHeard: Bool { get }
    /// The readers are the session's.
    func sessionBecameActive()
    /// Tags came into the field.
    func sessionDetected(_ tags: [LiveTag])
    /// The session is over.
    func sessionEnded(_ error: NFCReaderError)
}

extension SessionEngine {
    /// Begins the session, unless it has begun or is over. The listener is kept until the session has ended.
    ///
    /// - Parameter request: what to ask nfcd for; its error ends the session at once.
    func begin(_ listener: any SessionListener, _ request: @escaping @Sendable () throws -> SessionBegin.Parameters) {
        let isFirst = state.withLock { state in
            guard state.phase == .created, state.wantedEnd == nil else { return false }
            state.phase = .starting
            return true
        }
        guard isFirst else { return }
        Task { await self.run(listener, request) }
    }

    private func run(_ listener: any SessionListener, _ request: () throws -> SessionBegin.Parameters) async {
        let error: NFCReaderError
        do {
            var request = try request()
            request.alertMessage = state.withLock { $0.alertMessage }
            let parameters = request
            try await NFCClient.withConnection(to: DaemonAddress.path) { client in
                let session = try await client.call(SessionBegin.self, parameters).session
                await self.serve(client, session, listener)
            }
            error = .connectionEnded
        } catch let failure {
            error = NFCReaderError(start: failure)
            Log.once("a session could not begin: \(error.localizedDescription): \(error.reason)")
        }
        end(error) { listener.sessionEnded($0) }
    }

    private func serve(_ client: NFCClient, _ session: String, _ listener: any SessionListener) async {
        await withTaskGroup { group in
            for lane in [commands, controls] {
                group.addTask { await lane.work { await $0(client, session) } }
            }
            await follow(client, listener)
            commands.close()
            controls.close()
        }
    }

    /// Follows the session until it is over or the connection ends.
    private func follow(_ client: NFCClient, _ listener: any SessionListener) async {
        for await event in client.events {
            take(event, listener)
            if case .didInvalidate = event { return }
            if !listener.isHeard {
                requestEnd(.init(.readerSessionInvalidationErrorUserCanceled, reason: "nobody listens"))
            }
        }
        // Commands that are not answered would otherwise hold up the end.
        end(.connectionEnded) { listener.sessionEnded($0) }
    }

    private func take(_ event: ServerEvent, _ listener: any SessionListener) {
        switch event {
        case .didBecomeActive: becomeActive(listener)
        case .didDetectTags(let detection): detected(detection.tags, listener)
        case .tagRemoved(let removal): removed(removal.tag)
        case .tagFailed(let failure):
            Log.once("a tag on \(failure.reader) could not be delivered: \(failure.name): \(failure.detail)")
        case .didInvalidate(let end): self.end(NFCReaderError(end)) { listener.sessionEnded($0) }
        case .didDetectNDEFs, .watched: break
        }
    }

    private func becomeActive(_ listener: any SessionListener) {
        state.withLock { state in
            guard state.phase == .starting else { return }
            state.phase = .active
            if state.wantedEnd == nil { queue.post { listener.sessionBecameActive() } }
        }
    }

    private func detected(_ described: [SessionDidDetectTags.Tag], _ listener: any SessionListener) {
        state.withLock { state in
            guard state.phase == .active, state.wantedEnd == nil else { return }
            // Those of an earlier polling were on their way when the client restarted it.
            let described = described.filter { $0.polling ?? state.polling == state.polling }
            guard !described.isEmpty else { return }
            let tags = described.map { LiveTag.make($0, polling: state.polling, engine: self) }
            for tag in tags { state.tags[tag.name] = tag }
            queue.post { listener.sessionDetected(tags) }
        }
    }

    private func removed(_ name: String) {
        state.withLock { state in
            guard let tag = state.tags.removeValue(forKey: name) else { return }
            tag.place.leave(as: .gone)
            if state.connected === tag { state.connected = nil }
            if let onRemoval = state.onRemoval, state.phase != .over { queue.post { onRemoval(tag) } }
        }
    }
}

extension NFCReaderError {
    /// 202: nfcd is gone.
    fileprivate static var connectionEnded: NFCReaderError {
        .init(.readerSessionInvalidationErrorSessionTerminatedUnexpectedly, reason: "the connection to nfcd ended")
    }
}
