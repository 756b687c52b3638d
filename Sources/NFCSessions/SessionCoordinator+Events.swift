import NFCReaders
import NFCTags

// What those who look on are told.

extension SessionCoordinator {
    /// From now on tells a client what happens; once, however often it is asked.
    public func addListener(_ client: any EventClient) {
        // What happened before is the present state, which the client asks for itself.
        takeEvents()
        listeners[client.id] = client
    }

    /// Forgets what a client that is gone wanted to hear.
    func stopListening(_ client: ClientID) {
        listeners[client] = nil
        background.forget(client)
    }

    /// A reader event, before it is told to sessions and while the table still shows what was.
    func lookOn(_ event: ReaderEvent) {
        switch event {
        case .attached(let reader): tellAll(.readerAttached(reader))
        case .detached(let reader):
            background.tagLeft(reader)
            tellAll(.readerDetached(reader))
        case .failed(let reader, let reason): tellAll(.readerFailed(reader, reason: reason))
        case .recovered(let reader): tellAll(.readerRecovered(reader))
        case .tagArrived(let arrival):
            metrics.countTap()
            tellAll(.tagArrived(arrival.reader))
            readInBackground(arrival)
        case .tagLeft(let reader):
            background.tagLeft(reader)
            tellAll(.tagLeft(reader))
        case .serviceUnavailable:
            for entry in table.entries { tellAll(.readerDetached(entry.description.id)) }
        case .tagMute(let reader): background.tagLeft(reader)
        case .serviceAvailable, .described: break
        }
    }

    /// A session event, right after its client was told.
    func lookOn(_ event: SessionEvent, of id: SessionID) {
        switch event {
        case .didBecomeActive:
            if let claim = claims.claim(of: id) { background.takeOver(claim) }
            if let summary = summary(of: id) { tellAll(.sessionBegan(summary)) }
        case .didInvalidate(let reason):
            metrics.countSession(reason.code, active: times.ended(id, at: uptime.elapsed))
            tellAll(.sessionEnded(id, reason))
        case .didDetectNDEFs, .didDetectTags, .tagFailed, .tagRemoved: break
        }
    }

    private func tellAll(_ event: CoordinatorEvent) {
        for client in listeners.values { client.tell(event) }
    }
}
