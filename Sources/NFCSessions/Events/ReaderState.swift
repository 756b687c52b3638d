public import NFCReaders

/// What a reader is doing.
public enum ReaderState: String, CaseIterable, Sendable {
    /// Nothing in its field.
    case empty
    /// A tag in its field.
    case present
    /// A session holds it.
    case inUse
    /// It no longer answers.
    case failed

    /// What a reader is doing that a session holds, or that none does.
    public init(_ entry: ReaderTable.Entry, isInUse: Bool) {
        if entry.failure != nil {
            self = .failed
        } else if isInUse {
            self = .inUse
        } else {
            self = entry.tag == nil ? .empty : .present
        }
    }
}
