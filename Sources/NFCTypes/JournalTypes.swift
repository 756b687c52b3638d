// What the journal of taps is set to. The raw values are the words that nfcd's protocol and configuration use.

/// What happens to a tap while the journal is full.
public enum FullJournalPolicy: String, Sendable, Hashable, CaseIterable {
    /// The tap is reported as failed, and the reader shows red.
    case refuse
    /// The oldest tap is deleted although a consumer does not have it, and counted as lost.
    case dropOldest
}

/// The form in which the journal stores the UID of a tag.
public enum IdentifierForm: String, Choice {
    /// The UID itself.
    case plain
    /// The first 16 bytes of an HMAC-SHA256 of it, with a key of the site.
    case hashed
    /// Not at all.
    case omitted
}

/// Whether the wall clock was right when a tap was read (adjtimex(2)).
public enum ClockQuality: String, Choice {
    /// It was synchronised.
    case synchronised
    /// It was not: a machine without a battery for its clock starts in the past.
    case unsynchronised
}

/// The state of the journal.
public enum JournalState: String, Choice {
    /// It is not configured.
    case disabled
    /// It takes taps.
    case ready
    /// It has reached its limit, or the disk is full.
    case full
    /// It cannot be written, for another reason.
    case failed
}
