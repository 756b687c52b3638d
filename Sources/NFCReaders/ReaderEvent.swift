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
