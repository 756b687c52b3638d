public import NFCReaders
import NFCTags
import Synchronization

// What the coordinator does with tags. The state that decides about it is in `SessionCoordinator.swift`.

extension SessionCoordinator {
    /// Reads a tag for a session that is given messages.
    func read(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        operate(on: arrival.reader) { driver in
            guard let (reader, session) = await self.target(arrival, of: id) else {
                return await self.update(id) { $0.tagIgnored(arrival, polling: polling) }
            }
            let interest = await self.interest(of: id)
            let result = await TagReading.perform(
                arrival, on: reader, driver: driver, session.machine.options, within: self.bounds(of: interest))
            guard let result, !interest.isOver else { return await self.ignore(arrival, polling: polling, for: id) }
            var reading = result.reading
            if let refusal = await self.refusal(of: result, arrival, on: reader, in: id) {
                reading = NDEFReading(failure: refusal)
            }
            self.metrics.countTapRead(reading)
            await self.update(id) {
                $0.tagRead(arrival, polling: polling, on: reader, identity: result.identity, reading)
            }
            await driver.signal(reading.failure == nil ? .success : .failure, on: reader)
        }
    }

    /// Connects to a tag for a session that is given tags.
    func connect(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        operate(on: arrival.reader) { driver in
            guard let (reader, session) = await self.target(arrival, of: id) else {
                return await self.update(id) { $0.tagIgnored(arrival, polling: polling) }
            }
            do throws(TagError) {
                try await self.checkPresence(of: arrival)
                let held = try await HeldTag.connect(
                    arrival, on: reader, driver: driver, kind: session.machine.request.kind,
                    session.machine.options, permissions: { session.client.permissions },
                    within: self.bounds(of: self.interest(of: id)), metrics: self.metrics,
                    audit: TagAudit(id, of: session.client, on: reader.id, self.log.logger))
                guard let held else { return await self.ignore(arrival, polling: polling, for: id) }
                let contact = TagReading(identity: held.identity, reading: NDEFReading())
                if let refusal = await self.refusal(of: contact, arrival, on: reader, in: id) {
                    held.refuse(refusal)
                    await held.close(refusal)
                    await driver.signal(.failure, on: reader)
                    throw refusal
                }
                await self.offer(held, of: arrival, polling: polling, on: reader, to: id)
            } catch {
                self.metrics.countConnectFailure(error)
                await self.update(id) { $0.tagFailed(arrival, polling: polling, on: reader, error) }
            }
        }
    }

    /// Offers a tag to the session that asked for it, or releases it where that session is over.
    private func offer(
        _ held: HeldTag, of arrival: TagArrival, polling: Int, on reader: ReaderDescription, to id: SessionID
    ) async {
        await shareIfYielding(held, of: id)
        guard sessions[id] != nil else { return release(held, on: reader.id, of: id) }
        update(id) { $0.tagFound(arrival, polling: polling, on: reader, held) }
    }

    /// Shows failure and success at readers, as nothing else does, behind the other operations on each.
    ///
    /// - Returns: the readers that have light or sound, and whose feedback is configured.
    public func identify(_ readers: [ReaderDescription]) -> [ReaderID] {
        let able = readers.filter { $0.givesFeedback && $0.profile.feedback(.failure) != nil }
        for reader in able {
            operate(on: reader.id) { driver in
                await driver.signal(.failure, on: reader)
                await driver.signal(.success, on: reader)
            }
        }
        return able.map(\.id)
    }

    /// Disconnects from a tag behind the other operations on its reader.
    func release(_ held: HeldTag, on reader: ReaderID, of id: SessionID) {
        let isOver = sessions[id]?.machine.isInvalidated ?? true
        let reason = isOver ? TagError.invalidated(id) : TagError(.tagConnectionLost, "the tag is not in the field")
        // Immediately: commands that have not started are answered before any later notification.
        held.refuse(reason)
        if isOver { held.stop() } else { closing[id, default: []].insert(held) }
        operate(on: reader) { driver in
            await held.close(reason)
            await self.closed(held, of: id)
            guard let outcome = held.outcome, let reader = await self.entry(of: reader)?.description else { return }
            await driver.signal(outcome, on: reader)
        }
    }

    /// Reads a tag for the journal and for background subscriptions, as long as no session takes it over.
    func read(_ arrival: TagArrival, while interest: ReadingInterest) {
        operate(on: arrival.reader) { driver in
            guard let reader = await self.entry(of: arrival.reader)?.description,
                let isPresent = await self.isPresent(arrival)
            else { return await self.finishReading(arrival, nil) }
            // If it has left, another tag may be in the field by now.
            let result =
                isPresent
                ? await TagReading.perform(
                    arrival, on: reader, driver: driver, PollingOptions(), within: self.bounds(of: interest))
                : .leftEarly
            // A tag that a session took over is the session's.
            guard let result, await self.isPresent(arrival) != nil else {
                return await self.finishReading(arrival, nil)
            }
            let tap = BackgroundTap(reader: reader, identity: result.identity, reading: result.reading)
            await self.finish(tap, of: arrival, driver)
        }
    }

    /// Records a tap of the background; then notifies the subscriptions, and shows the result at the reader.
    private nonisolated func finish(_ tap: BackgroundTap, of arrival: TagArrival, _ driver: any ReaderDriver) async {
        let outcome = await recorder.record(tap, of: arrival)
        switch outcome {
        case .recorded: await deliver(tap, of: arrival)
        case .repeated: return await finishReading(arrival, nil)
        case .refused(let refusal):
            let failed = BackgroundTap(
                reader: tap.reader, identity: tap.identity, reading: NDEFReading(failure: refusal))
            await deliver(failed, of: arrival)
        }
        // Without a journal, a tap that no session waits for promises nothing.
        guard recorder.journal != nil else { return }
        await driver.signal(outcome == .recorded && !tap.isUnread ? .success : .failure, on: tap.reader)
    }

    /// Notifies the subscriptions of a tap. Their filters are compared, and the notification is made, while the coordinator serves
    /// others.
    private nonisolated func deliver(_ tap: BackgroundTap, of arrival: TagArrival) async {
        await finishReading(arrival, TapMatches.find(tap, among: candidates(for: arrival)))
    }

    /// Records a tap of a session, where the journal includes those.
    ///
    /// - Returns: why the journal did not store it.
    private func refusal(
        of result: TagReading, _ arrival: TagArrival, on reader: ReaderDescription, in id: SessionID
    ) async -> TagError? {
        guard recorder.journal?.includesSessions == true, sessions[id] != nil else { return nil }
        let tap = BackgroundTap(reader: reader, identity: result.identity, reading: result.reading)
        guard case .refused(let refusal) = await recorder.record(tap, of: arrival, in: id) else { return nil }
        return refusal
    }

    /// The reader of an arrival and the session it is for; nil where the session is over, or the reader is gone.
    private func target(_ arrival: TagArrival, of id: SessionID) -> (ReaderDescription, SessionRegistry.Entry)? {
        guard let reader = entry(of: arrival.reader)?.description, let session = sessions[id] else { return nil }
        return (reader, session)
    }

    /// Throws where the tag has left: another one may be in the field by now, and must not be taken for it.
    private func checkPresence(of arrival: TagArrival) throws(TagError) {
        guard entry(of: arrival.reader)?.tag != arrival else { return }
        throw TagError(.tagConnectionLost, "the tag left the field before nfcd connected to it")
    }
}

extension TagReading {
    /// The tag left while another operation ran on its reader.
    fileprivate static var leftEarly: TagReading {
        TagReading(
            identity: nil,
            reading: NDEFReading(
                failure: TagError(.tagConnectionLost, "the tag left the field before nfcd read it")))
    }
}

/// Receives events from drivers, on any thread, and keeps them in order until the coordinator takes them.
final class ReaderEventInbox: Sendable {
    private let events = Mutex<[(event: ReaderEvent, time: Duration)]>([])
    private let uptime: Stopwatch
    private let signal: AsyncStream<Void>.Continuation
    /// An element whenever there are events to take.
    let signals: AsyncStream<Void>

    init(_ uptime: Stopwatch) {
        self.uptime = uptime
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event.
    func add(_ event: ReaderEvent) {
        let time = uptime.elapsed
        events.withLock { $0.append((event, time)) }
        signal.yield()
    }

    /// Removes and returns all events, with the times at which they were added.
    func take() -> [(event: ReaderEvent, time: Duration)] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Ends `signals`: no event will follow.
    func finish() {
        signal.finish()
    }
}

/// The operations on readers: on each reader one after another, so that two never meet on a tag.
struct ReaderOperations {
    private let driver: any ReaderDriver
    private var last: [ReaderID: Task<Void, Never>] = [:]

    init(driver: any ReaderDriver) { self.driver = driver }

    /// Starts an operation as soon as those before it on the same reader have ended.
    mutating func add(on reader: ReaderID, _ operation: @escaping @Sendable (any ReaderDriver) async -> Void) {
        last[reader] = Task { [driver, previous = last[reader]] in
            await previous?.value
            await operation(driver)
        }
    }
}
