public import NFCTags

/// A source of readers: PC/SC or the simulator.
public protocol ReaderDriver: Sendable {
    /// Monitors readers and tags until the task is cancelled.
    ///
    /// - Parameter report: receives the events in order; it must not block.
    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async

    /// Returns when the reported readers are up to date, after ``refreshLimit`` at the latest. A driver that pauses before its
    /// next attempt tries at once.
    func refresh() async

    /// Connects to the tag on a reader. A reader has at most one connection at a time; the caller closes it.
    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection

    /// Caches the family that a probe found, and reports the reader's new description before it returns.
    func cache(_ profile: ReaderProfile, of reader: ReaderID)

    /// Sends a command to the reader itself, if its driver allows it. Neither the answer nor an error is reported.
    func escape(_ command: [UInt8], to reader: ReaderID) async

    /// Readers that nfcd still waits for long after the deadline of a call, which means that nfcd hangs.
    var hungReaders: [ReaderID] { get }
}

/// The time limit of a refresh: a service that hangs must not delay the clients that list readers.
let refreshLimit = Duration.seconds(2)

/// An exclusive connection to a tag, until it is closed.
public protocol CardConnection: CardChannel {
    /// The answer to reset when the connection began, 0 to 33 bytes.
    var answerToReset: [UInt8] { get }

    /// Resets the tag, which loses its state: keys, selected applications and files. The connection stays exclusive.
    func reconnect() async throws(CardChannelError)

    /// The same connection with one time limit for all exchanges together, beginning now, instead of a limit for each. When it
    /// is over, exchanges fail with a timeout.
    func limited(to limit: Duration) -> any CardConnection

    /// Disconnects from the tag, within a time limit.
    func close() async
}

extension ReaderDriver {
    /// Shows or sounds the result of an operation at a reader, if that is configured and the reader supports it. Some readers
    /// answer only when they have finished, so no operation may wait for the reader. Errors are ignored.
    public func signal(_ kind: ReaderFeedback.Kind, on reader: ReaderDescription) async {
        guard reader.givesFeedback, let feedback = reader.profile.feedback(kind) else { return }
        switch feedback.route {
        case .escape: await escape(feedback.command, to: reader.id)
        case .transmit:
            guard let connection = try? await connect(to: reader.id) else { return }
            _ = try? await connection.transmit(feedback.command)
            await connection.close()
        }
    }
}

/// An event of a driver's readers.
public enum ReaderEvent: Sendable, Hashable {
    /// The driver can access readers, which are reported next; sent again after each loss of the service.
    case serviceAvailable
    /// The driver cannot access any reader, with the reason. Every reader is detached.
    case serviceUnavailable(reason: String)
    /// A reader was plugged in.
    case attached(ReaderDescription)
    /// The description of an attached reader changed.
    case described(ReaderDescription)
    /// A reader was unplugged.
    case detached(ReaderID)
    /// A tag came into the field.
    case tagArrived(TagArrival)
    /// The tag left the field.
    case tagLeft(ReaderID)
    /// A tag is in the field and does not answer.
    case tagMute(ReaderID)
    /// The reader no longer answers, with the reason.
    case failed(ReaderID, reason: String)
    /// A failed reader answers again.
    case recovered(ReaderID)
}
