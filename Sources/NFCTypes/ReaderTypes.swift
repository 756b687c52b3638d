// What a reader can do and what it is doing. The raw values are the words that nfcd's protocol uses.

/// A technology that tags are looked for in (`NFCTagReaderSession.PollingOption`).
public enum PollingTechnology: String, Choice {
    /// ISO/IEC 14443 type A and B, MIFARE, and everything that answers to reset like them.
    case iso14443
    /// ISO/IEC 15693, NFC Forum Type 5 Tags.
    case iso15693
    /// FeliCa, NFC Forum Type 3 Tags.
    case iso18092
    /// Of the cards of ISO/IEC 14443-4 those that support PACE.
    case pace
}

/// What a reader is doing.
public enum ReaderStatus: String, Choice {
    /// No tag is in its field.
    case empty
    /// A tag is in its field.
    case present
    /// A session holds it.
    case inUse
    /// It no longer answers.
    case failed
}

/// Whether nfcd can access readers, as clients see it.
public enum ReaderServiceStatus: String, Choice {
    /// The service that nfcd reaches readers through is being started; ask again.
    case starting
    /// nfcd can access readers.
    case available
    /// nfcd cannot access any reader.
    case unavailable
}
