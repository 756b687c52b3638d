package import NDEF

/// A tag in the field of a reader, as the desk knows it.
package struct WebTag: Sendable, Hashable {
    /// Its name; a tag that is found again gets another one.
    package typealias ID = String

    package let id: ID
    package let reader: String
    /// The UID; empty where the reader reports none.
    package let identifier: [UInt8]
    /// The historical bytes of a type A card of ISO/IEC 14443-4.
    package let historicalBytes: [UInt8]
    /// Whether it was in the field when the session became active.
    package let wasPresent: Bool

    package init(id: ID, reader: String, identifier: [UInt8], historicalBytes: [UInt8] = [], wasPresent: Bool = false) {
        self.id = id
        self.reader = reader
        self.identifier = identifier
        self.historicalBytes = historicalBytes
        self.wasPresent = wasPresent
    }

    /// Whether no page may reach it (Web NFC, Blocklist).
    var isBlocked: Bool { Self.blocked.contains(historicalBytes) }

    /// Historical bytes of security keys: "\u{80}s\u{C0}!\u{C0}WYubiKey" of a YubiKey 5, and "YubikeyNEOr3".
    private static let blocked: Set<[UInt8]> = [
        [0x80, 0x73, 0xC0, 0x21, 0xC0, 0x57, 0x59, 0x75, 0x62, 0x69, 0x4B, 0x65, 0x79],
        [0x59, 0x75, 0x62, 0x69, 0x6B, 0x65, 0x79, 0x4E, 0x45, 0x4F, 0x72, 0x33],
    ]

    /// Whether it can be the tag that another session found on this reader. A random UID begins with 08 (ISO/IEC 14443-3, §6.5.4) and
    /// changes whenever the tag is powered up.
    func mayBe(_ other: WebTag) -> Bool {
        reader == other.reader && (identifier == other.identifier || (hasRandomUID && other.hasRandomUID))
    }

    private var hasRandomUID: Bool { identifier.count == 4 && identifier.first == 0x08 }

    /// What reading a tag shows.
    package enum Content: Sendable, Hashable {
        /// A message with at least one record.
        case message(NDEFMessage, isReadOnly: Bool)
        /// Formatted for NDEF, without records.
        case empty(isReadOnly: Bool)
        /// Without NDEF, and it can be formatted without harm.
        case blank
        /// Without NDEF.
        case unsupported(String)
        /// It could not be read.
        case failed(WebError)
    }
}
