import FoundationEssentials
import LocalSocket
import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags
import NFCTypes
import TapJournal
import Threading

extension MethodTable {
    /// `taps.*`.
    mutating func addTapMethods(_ coordinator: SessionCoordinator, schedule: any RequestSchedule) {
        addTapSubscriptions(coordinator)
        let lists = ExclusiveKeys<ClientAccount, Int32>()
        onCall(TapsList.self) { parameters, caller in
            let store = try coordinator.store()
            var query = try TapQuery(parameters)
            query.readers = try await coordinator.readers(parameters.readers, for: caller.peer)
            query.user = caller.peer.account
            let (listing, client) = (TapListing(query) { caller.peer.mayReceive($0) }, caller.peer.credentials)
            // A user's lists follow one another: each needs memory until it is complete. Its processes take turns.
            return try await lists.run(for: client.account, client.processID) {
                guard caller.peer.isConnected else { throw CancellationError() }
                return .done(Reply(try await listing.completed(from: store, for: client, schedule).result()))
            }
        }
        on(TapsStatus.self) { _, _ in
            guard let journal = coordinator.recorder.journal else {
                return Reply(TapsStatus.Result(JournalStatus(.disabled, reason: JournalDisabled.advice), nil))
            }
            return Reply(TapsStatus.Result(await journal.store.status(), journal.identifiers.form))
        }
        on(TapsRemoveConsumer.self) { parameters, peer in
            let name = try Self.checked(parameters.consumer)
            let consumer = peer.consumer(named: name)
            let isRemoved = try await coordinator.store().removeConsumer(
                consumer.name, owner: consumer.owner, mayTakeOver: consumer.mayTakeOver)
            guard isRemoved else {
                throw RPCError.invalidParameters("the journal has no consumer \(name)", path: "params.consumer")
            }
            return Reply(Empty())
        }
        on(TapsPrune.self) { parameters, _ in
            guard parameters.through >= 0 else {
                throw RPCError.invalidParameters("expected a number of at least 0", path: "params.through")
            }
            let removed = try await coordinator.store().prune(
                through: parameters.through, includingUndelivered: parameters.includeUndelivered ?? false)
            return Reply(TapsPrune.Result(removed: removed))
        }
    }

    private mutating func addTapSubscriptions(_ coordinator: SessionCoordinator) {
        on(TapsSubscribe.self) { parameters, peer in
            let feed = try coordinator.feed()
            let consumer = try parameters.consumer.map { try peer.consumer(named: Self.checked($0)) }
            // What the grants of the client keep from it for want of a proof is passed over as well, so that the journal need not keep it.
            let mayReceiveAll = peer.permissions.allow([.taps], for: .tap(isProven: false))
            let place = try await feed.subscribe(
                peer, consumer: consumer, after: parameters.after.map { TapStart($0) },
                requiresProof: parameters.require == .proven || !mayReceiveAll)
            let result = TapsSubscribe.Result(
                subscription: place.id.rawValue, epoch: place.epoch, after: place.after, newest: place.newest)
            return Reply(result) { await feed.announce(place.id) }
        }
        on(TapsUnsubscribe.self) { parameters, peer in
            try await coordinator.feed().unsubscribe(
                SubscriptionID(rawValue: parameters.subscription), by: peer.id)
            return Reply(Empty())
        }
        on(TapsAcknowledge.self) { parameters, peer in
            if let sequence = parameters.sequence, sequence < 0 {
                throw RPCError.invalidParameters("expected a number of at least 0", path: "params.sequence")
            }
            switch (parameters.subscription, parameters.consumer) {
            case (let subscription?, nil):
                let place = try await coordinator.feed().acknowledge(
                    SubscriptionID(rawValue: subscription), by: peer.id, through: parameters.sequence)
                return Reply(TapsAcknowledge.Result(epoch: place.epoch, acknowledged: place.acknowledged))
            case (nil, let name?):
                let store = try coordinator.store()
                let consumer = try peer.consumer(named: Self.checked(name))
                let place = try await store.acknowledge(
                    consumer.name, owner: consumer.owner, through: parameters.sequence,
                    mayTakeOver: consumer.mayTakeOver)
                return Reply(
                    TapsAcknowledge.Result(epoch: await store.status().epoch, acknowledged: place.acknowledged))
            default: throw RPCError.invalidParameters("expected either subscription or consumer", path: "params")
            }
        }
    }

    /// The name of a consumer: it appears in lists, metrics and logs.
    private static func checked(_ name: String) throws(RPCError) -> String {
        guard (1...128).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
            throw .invalidParameters("expected 1 to 128 bytes without control characters", path: "params.consumer")
        }
        return name
    }
}

extension SessionCoordinator {
    fileprivate nonisolated func store() throws(RPCError) -> any TapStore {
        guard let journal = recorder.journal else {
            throw RPCError(.unsupportedFeature, detail: JournalDisabled.advice)
        }
        return journal.store
    }

    fileprivate nonisolated func feed() throws(RPCError) -> TapFeed {
        guard let feed = recorder.feed else { throw RPCError(.unsupportedFeature, detail: JournalDisabled.advice) }
        return feed
    }

    /// The readers whose taps a client may list, of those that it wants; nil: all.
    fileprivate func readers(_ wanted: [String]?, for peer: Peer) async throws(RPCError) -> [String]? {
        let permissions = peer.permissions
        guard let granted = permissions.readerNames(with: [.taps]) else { return wanted }
        let known = await readers().map(\.entry.description)
        guard let wanted else {
            return granted + known.filter { permissions.allow([.taps], on: $0, for: .taps) }.map(\.id.rawValue)
        }
        for id in wanted {
            let reader = known.first { $0.id.rawValue == id } ?? ReaderDescription(id: ReaderID(rawValue: id), name: id)
            if let objection = permissions.objection(to: [.taps], on: reader, for: .taps) { throw RPCError(objection) }
        }
        return wanted
    }
}

/// The error if there is no journal.
private enum JournalDisabled {
    static let advice = "nfcd keeps no journal of taps; set enabled = true in [journal] of nfcd.toml, and restart nfcd"
}

extension Peer {
    /// The owner of the consumers of a further socket, whatever user a client is there: (uid_t)-1 is not a user.
    private static let ownerBehindSocket = UInt32.max

    /// A consumer that this client acknowledges for. Those of a further socket have its name in front, so that they are not those of a user.
    fileprivate func consumer(named name: String) -> TapFeed.Consumer {
        let mayTakeOver = permissions.allow([.manage])
        guard let socket = credentials.socket else {
            return TapFeed.Consumer(name: name, owner: credentials.userID, mayTakeOver: mayTakeOver)
        }
        return TapFeed.Consumer(
            name: "socket:\(socket)/\(name)", owner: Self.ownerBehindSocket, mayTakeOver: mayTakeOver)
    }
}

// Taps, positions and states in the form of the protocol.

extension TapStart {
    fileprivate init(_ position: TapPosition) {
        self =
            switch position {
            case .sequence(let sequence): .after(sequence)
            case .new: .newest
            }
    }
}

extension TapQuery {
    /// The limit of the taps in an answer.
    private static let most = 1_000
    /// The bytes of messages in an answer: in hexadecimal digits, and with the rest of 1,000 taps, they fit into a line.
    private static let mostBytes = 128 * 1024

    fileprivate init(_ parameters: TapsList.Parameters) throws(RPCError) {
        let (after, limit) = (parameters.after ?? 0, parameters.limit ?? 100)
        guard after >= 0 else { throw .invalidParameters("expected a number of at least 0", path: "params.after") }
        guard (1...Self.most).contains(limit) else {
            throw .invalidParameters("expected a number from 1 to \(Self.most)", path: "params.limit")
        }
        self.init(
            after: after, limit: limit, byteLimit: Self.mostBytes, isNewestFirst: parameters.newestFirst ?? false)
    }
}

extension RecordedTap {
    init(_ tap: JournalTap, epoch: String) {
        let record = tap.record
        let message = record.message.flatMap { try? NDEFMessage(decoding: $0) }
        self.init(
            sequence: tap.sequence, id: "\(record.id)", time: record.time.text, reader: record.reader,
            readerName: record.readerName, readerSequence: tap.readerSequence,
            tag: Tag(
                type: record.type, technology: record.technology, identifier: HexBytes(record.identifier),
                identifierForm: record.identifierForm == .plain ? nil : record.identifierForm),
            message: message, error: record.failure.map { .init(TagError($0.code, $0.detail)) }, status: record.status,
            capacity: record.capacity, session: record.session, epoch: epoch, bootID: record.time.bootID,
            bootTime: record.time.sinceBoot / .seconds(1), clock: record.time.clock)
        proof = record.proof
    }

    func withoutMessage(_ reason: TagError) -> RecordedTap {
        var tap = self
        (tap.message, tap.error) = (nil, .init(reason))
        return tap
    }
}

extension TapTime {
    /// The wall time: RFC 3339 with milliseconds, in UTC.
    fileprivate var text: String { Self.text(milliseconds) }

    fileprivate static func text(_ milliseconds: Int64) -> String {
        // The style cuts off what is less than a millisecond.
        Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1_000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension TapsStatus.Result {
    /// - Parameter form: the form in which UIDs are stored; nil without a journal.
    fileprivate init(_ status: JournalStatus, _ form: IdentifierForm?) {
        self.init(
            state: status.state, reason: status.reason, epoch: status.epoch, oldest: status.oldest,
            newest: status.newest, taps: status.taps, tapLimit: status.tapLimit, bytes: status.bytes,
            byteLimit: status.byteLimit, dropped: status.dropped, movedAside: status.movedAside,
            identifiers: status.epoch.isEmpty ? nil : form,
            consumers: status.consumers.map { consumer in
                TapsStatus.Consumer(
                    name: consumer.name, uid: consumer.owner, acknowledged: consumer.acknowledged,
                    backlog: consumer.backlog, oldest: consumer.oldest.map { TapTime.text($0) },
                    lost: consumer.lost)
            })
    }
}

extension RPCError {
    init(_ error: TapFeedError) {
        self =
            switch error {
            case .tooManySubscriptions, .tooManySubscriptionsOfUser: RPCError(.systemIsBusy, detail: "\(error)")
            case .unknown: .invalidParameters("\(error)", path: "params.subscription")
            case .notSent: .invalidParameters("\(error)", path: "params.sequence")
            }
    }

    init(_ error: JournalError) {
        self =
            switch error {
            case .full, .failed, .timedOut, .tooManyConsumers, .tooManyConsumersOfUser:
                RPCError(.systemIsBusy, detail: "\(error)")
            case .foreignConsumer, .reservedConsumer: RPCError(.securityViolation, detail: "\(error)")
            case .unknownSequence: .invalidParameters("\(error)", path: "params.sequence")
            }
    }
}
