package import FoundationEssentials
package import LocalSocket
import NDEF
package import NFCProtocol
import NFCReaders
package import NFCSessions
import NFCTags
package import NFCTypes
import Synchronization
package import TapJournal

/// The sending side of a client's connection.
package protocol ClientOutlet: Sendable {
    /// Sends a line that has its newline, without waiting; on a closed connection it is lost. Lines arrive in the order of the
    /// calls.
    ///
    /// - Returns: the number of bytes that the client has not taken.
    @discardableResult func send(_ line: Data) -> Int

    /// Sends a line that other clients receive too, in turn with those: answers to other clients take precedence.
    ///
    /// - Returns: the number of bytes that the client has not taken.
    @discardableResult func send(_ line: SharedLine) -> Int

    /// Whether the client can still receive answers.
    var isConnected: Bool { get }

    /// Closes the connection; what is queued is lost.
    func close()
}

extension ClientOutlet {
    /// Sends it as any other line.
    @discardableResult
    package func send(_ line: SharedLine) -> Int { send(line.data) }
}

/// A connected client: sends lines to it, and keeps what it owns.
package final class Peer: Sendable {
    package let id: ClientID
    package let credentials: PeerCredentials
    private let logger: EventLog
    private let refusals: RefusalLog
    /// The requests that wait for a tag or communicate with it.
    let requests = RunningRequests(room: 1024)
    private let access: AccessPolicy
    private let outlet: any ClientOutlet
    private let outboundLimit: Int
    private let recordedTaps: RecordedTapLines
    /// How to release what the client owns, by name.
    private let releases = Mutex<[String: @Sendable () -> Void]>([:])

    init(
        id: ClientID, _ credentials: PeerCredentials, over outlet: any ClientOutlet, access: AccessPolicy,
        outboundLimit: Int, logger: EventLog, refusals: RefusalLog, recordedTaps: RecordedTapLines
    ) {
        self.recordedTaps = recordedTaps
        self.id = id
        self.access = access
        self.credentials = credentials
        self.outlet = outlet
        self.outboundLimit = outboundLimit
        self.logger = logger
        self.refusals = refusals
    }

    /// Logs what the client is refused, and returns the error with the grant that would allow it.
    func refused(_ error: TagError, of method: String) -> TagError {
        guard error.code == .securityViolation else { return error }
        refusals.log(error, of: method, to: credentials)
        return access.explained(error, to: credentials.principal)
    }

    /// The same for any error; one that is not a refusal is returned unchanged.
    func refused(_ error: any Error, of method: String) -> any Error {
        if let error = error as? TagError { return refused(error, of: method) }
        let answer = RPCError(thrown: error)
        guard answer.code == NFCErrorCode.securityViolation.rawValue else { return error }
        refusals.log(TagError(.securityViolation, answer.data?.detail ?? answer.message), of: method, to: credentials)
        return error
    }

    /// Whether the client can still receive answers.
    var isConnected: Bool { outlet.isConnected }

    /// Logs what the user of the client should know about something that it began.
    func note(_ text: String) { logger.warning("\(text)", metadata: ["client": "\(credentials)"]) }

    /// Closes the connection. Queued bytes are lost.
    package func close() {
        outlet.close()
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
}

extension Peer: SessionClient {
    package var label: String { "\(credentials)" }

    package var permissions: Permissions { access.permissions(of: credentials.principal) }

    package func send(_ event: SessionEvent, of session: SessionID) {
        switch event {
        case .didBecomeActive: notify(SessionDidBecomeActive(session: session.rawValue))
        case .didDetectNDEFs(let tag, let reading):
            notify(
                SessionDidDetectNDEFs(session, tag, reading), on: tag.reader, for: .tap(isProven: reading.isProven))
        case .didDetectTags(let tags):
            notify(SessionDidDetectTags(session: session.rawValue, tags: tags.map { SessionDidDetectTags.Tag($0) }))
        case .tagRemoved(let tag): notify(SessionTagRemoved(session: session.rawValue, tag: tag.rawValue))
        case .tagFailed(let reader, let error): notify(SessionTagFailed(session, reader, error))
        case .tagIgnored(let reader):
            notify(SessionTagIgnored(session: session.rawValue, reader: reader.rawValue))
        case .didInvalidate(let reason): notify(SessionDidInvalidate(session, reason))
        }
    }

    /// Sends a notification, without waiting, unless no grant allows it at this moment: what it requires is declared with it. A client
    /// that does not read is disconnected when too many bytes are queued, and so is one that would miss a notification because it
    /// cannot be sent.
    ///
    /// - Parameters:
    ///   - reader: the reader it is about; nil: any, or none.
    ///   - use: whether it is a tap, and of a proven tag.
    /// - Returns: whether a grant allows it.
    @discardableResult
    func notify<Parameters: ServerNotification>(
        _ parameters: Parameters, on reader: ReaderDescription? = nil, for use: CapabilityUse = .command
    ) -> Bool {
        guard mayReceive(Parameters.self, on: reader, for: use) else { return false }
        guard let json = encoded(parameters) else {
            close()
            return true
        }
        check(waiting: outlet.send(JSONLine.line(json)))
        return true
    }

    /// Sends a notification that other subscriptions receive too, on the same conditions. Nil: it could not be encoded.
    ///
    /// - Returns: whether a grant allows it.
    private func notify<Parameters: ServerNotification>(
        _ notification: SharedNotification?, as type: Parameters.Type, of subscription: SubscriptionID,
        on reader: ReaderDescription, for use: CapabilityUse
    ) -> Bool {
        guard mayReceive(type, on: reader, for: use) else { return false }
        guard let notification else {
            close()
            return true
        }
        check(waiting: outlet.send(notification.line(for: subscription)))
        return true
    }

    private func mayReceive<Parameters: ServerNotification>(
        _ type: Parameters.Type, on reader: ReaderDescription?, for use: CapabilityUse
    ) -> Bool {
        guard case .capabilities(let capabilities) = type.requirement else { return true }
        return permissions.allow(capabilities, on: reader, for: use)
    }

    /// Disconnects a client that does not read.
    private func check(waiting: Int) {
        guard waiting > outboundLimit else { return }
        logger.warning(
            "\(credentials) does not read; disconnected with \(waiting) bytes queued",
            metadata: ["client": "\(credentials)"])
        close()
    }

    /// The notification as JSON. Messages that are too long for a line in any form are replaced by error 105.
    private func encoded<Parameters: ServerNotification>(_ parameters: Parameters) -> Data? {
        do {
            let json = try JSONLine.shortestJSON(NotificationMessage(method: Parameters.name, params: parameters))
            if json.count <= JSONLine.maximumLength { return json }
            if var shorter = parameters as? any MessageNotification, !shorter.messages.isEmpty {
                shorter.replaceMessages(with: .tooLong(json.count, "the message on the tag"))
                return encoded(shorter)
            }
            logger.error("\(Parameters.name) for \(credentials) has \(json.count) bytes, too many for a line")
        } catch {
            logger.error("\(Parameters.name) for \(credentials) could not be encoded: \(error)")
        }
        return nil
    }
}

extension MessageNotification {
    mutating func replaceMessages(with failure: TagError) {
        messages = []
        error = SessionDidDetectNDEFs.Failure(failure)
    }
}

extension Peer {
    /// Sends the answer to a request. An answer over the length limit of a line is replaced by error 105.
    func answer(_ response: Response) {
        guard let answer = encoded(response), let length = sendWithinLimit(answer) else { return }
        let error = RPCError(TagError.tooLong(length, "the answer"))
        // The id alone may be nearly as long as the limit.
        guard let answer = encoded(.failure(response.id, error)), sendWithinLimit(answer) != nil else { return }
        self.answer(Response.failure(.null, error))
    }

    /// Sends the encoded answers to a batch. If they exceed the length limit of a line together, which only long ids cause, they
    /// are replaced by error 105.
    func answer(batch answers: [Data]) {
        var json = Data("[".utf8)
        for answer in answers {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json.append(answer)
        }
        json.append(UInt8(ascii: "]"))
        guard let length = sendWithinLimit(json) else { return }
        answer(Response.failure(.null, RPCError(TagError.tooLong(length, "the batch was carried out, but its answer"))))
    }

    /// The answer as JSON; nil if encoding fails, which is logged.
    package func encoded(_ response: Response) -> Data? {
        do {
            return try response.json()
        } catch {
            logger.error("an answer for \(credentials) could not be encoded: \(error)")
            return nil
        }
    }

    /// Sends a line. Returns its length, and sends nothing, if it is too long.
    private func sendWithinLimit(_ json: Data) -> Int? {
        guard json.count <= JSONLine.maximumLength else { return json.count }
        outlet.send(JSONLine.line(json))
        return nil
    }

}

extension TagError {
    /// Error 105: what was to be sent does not fit into a line.
    static func tooLong(_ length: Int, _ what: String) -> TagError {
        TagError(.packetTooLong, "\(what) has \(length) bytes; a line may have at most \(JSONLine.maximumLength)")
    }
}

// The notifications outside sessions.

extension Peer: BackgroundClient {
    package var account: ClientAccount { credentials.account }

    package func prepare(_ tap: BackgroundTap) { _ = notification(of: tap) }

    package func send(_ tap: BackgroundTap, of subscription: SubscriptionID) -> Bool {
        notify(
            notification(of: tap), as: BackgroundDidReadTag.self, of: subscription, on: tap.reader,
            for: .tap(isProven: tap.reading.isProven))
    }

    /// The notification for all subscriptions that receive the tap in this form; nil where it cannot be encoded.
    private func notification(of tap: BackgroundTap) -> SharedNotification? {
        var failure: (any Error)?
        let notification: SharedNotification? = tap.forms.notification(of: tap) {
            let messages = tap.forms.messages(of: tap.reading) { SharedMessages(tap.reading.messages) }
            do {
                return try SharedNotification(messages) { name in
                    var notification = BackgroundDidReadTag(tap, SubscriptionID(rawValue: name))
                    notification.messages = []
                    return notification
                }
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { logger.error("a tap on \(tap.reader.id) could not be encoded: \(failure)") }
        return notification
    }

    package func send(_ removal: BackgroundRemoval, of subscription: SubscriptionID) {
        // Only those who received the tap are notified.
        notify(BackgroundTagRemoved(removal, subscription), on: removal.reader, for: .taps)
    }
}

extension Peer: TapClient {
    package func send(_ tap: JournalTap, epoch: String, of subscription: SubscriptionID) -> Bool {
        guard isConnected else { return false }
        let notification: SharedNotification?
        do {
            notification = try recordedTaps.notification(of: tap, epoch: epoch)
        } catch {
            logger.error("tap \(tap.sequence) could not be encoded: \(error)")
            notification = nil
        }
        return notify(
            notification, as: TapsDidRecord.self, of: subscription, on: tap.readerDescription,
            for: tap.use)
    }

    /// Whether a grant gives the client a tap of the journal.
    func mayReceive(_ tap: JournalTap) -> Bool {
        mayReceive(TapsDidRecord.self, on: tap.readerDescription, for: tap.use)
    }
}

extension JournalTap {
    fileprivate var readerDescription: ReaderDescription {
        ReaderDescription(id: ReaderID(rawValue: record.reader), name: record.readerName)
    }

    fileprivate var use: CapabilityUse { .tap(isProven: record.proof?.isProven == true) }
}

extension Peer: EventClient {
    package func send(_ event: CoordinatorEvent) {
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
        case .noticeShown(let notice): notify(NoticeShown(notice))
        case .noticeHidden(let notice): notify(NoticeHidden(notice: notice.rawValue))
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
            messages: reading.messages, error: reading.failure.map { Failure($0) }, product: reading.product)
        proof = reading.proof
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
        proprietaryApplicationDataCoding = tag.identity?.hasProprietaryApplicationData
        initialSelectedAID = tag.delivery?.initialSelectedAID.map { HexBytes($0) }
        if type == .miFare { mifareFamily = tag.identity?.miFareFamily }
        currentSystemCode = tag.delivery?.systemCode.map { HexBytes([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
        if type == .feliCa { currentIDm = HexBytes(tag.delivery?.manufactureIdentifier ?? identifier.bytes) }
        supportsPACE = tag.delivery?.supportsPACE
        polling = tag.polling
        if tag.wasPresent { wasPresent = true }
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
    package init(_ code: NFCErrorCode, detail: String) {
        self.init(
            code: code.rawValue, message: code.text, data: Details(domain: "NFCError", name: code.name, detail: detail))
    }

    init(_ error: TagError) {
        self.init(error.code, detail: error.detail)
        data?.response = error.response.map { HexBytes($0) }
        data?.statusWord = error.statusBytes.map { HexBytes($0) }
        data?.path = error.path
    }

    init(_ error: SessionError) {
        switch error {
        case .invalidated: self.init(.sessionInvalidated, detail: "\(error)")
        case .tooManySessions: self.init(.systemIsBusy, detail: "\(error)")
        }
    }
}

extension PeerCredentials {
    /// The user and groups that access rules apply to.
    var principal: Principal { Principal(userID: userID, groupIDs: groupIDs, socket: socket) }
}
