import Logging
import NFCReaders
public import NFCTags

// Tags: what clients ask for, and what is done on readers for them.

extension SessionCoordinator {
    /// Detects the tags in the field anew. Without effect on a session that is not active.
    ///
    /// - Parameter change: what is different this time; the next restart is by the session's own options again.
    public func restartPolling(
        _ id: SessionID, _ change: PollingChange = PollingChange(), by client: ClientID
    ) throws(SessionError) {
        try check(id, client)
        let present = arrivals(within: claims.claim(of: id))
        update(id) { $0.restartPolling(present: present, change) }
    }

    /// Makes a reported tag the one that takes commands.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over.
    public func connect(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) {
        guard isOwn(id, client), let objection = sessions[id]?.machine.connect(tag) else {
            if isOwn(id, client) { return }
            throw .invalidated(id)
        }
        throw TagError(objection, "\(tag) is not in the field")
    }

    /// The tag that takes a session's commands. A card of type ISO 7816 that is the session's only tag is connected to by
    /// being asked for.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over, 104 where the tag is not
    ///   connected.
    public func connectedTag(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) -> HeldTag {
        guard isOwn(id, client), let command = sessions[id]?.machine.command(tag) else { throw .invalidated(id) }
        switch command {
        case .run(let held): return held
        case .refuse(.tagNotConnected):
            throw TagError(.tagNotConnected, "\(tag) was not connected to with session.connect")
        case .refuse(let objection): throw TagError(objection, "\(tag) is not in the field")
        }
    }

    // MARK: Arrivals

    func arrivals(within claim: ReaderClaims.Claim?) -> [TagArrival] {
        table.entries.filter { claim?.contains($0.description.id) ?? false }.compactMap(\.tag)
    }

    /// Tells those who hold the readers of the tags that were seen in one look, each session once.
    func tellArrivals(_ look: inout [TagArrival]) {
        let arrivals = look
        look = []
        var told: Set<SessionID> = []
        for arrival in arrivals {
            guard let id = claims.holder(of: arrival.reader), told.insert(id).inserted else { continue }
            let own = arrivals.filter { claims.holder(of: $0.reader) == id }
            update(id) { $0.tagsArrived(own) }
        }
    }

    // MARK: On readers, one thing after another

    func read(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        onReader(arrival.reader) { [driver] in
            guard let (reader, _, options) = await self.task(arrival, of: id) else {
                return await self.update(id) { $0.tagIgnored(arrival, polling: polling) }
            }
            let result = await TagReading.perform(arrival, on: reader, driver: driver, options)
            guard let result else { return await self.ignore(arrival, polling: polling, for: id) }
            self.metrics.countTapRead(result.reading)
            await self.update(id) {
                $0.tagRead(arrival, polling: polling, on: reader, identity: result.identity, result.reading)
            }
            await driver.signal(result.reading.failure == nil ? .success : .failure, on: reader)
        }
    }

    func connect(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        onReader(arrival.reader) { [driver] in
            guard let (reader, kind, options) = await self.task(arrival, of: id) else {
                return await self.update(id) { $0.tagIgnored(arrival, polling: polling) }
            }
            do throws(TagError) {
                try await self.checkPresence(of: arrival)
                let held = try await HeldTag.connect(
                    arrival, on: reader, driver: driver, kind: kind, options, metrics: self.metrics)
                guard let held else { return await self.ignore(arrival, polling: polling, for: id) }
                await self.offer(held, of: arrival, polling: polling, on: reader, to: id)
            } catch {
                self.metrics.countConnectFailure(error)
                await self.update(id) { $0.tagFailed(arrival, polling: polling, on: reader, error) }
            }
        }
    }

    /// Another tag may lie there by now: it must not be taken for this one.
    private func checkPresence(of arrival: TagArrival) throws(TagError) {
        guard table[arrival.reader]?.tag != arrival else { return }
        throw TagError(.tagConnectionLost, "the tag left before it could be connected to")
    }

    /// Offers a tag to the session that asked for it; where that is over, it is let go of.
    private func offer(
        _ held: HeldTag, of arrival: TagArrival, polling: Int, on reader: ReaderDescription, to id: SessionID
    ) {
        guard sessions[id] != nil else { return letGo(held, on: reader.id, of: id) }
        update(id) { $0.tagFound(arrival, polling: polling, on: reader, held) }
    }

    private func ignore(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        logger.info("a tag on \(arrival.reader) is none that \(id) looks for")
        update(id) { $0.tagIgnored(arrival, polling: polling) }
    }

    func letGo(_ held: HeldTag, on reader: ReaderID, of id: SessionID) {
        let isOver = sessions[id]?.machine.isInvalidated ?? true
        let reason = isOver ? TagError.invalidated(id) : TagError(.tagConnectionLost, "the tag is not in the field")
        // Now: commands that have not started are answered before anything else is told.
        held.refuse(reason)
        onReader(reader) { [driver] in
            await held.close(reason)
            guard let outcome = held.outcome, let reader = await self.description(of: reader) else { return }
            await driver.signal(outcome, on: reader)
        }
    }

    /// What is to be done for an arrival: where, and by what options; nil where the session is over, or the reader gone.
    private func task(
        _ arrival: TagArrival, of id: SessionID
    ) -> (ReaderDescription, SessionKind, PollingOptions)? {
        let reader = description(of: arrival.reader)
        guard let machine = sessions[id]?.machine, let reader else { return nil }
        return (reader, machine.request.kind, machine.options)
    }

    /// What is known of a reader by now: the tag before may have shown what it can do.
    func description(of reader: ReaderID) -> ReaderDescription? {
        takeEvents()
        return table[reader]?.description
    }

    func onReader(_ reader: ReaderID, _ errand: @escaping @Sendable () async -> Void) {
        let previous = errands[reader]
        errands[reader] = Task {
            await previous?.value
            await errand()
        }
    }
}

// Taps outside sessions; the rule of who hears of a tap is BackgroundDesk's.

extension SessionCoordinator {
    /// Makes a background subscription for taps from now on. Nothing is told before `announce`, so that its name reaches
    /// the client before its taps.
    ///
    /// - Throws: ``BackgroundError`` where the client has as many as it may.
    public func subscribe(
        _ filter: BackgroundFilter, for client: any BackgroundClient
    ) throws(BackgroundError) -> SubscriptionID {
        // What lies there already arrived before.
        takeEvents()
        return try background.subscribe(filter, for: client)
    }

    /// The client knows the name of its subscription.
    public func announce(_ subscription: SubscriptionID) {
        background.announce(subscription)
    }

    /// Ends a background subscription.
    ///
    /// - Throws: ``BackgroundError`` where it is not the client's.
    public func unsubscribe(_ subscription: SubscriptionID, by client: ClientID) throws(BackgroundError) {
        try background.unsubscribe(subscription, by: client)
    }

    /// Reads a tag that has just come, where no session holds its reader and somebody wants it.
    func readInBackground(_ arrival: TagArrival) {
        guard claims.holder(of: arrival.reader) == nil, let reader = table[arrival.reader]?.description,
            let interest = background.tagArrived(arrival, on: reader)
        else { return }
        onReader(arrival.reader) { [driver] in
            await self.read(arrival, with: InterruptibleDriver(driver: driver, interest: interest))
        }
    }

    private func read(_ arrival: TagArrival, with driver: InterruptibleDriver) async {
        guard let reader = description(of: arrival.reader), let isPresent = background.isPresent(arrival) else {
            background.finish(arrival, nil)
            return
        }
        // What lies there by now may be another tag.
        let result = isPresent ? await TagReading.perform(arrival, on: reader, driver: driver, .everything) : .tooLate
        guard let result else {
            background.finish(arrival, nil)
            return
        }
        let tap = BackgroundTap(reader: reader, identity: result.identity, reading: result.reading)
        if background.finish(arrival, tap) { metrics.countTapRead(result.reading) }
    }
}

extension PollingOptions {
    /// Nobody has said what is looked for.
    fileprivate static let everything = PollingOptions()
}

extension TagReading {
    /// The tag left while something else was done on its reader.
    fileprivate static var tooLate: TagReading {
        TagReading(
            identity: nil,
            reading: NDEFReading(failure: TagError(.tagConnectionLost, "the tag left before it could be read")))
    }
}
