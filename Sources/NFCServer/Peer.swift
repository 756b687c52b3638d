import FoundationEssentials
import Logging
import NDEF
import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags
import NIOCore
import Synchronization

/// A connected client: sends lines to it, and keeps what it owns.
final class Peer: Sendable {
    let id: ClientID
    let credentials: PeerCredentials
    let logger: Logger
    /// The requests that wait for a tag or communicate with it.
    let requests = PendingRequests(room: 1024)
    private let access: AccessPolicy
    private let channel: any Channel
    private let outbox: Outbox
    private let outboundLimit: Int
    /// How to release what the client owns, by name.
    private let releases = Mutex<[String: @Sendable () -> Void]>([:])

    init(id: ClientID, _ client: ClientConnection, access: AccessPolicy, outboundLimit: Int, logger: Logger) {
        self.id = id
        self.access = access
        credentials = client.credentials
        channel = client.channel
        outbox = client.outbox
        self.outboundLimit = outboundLimit
        self.logger = logger
    }

    /// Sends a value as a line, without waiting. A client that does not read is disconnected when too many bytes are queued.
    func send(_ value: some Encodable) {
        guard let line = encoded({ try JSONLine.encode(value) }) else { return }
        write(line)
    }

    /// Sends the last line and closes the connection. The client has a second to read it.
    func sendLast(_ response: Response) async {
        guard let line = encoded({ try JSONLine.encode(response) }) else { return close() }
        write(line)
        channel.eventLoop.scheduleTask(in: .seconds(1)) { self.close() }
        await outbox.flushed()
        channel.close(mode: .output, promise: nil)
        try? await channel.closeFuture.get()
    }

    /// The encoded line; nil if encoding fails, which is logged.
    func encoded(_ makeLine: () throws -> Data) -> Data? {
        do {
            return try makeLine()
        } catch {
            logger.error("a line for \(credentials) could not be encoded: \(error)")
            return nil
        }
    }

    /// Closes the connection. Queued bytes are lost.
    func close() {
        channel.close(promise: nil)
    }

    /// Records that the client owns something until it disconnects.
    func own(_ name: String, release: @escaping @Sendable () -> Void) {
        releases.withLock { $0[name] = release }
    }

    /// Releases what the client owns under a name. Returns false if it owns nothing of that name.
    func release(_ name: String) -> Bool {
        let release = releases.withLock { $0.removeValue(forKey: name) }
        release?()
        return release != nil
    }

    /// Releases everything that the client owns.
    func releaseAll() {
        let all = releases.withLock { releases in
            defer { releases = [:] }
            return releases
        }
        for release in all.values { release() }
    }

    /// Sends an encoded line; see ``send(_:)``.
    func write(_ line: Data) {
        let waiting = outbox.send(line)
        guard waiting > outboundLimit else { return }
        logger.warning(
            "\(credentials) does not read; disconnected with \(waiting) bytes queued",
            metadata: ["client": "\(credentials)"])
        close()
    }
}

extension Peer: SessionClient {
    var label: String { "\(credentials)" }

    var permissions: Permissions { access.permissions(of: credentials.principal) }

    func send(_ event: SessionEvent, of session: SessionID) {
        switch event {
        case .didBecomeActive: notify(SessionDidBecomeActive(session: session.rawValue))
        case .didDetectNDEFs(let tag, let reading): notify(SessionDidDetectNDEFs(session, tag, reading), on: tag.reader)
        case .didDetectTags(let tags):
            notify(SessionDidDetectTags(session: session.rawValue, tags: tags.map { SessionDidDetectTags.Tag($0) }))
        case .tagRemoved(let tag): notify(SessionTagRemoved(session: session.rawValue, tag: tag.rawValue))
        case .tagFailed(let reader, let error): notify(SessionTagFailed(session, reader, error))
        case .didInvalidate(let reason): notify(SessionDidInvalidate(session, reason))
        }
    }

    /// Sends a notification, unless no grant allows it at this moment: what it requires is declared with it.
    ///
    /// - Parameter reader: the reader it is about; nil: any, or none.
    func notify<Parameters: ServerNotification>(_ parameters: Parameters, on reader: ReaderDescription? = nil) {
        if case .capabilities(let capabilities) = Parameters.requirement {
            guard permissions.allow(capabilities, on: reader) else { return }
        }
        send(NotificationMessage(method: Parameters.name, params: parameters))
    }
}

extension Peer {
    /// Sends the answer to a request. An answer over the length limit of a line is replaced by error 105.
    func answer(_ response: Response) {
        guard let length = sendWithinLimit(response) else { return }
        let error = Self.tooLong(length, "the answer")
        // The id alone may be nearly as long as the limit.
        if sendWithinLimit(Response.failure(response.id, error)) != nil {
            answer(Response.failure(.null, error))
        }
    }

    /// Sends the answers to a batch. If they exceed the length limit of a line together, they are replaced by error 105.
    func answer(_ responses: [Response]) {
        guard let length = sendWithinLimit(responses) else { return }
        answer(Response.failure(.null, Self.tooLong(length, "the batch was carried out, but its answer")))
    }

    /// Sends a line. Returns its length, and sends nothing, if it is too long.
    private func sendWithinLimit(_ answer: some Encodable) -> Int? {
        guard let line = encoded({ try JSONLine.encode(answer) }) else { return nil }
        guard line.count <= JSONLine.maximumLength + 1 else { return line.count - 1 }
        write(line)
        return nil
    }

    private static func tooLong(_ length: Int, _ what: String) -> RPCError {
        RPCError(
            .packetTooLong, detail: "\(what) has \(length) bytes; a line may have at most \(JSONLine.maximumLength)")
    }
}

// The notifications outside sessions.

extension Peer: BackgroundClient {
    func send(_ tap: BackgroundTap, of subscription: SubscriptionID) {
        notify(BackgroundDidReadTag(tap, subscription), on: tap.reader)
    }
}

extension Peer: EventClient {
    func send(_ event: CoordinatorEvent) {
        switch event {
        case .readerAttached(let reader): notify(ReaderAttached(reader), on: reader)
        case .readerDetached(let reader): notify(ReaderDetached(reader: reader.id.rawValue), on: reader)
        case .readerFailed(let reader, let reason):
            notify(ReaderFailed(reader: reader.id.rawValue, failure: reason), on: reader)
        case .readerRecovered(let reader): notify(ReaderRecovered(reader: reader.id.rawValue), on: reader)
        case .tagArrived(let reader): notify(ReaderTagArrived(reader: reader.id.rawValue), on: reader)
        case .tagLeft(let reader): notify(ReaderTagLeft(reader: reader.id.rawValue), on: reader)
        case .sessionBegan(let session): notify(SessionBegan(session))
        case .sessionEnded(let session, let reason):
            notify(SessionEnded(session: session.rawValue, code: reason.code.rawValue, name: reason.code.name))
        }
    }
}

// Events and errors of sessions, readers and tags, in the form of the protocol.

extension SessionDidDetectNDEFs {
    init(_ session: SessionID, _ tag: DetectedTag, _ reading: NDEFReading) {
        self.init(
            session: session.rawValue, reader: tag.reader.id.rawValue, readerName: tag.reader.name,
            tag: tag.id.rawValue, type: tag.identity?.type ?? .unknown,
            technology: tag.identity.map { "\($0.technology)" }, identifier: HexBytes(tag.identity?.identifier ?? []),
            messages: reading.messages, error: reading.failure.map { Failure($0) })
    }
}

extension SessionDidDetectTags.Tag {
    init(_ tag: DetectedTag) {
        self.init(
            tag: tag.id.rawValue, reader: tag.reader.id.rawValue, readerName: tag.reader.name,
            type: tag.delivery?.type ?? tag.identity?.type ?? .unknown,
            technology: "\(tag.identity?.technology ?? .unknown)", identifier: HexBytes(tag.identity?.identifier ?? []))
        historicalBytes = tag.identity?.typeAHistoricalBytes.map { HexBytes($0) }
        applicationData = tag.identity?.applicationData.map { HexBytes($0) }
        initialSelectedAID = tag.delivery?.initialSelectedAID.map { HexBytes($0) }
        if type == .miFare { mifareFamily = tag.identity?.miFareFamily }
        currentSystemCode = tag.delivery?.systemCode.map { HexBytes([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
        if type == .feliCa { currentIDm = HexBytes(tag.delivery?.manufactureIdentifier ?? identifier.bytes) }
        supportsPACE = tag.delivery?.supportsPACE
        polling = tag.polling
    }
}

extension SessionDidDetectNDEFs.Failure {
    init(_ error: TagError) {
        self.init(code: error.code.rawValue, name: error.code.name, message: error.code.text, detail: error.detail)
    }
}

extension SessionDidInvalidate {
    init(_ session: SessionID, _ reason: Invalidation) {
        self.init(session: session.rawValue, reason.code, detail: reason.detail)
    }
}

extension SessionTagFailed {
    init(_ session: SessionID, _ reader: ReaderDescription, _ error: TagError) {
        self.init(
            session: session.rawValue, reader: reader.id.rawValue, code: error.code.rawValue, name: error.code.name,
            detail: error.detail)
    }
}

extension Duration {
    /// A time in seconds from the parameters of a request, more than 0.
    init(seconds: Double, atMost limit: Double, path: String) throws(RPCError) {
        guard seconds > 0, seconds <= limit else {
            throw .invalidParameters("expected more than 0 and at most \(Int(limit)) seconds", path: path)
        }
        self = .seconds(seconds)
    }
}

extension RPCError {
    /// An NFC error, with CoreNFC's number as the code.
    init(_ code: NFCErrorCode, detail: String) {
        self.init(
            code: code.rawValue, message: code.text, data: Details(domain: "NFCError", name: code.name, detail: detail))
    }

    init(_ error: TagError) {
        self.init(error.code, detail: error.detail)
        data?.response = error.response.map { HexBytes($0) }
        data?.statusWord = error.statusBytes.map { HexBytes($0) }
    }

    init(_ error: SessionError) {
        switch error {
        case .invalidated: self.init(.sessionInvalidated, detail: "\(error)")
        case .tooManySessions: self.init(.systemIsBusy, detail: "\(error)")
        }
    }
}
