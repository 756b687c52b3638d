import FoundationEssentials
import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

// What those who look on are told, in the terms of the wire.

extension BackgroundDidReadTag<NDEFMessage> {
    init(_ tap: BackgroundTap, _ subscription: SubscriptionID) {
        self.init(
            subscription: subscription.rawValue, reader: tap.reader.id.rawValue, readerName: tap.reader.name,
            tag: Tag(
                type: WireTagType(tap.identity?.type), technology: tap.identity.map { "\($0.technology)" },
                identifier: HexBytes(tap.identity?.identifier ?? [])),
            messages: tap.reading.messages, status: tap.reading.status.map { TagQueryNDEFStatus.Status($0) },
            capacity: tap.reading.capacity,
            error: tap.reading.failure.map { SessionDidDetectNDEFs<NDEFMessage>.Failure($0) })
    }
}

extension ReaderAttached {
    init(_ reader: ReaderDescription) {
        self.init(
            reader: reader.id.rawValue, name: reader.name, technologies: reader.technologies,
            profile: reader.profile.slug, serial: reader.serial)
    }
}

extension SessionBegan {
    init(_ session: SessionSummary) {
        self.init(
            session: session.id.rawValue, client: ClientProcess(session.client),
            readers: session.readers.map(\.rawValue), kind: SessionBegin.Kind(session.request))
    }
}

extension SessionsList.Session {
    init(_ session: SessionSummary) {
        let since = Date.now.addingTimeInterval(-(session.age / .seconds(1)))
        self.init(
            session: session.id.rawValue, client: ClientProcess(session.client),
            state: session.state == .active ? .active : .queued, readers: session.readers.map(\.rawValue),
            kind: SessionBegin.Kind(session.request), alertMessage: session.alertMessage,
            since: since.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            remaining: session.remaining.map { $0 / .seconds(1) })
    }
}

extension ClientProcess {
    fileprivate init(_ client: any SessionClient) {
        let credentials = (client as? Peer)?.credentials
        // Every client here is a peer; of another it could only be said that nothing is known: (uid_t)-1 is nobody.
        self.init(uid: credentials?.userID ?? .max, pid: credentials?.processID ?? 0)
    }
}

extension SessionBegin.Kind {
    /// What a session was asked for.
    fileprivate init(_ request: SessionRequest) {
        self = request.kind == .tag ? .tag : .ndef
    }
}
