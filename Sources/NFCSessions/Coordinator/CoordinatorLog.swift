import NFCReaders
import NFCTags

/// The messages that the coordinator logs. Their metadata name the session, the client and the reader.
struct CoordinatorLog: Sendable {
    let logger: EventLog

    /// A driver reported an event.
    func received(_ event: ReaderEvent) { logger.debug("\(event)") }

    /// An event changed what is known of readers.
    func handled(_ event: ReaderEvent) {
        switch event {
        case .serviceStarting: logger.info("the PC/SC service is being started")
        case .serviceAvailable: logger.info("readers are available")
        case .serviceUnavailable(let reason): logger.warning("no readers are available: \(reason)")
        case .attached(let reader):
            logger.info("reader \(reader.id) attached: \(reader.name)", metadata: Self.subject(reader.id))
        case .described(let reader):
            logger.info("reader \(reader.id) has profile \(reader.profile.slug)", metadata: Self.subject(reader.id))
        case .failed(let reader, let reason):
            logger.error("reader \(reader) failed: \(reason)", metadata: Self.subject(reader))
        case .blocked(let reader, let reason):
            logger.warning("reader \(reader) cannot be used: \(reason)", metadata: Self.subject(reader))
        case .recovered(let reader): logger.notice("reader \(reader) works again", metadata: Self.subject(reader))
        case .tagMute(let reader):
            logger.notice(
                "a tag on reader \(reader) does not answer; remove it and present it again",
                metadata: Self.subject(reader))
        case .detached(let reader): logger.info("reader \(reader) detached", metadata: Self.subject(reader))
        case .tagArrived, .tagLeft: break
        }
    }

    /// An event was sent to the client of a session.
    func sent(_ event: SessionEvent, of id: SessionID, to client: any SessionClient) {
        let subject: EventLog.Metadata = ["session": "\(id)", "client": "\(client.label)"]
        switch event {
        case .didBecomeActive: logger.info("\(id) of \(client.label) is active", metadata: subject)
        // A refused session is logged where it is refused, with a limit: one client can begin any number of them.
        case .didInvalidate(let reason) where reason.code == .securityViolation:
            logger.debug("\(id) of \(client.label) is refused", metadata: subject)
        case .didInvalidate(let reason):
            logger.info(
                "\(id) of \(client.label) ended: \(reason.code.rawValue) \(reason.code.name) \(reason.detail)",
                metadata: subject)
        case .tagFailed(let reader, let error):
            logger.notice("connecting to a tag on reader \(reader.id) failed: \(error)", metadata: subject)
        case .didDetectNDEFs, .didDetectTags, .tagIgnored, .tagRemoved: break
        }
    }

    /// A session does not look for a tag.
    func ignored(_ arrival: TagArrival, by id: SessionID) {
        logger.info("\(id) does not look for the tag on reader \(arrival.reader); it is ignored")
    }

    /// Sessions are ended together.
    func ended(_ count: Int, _ reason: String) { logger.notice("\(count) active sessions are ended: \(reason)") }

    /// The system was suspended.
    func suspended(_ duration: Duration) { logger.notice("the system was suspended for \(duration)") }

    private static func subject(_ reader: ReaderID) -> EventLog.Metadata { ["reader": "\(reader)"] }
}
