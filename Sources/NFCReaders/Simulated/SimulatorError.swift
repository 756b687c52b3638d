/// Why a virtual tag could not be put on a simulated reader.
public enum SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No simulated reader of that name.
    case unknownReader(String, known: [ReaderID])
    /// A tag lies there already.
    case readerTaken(ReaderID)
    /// A tag lies on every simulated reader.
    case allReadersTaken
    /// Readers of this model do not see such a tag; others do.
    case unseen(model: String, seenBy: [String])

    /// The reason in words.
    public var description: String {
        switch self {
        case .unknownReader(let reader, let known):
            "no simulated reader is called \(reader); there are \(known.map(\.rawValue).joined(separator: ", "))"
        case .readerTaken(let reader): "a virtual tag lies on \(reader) already"
        case .allReadersTaken: "a virtual tag lies on every simulated reader already"
        case .unseen(let model, let others):
            "a reader of model \(model) does not see such a tag; start nfcd with --simulator-model "
                + others.joined(separator: " or ")
        }
    }
}
