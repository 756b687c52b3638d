public import NFCTags

/// How a command failed.
public enum CommandFailure: Error, Sendable, Hashable {
    /// It was not carried out.
    case dropped(CommandDrop)
    /// It was, and this came of it.
    case failed(TagError)
}

/// Why a command was not carried out.
public enum CommandDrop: Sendable, Hashable {
    /// It was taken back.
    case cancelled
    /// The tag takes no more commands: it left, or its session is over.
    case refused(TagError)
}
