public import NFCTags

/// A source of readers: PC/SC, or simulated ones.
public protocol ReaderDriver: Sendable {
    /// Follows readers and tags until the task is cancelled; `report` is called in order and must not block.
    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async

    /// Returns once what was reported is up to date, after `refreshLimit` at the latest; a driver that waits to try again
    /// tries now.
    func refresh() async

    /// Connects to the tag on a reader. At most one connection to a reader at a time; each is closed.
    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection

    /// Remembers what probing a reader has shown; the reader is reported with its new description before this returns.
    func learn(_ profile: ReaderProfile, of reader: ReaderID)

    /// Sends a command to the reader itself, where its driver lets such commands pass. What comes of it is not told.
    func escape(_ command: [UInt8], to reader: ReaderID) async

    /// Readers whose calls were not given up long after their deadlines: what watches over them hangs.
    var hungReaders: [ReaderID] { get }
}

/// The longest a refresh takes: a service that hangs must not hold up those who ask for its readers.
let refreshLimit = Duration.seconds(2)

/// A tag held on a reader, with no other program in between, until it is closed.
public protocol CardConnection: CardChannel {
    /// The answer to reset at the time of connecting, 0 to 33 bytes.
    var answerToReset: [UInt8] { get }

    /// Resets the tag, which forgets everything: keys, selected applications and files. The connection stays, and nobody
    /// comes in between.
    func reconnect() async throws(CardChannelError)

    /// The same connection for exchanges that have so much time together, from now on, in place of the reader's own deadline
    /// for each. Where it is over, they fail as timed out.
    func limited(to limit: Duration) -> any CardConnection

    /// Lets go of the tag. Waits no longer than a deadline.
    func close() async
}

extension ReaderDriver {
    /// Shows or sounds at a reader how an operation ended, if it is to and has a way. Some readers answer only when they have
    /// done so, so nobody must be waiting for the reader; where the tag is gone or something fails, nothing happens.
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

/// What a driver tells about its readers, in the order in which it happened.
public enum ReaderEvent: Sendable, Hashable {
    /// The readers that follow can be seen; sent again after each loss of the service.
    case serviceAvailable
    /// No reader can be seen, with the reason in words. Every reader known so far is gone.
    case serviceUnavailable(reason: String)
    /// A reader was plugged in.
    case attached(ReaderDescription)
    /// More is known of a reader that is plugged in.
    case described(ReaderDescription)
    /// A reader was unplugged.
    case detached(ReaderID)
    /// A tag came into the field.
    case tagArrived(TagArrival)
    /// The tag of the field left it.
    case tagLeft(ReaderID)
    /// Something is in the field that does not answer.
    case tagMute(ReaderID)
    /// The reader no longer answers, with the reason in words.
    case failed(ReaderID, reason: String)
    /// A failed reader answers again.
    case recovered(ReaderID)
}
