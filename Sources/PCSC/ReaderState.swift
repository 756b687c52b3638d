/// The bits of `dwCurrentState` and `dwEventState` (PC/SC Part 5, SCARD_STATE_*); the high 16 bits count card events.
public struct StateFlags: OptionSet, Sendable, Hashable {
    /// The bits as PC/SC gives them.
    public let rawValue: UInt32

    /// Any value is carried.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// SCARD_STATE_CHANGED: the entry differs from what was known.
    public static let changed = StateFlags(rawValue: 0x0002)
    /// SCARD_STATE_UNKNOWN: no such reader.
    public static let unknown = StateFlags(rawValue: 0x0004)
    /// SCARD_STATE_UNAVAILABLE: the driver cannot talk to the reader.
    public static let unavailable = StateFlags(rawValue: 0x0008)
    /// SCARD_STATE_EMPTY: no card.
    public static let empty = StateFlags(rawValue: 0x0010)
    /// SCARD_STATE_PRESENT: a card.
    public static let present = StateFlags(rawValue: 0x0020)
    /// SCARD_STATE_EXCLUSIVE: a program holds the card for itself.
    public static let exclusive = StateFlags(rawValue: 0x0080)
    /// SCARD_STATE_INUSE: a program is connected to the card.
    public static let inUse = StateFlags(rawValue: 0x0100)
    /// SCARD_STATE_MUTE: something is there that did not answer.
    public static let mute = StateFlags(rawValue: 0x0200)

    /// Insertions and removals since the reader was plugged in, modulo 65,536.
    public var cardCounter: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }
}

/// One line of a status-change wait: what is known of a reader, and what the wait found.
public struct ReaderState: Sendable, Hashable {
    /// The reader waited for.
    public let name: ReaderName
    /// What the caller knows; the wait ends as soon as the truth differs.
    public var known: StateFlags = []
    /// What the last wait found.
    public var event: StateFlags = []
    /// The card's answer to reset, at most 33 bytes; empty without a card.
    public var answerToReset: [UInt8] = []

    /// An entry of which nothing is known yet: the next wait reports it at once.
    public init(name: ReaderName) {
        self.name = name
    }

    /// Takes what was found for known. Other programs coming and going are none of our business, so their bits stay out.
    public mutating func acknowledge() {
        known = event.subtracting([.changed, .inUse, .exclusive])
    }
}

/// A reader's name as pcscd spells it: bytes without the final NUL, since a driver may use any encoding.
public struct ReaderName: Sendable, Hashable, CustomStringConvertible {
    let bytes: [CChar]

    init(bytes: [CChar]) {
        self.bytes = bytes
    }

    /// The name in UTF-8; everything behind a NUL is dropped.
    public init(_ name: String) {
        bytes = name.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
    }

    /// The pseudo-reader that signals readers coming and going (pcsc-lite, "PnP notification").
    public static let plugAndPlayNotification = ReaderName("\\\\?PnP?\\Notification")

    /// The name for people; bytes that are no UTF-8 are replaced.
    public var description: String {
        String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
