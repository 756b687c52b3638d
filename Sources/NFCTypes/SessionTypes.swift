// What sessions are and what a client may do with them. The raw values are the words that nfcd's protocol and configuration
// use.

/// What a session is for.
public enum SessionKind: String, Choice {
    /// The session reads and writes NDEF. Raw commands to its tags are refused with error 1.
    case ndef
    /// The session is for tags of any kind and their raw commands. Its client is always given tags.
    case tag
}

/// What a session delivers to its client.
public enum SessionDetection: String, Choice {
    /// The message of each tag, read at once; the tag is then released.
    case messages
    /// The tags themselves, held on their readers for commands.
    case tags
}

/// What happens to a new session while another one holds a reader.
public enum BusyPolicy: String, Choice {
    /// The session ends with error 203.
    case fail
    /// The session waits for its turn, first in, first out.
    case queue
}

/// The state of a session that is not over.
public enum SessionState: String, Choice {
    /// It waits for readers.
    case queued
    /// It holds its readers.
    case active
}

/// A kind of session that a client may begin (`com.apple.developer.nfc.readersession.formats`).
public enum SessionFormat: String, Sendable, Hashable, CaseIterable {
    /// Messages.
    case ndef = "NDEF"
    /// Tags and their raw commands.
    case tag = "TAG"
    /// Cards that support PACE.
    case pace = "PACE"
}

/// An operation with readers and tags that a client may carry out.
public enum Capability: String, Sendable, Hashable, CaseIterable {
    /// Read messages.
    case read
    /// Write and erase messages.
    case write
    /// Make tags permanently read-only.
    case lock
    /// Format tags.
    case format
    /// Send raw commands; those that change something need the capability for that as well.
    case raw
    /// Send raw commands whose effect nfcd does not know, and commands to the reader.
    case rawUnscreened = "raw-unscreened"
    /// Receive taps while no session holds the reader.
    case background
    /// Receive the taps of the journal, and acknowledge them.
    case taps
    /// Observe the readers and the sessions of other clients.
    case monitor
    /// End the sessions of other clients.
    case manage
    /// Put virtual tags on simulated readers.
    case simulate
    /// Set up tags with the keys of nfcd's key store, change these keys, and undo it.
    case personalise
    /// Give tags, while setting them up, what they keep permanently; needs `personalise` as well.
    case personalisePermanently = "personalise-permanently"
}
