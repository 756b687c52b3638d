// The words of nfcd's grants: what a client may do, in the way an app's entitlements say it.

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
    /// Send raw commands.
    case raw
    /// Receive taps while no session holds the reader.
    case background
    /// Observe the readers and the sessions of other clients.
    case monitor
    /// End the sessions of other clients.
    case manage
    /// Put virtual tags on simulated readers.
    case simulate
}
