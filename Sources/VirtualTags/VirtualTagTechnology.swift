/// How a reader finds a tag in its field and speaks to it, and what the frames of ``VirtualTag/exchange(_:)`` are.
public enum VirtualTagTechnology: Sendable, Hashable, CaseIterable {
    /// ISO/IEC 14443-3 type A with pages of 4 bytes, as NTAG and Ultralight have them. Frames are commands such as `30 04`.
    case type2
    /// MIFARE Classic. Readers use blocks after an authentication, which is frame `60` or `61`, the block and the key.
    case mifareClassic
    /// Topaz and Jewel, NFC Forum Type 1 Tags.
    case topaz
    /// ISO/IEC 14443-4 type A: a ``ContactlessCard``. Frames are command APDUs and their responses.
    case iso14443Part4A
    /// ISO/IEC 14443-4 type B: a ``TypeBCard``. Frames are command APDUs and their responses.
    case iso14443Part4B
    /// ISO/IEC 15693. A frame is the request flags, the command code, the maker's code after A0 to DF, the UID least significant
    /// byte first if the flags have 20, and the parameters. An answer is the response flags and data, or 01 and an error code.
    case iso15693
    /// FeliCa. A frame begins with its length, which includes the length byte, and the command code: `06 00 12 FC 01 00` is
    /// a polling. An answer begins with its length and the response code, which is one higher.
    case feliCa

    /// The technology of a tag that does not name one: only tags of ISO/IEC 15693, E0 first, and FeliCa cards have identifiers
    /// of 8 bytes.
    init(identifier: [UInt8]) {
        guard identifier.count == 8 else {
            self = .type2
            return
        }
        self = identifier.first == 0xE0 ? .iso15693 : .feliCa
    }

    /// Whether its frames are command APDUs.
    var takesAPDUs: Bool { self == .iso14443Part4A || self == .iso14443Part4B }

    /// The SAK that a type A tag usually answers to SELECT with (ISO/IEC 14443-3).
    var usualSelectAcknowledge: UInt8 {
        switch self {
        case .mifareClassic: 0x08
        case .iso14443Part4A: 0x20
        default: 0x00
        }
    }
}
