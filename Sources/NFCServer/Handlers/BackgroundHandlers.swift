import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

extension MethodTable {
    /// `background.*`.
    mutating func addBackgroundMethods(_ coordinator: SessionCoordinator) {
        on(BackgroundSubscribe.self) { parameters, peer in
            var filter = try BackgroundFilter(parameters.filter ?? .init())
            filter.requiresProof = parameters.require == .proven
            if let name = filter.reader { try await coordinator.check(taps: name, for: peer) }
            let id = try await coordinator.subscribe(filter, removals: parameters.removals ?? false, for: peer)
            return Reply(BackgroundSubscribe.Result(subscription: id.rawValue)) { await coordinator.announce(id) }
        }
        on(BackgroundUnsubscribe.self) { parameters, peer in
            try await coordinator.unsubscribe(SubscriptionID(rawValue: parameters.subscription), by: peer.id)
            return Reply(Empty())
        }
    }
}

extension SessionCoordinator {
    /// Refuses a subscription to the taps on a reader that is plugged in and on which the client may not receive them.
    fileprivate func check(taps name: String, for peer: Peer) async throws(TagError) {
        guard case .capabilities(let capabilities) = BackgroundDidReadTag.requirement else { return }
        for reader in await readers().map(\.entry.description) where reader.matches(name) {
            if let objection = peer.permissions.objection(to: capabilities, on: reader, for: .taps) {
                throw objection
            }
        }
    }
}

extension BackgroundFilter {
    /// The maximum length of a part, in bytes.
    private static let partLength = 1024
    /// The most schemes.
    private static let mostSchemes = 64

    fileprivate init(_ filter: BackgroundSubscribe.Filter) throws(RPCError) {
        self.init()
        uriPrefix = try Self.checked(filter.uriPrefix, "uriPrefix")
        uriHost = try Self.checked(filter.uriHost, "uriHost")
        uriSchemes = try (filter.uriSchemes ?? []).prefix(Self.mostSchemes + 1).map { scheme throws(RPCError) in
            try Self.checked(scheme, "uriSchemes") ?? ""
        }
        guard uriSchemes.count <= Self.mostSchemes else {
            throw .invalidParameters(
                "expected at most \(Self.mostSchemes) schemes", path: "params.filter.uriSchemes")
        }
        mimeType = try Self.checked(filter.mimeType, "mimeType")
        externalType = try Self.checked(filter.externalType, "externalType")
        kind = try Self.checked(filter.kind, "kind")
        reader = try Self.checked(filter.reader, "reader")
        _ = try Self.checked(filter.identifier?.description, "identifier")
        identifier = filter.identifier?.bytes
    }

    private static func checked(_ part: String?, _ name: String) throws(RPCError) -> String? {
        guard let part else { return nil }
        guard !part.isEmpty, part.utf8.count <= partLength else {
            throw .invalidParameters(
                "expected 1 to \(partLength) bytes, not \(part.utf8.count)", path: "params.filter.\(name)")
        }
        return part
    }
}

extension RPCError {
    init(_ error: BackgroundError) {
        self =
            switch error {
            case .tooManySubscriptions, .tooManySubscriptionsOfUser: RPCError(.systemIsBusy, detail: "\(error)")
            case .unknown: .invalidParameters("\(error)", path: "params.subscription")
            }
    }
}

extension BackgroundDidReadTag {
    init(_ tap: BackgroundTap, _ subscription: SubscriptionID) {
        self.init(
            subscription: subscription.rawValue, reader: tap.reader.id.rawValue, readerName: tap.reader.name,
            tag: Tag(tap.identity, product: tap.reading.product),
            messages: tap.reading.messages, uri: tap.uri, record: tap.record, status: tap.reading.status,
            capacity: tap.reading.capacity,
            error: tap.reading.failure.map { SessionDidDetectNDEFs.Failure($0) })
        proof = tap.reading.proof
    }
}

extension BackgroundTagRemoved {
    init(_ removal: BackgroundRemoval, _ subscription: SubscriptionID) {
        self.init(
            subscription: subscription.rawValue, reader: removal.reader.id.rawValue, readerName: removal.reader.name,
            tag: BackgroundDidReadTag.Tag(removal.identity, product: removal.product))
    }
}

extension BackgroundDidReadTag.Tag {
    fileprivate init(_ identity: TagIdentity?, product: String?) {
        self.init(
            type: identity?.type ?? .unknown, technology: identity.map { "\($0.technology)" },
            identifier: HexBytes(identity?.identifier ?? []), product: product)
    }
}
