/// What a reader should do with the URI of a Smart Poster (NFC Forum RTD Smart Poster 1.0, the action record).
///
/// The raw value is the byte on the tag; 3 and above are reserved.
public enum SmartPosterAction: UInt8, Sendable, Hashable, CaseIterable {
    /// Do it: call the number, open the page, send the message.
    case execute = 0
    /// Save it for later: as a contact, a bookmark, a message.
    case save = 1
    /// Open it for editing.
    case edit = 2
}

extension SmartPosterAction: NamedNumber {
    static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, "\($0)") })
}
