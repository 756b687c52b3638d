import NFCReaders
import NFCTags

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
