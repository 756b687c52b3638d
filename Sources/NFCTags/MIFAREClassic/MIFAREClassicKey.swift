import ISO7816

/// A key of 6 bytes.
public struct MIFAREClassicKey: Sendable, Hashable {
    /// The bytes as they stand in the trailer.
    public let bytes: [UInt8]

    /// Makes a key; nil unless there are 6 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    private init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8) { bytes = [a, b, c, d, e, f] }

    /// A0A1A2A3A4A5: key A of the sectors with the MIFARE Application Directory.
    public static let directory = MIFAREClassicKey(0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5)
    /// D3F7D3F7D3F7: key A of the sectors with NDEF.
    public static let ndef = MIFAREClassicKey(0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7)
    /// FFFFFFFFFFFF: both keys of a card as delivered.
    public static let transport = MIFAREClassicKey(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)
}

/// Which of a sector's two keys; the raw value is the authentication command.
public enum MIFAREClassicKeyType: UInt8, Sendable, Hashable, CaseIterable {
    /// Key A.
    case a = 0x60
    /// Key B.
    case b = 0x61
}

extension MIFAREClassicKeyType: CustomStringConvertible {
    /// `key A` or `key B`.
    public var description: String { self == .a ? "key A" : "key B" }
}

/// The keys an NDEF driver works with. No others are ever tried.
public struct MIFAREClassicNDEFKeys: Sendable, Hashable {
    /// The most keys B that are tried on a sector.
    static let limit = 3

    /// Candidates for key B of NFC and directory sectors, the likeliest first; at most the first 3 are tried.
    public let keysB: [MIFAREClassicKey]

    /// The public keys A, and these keys B.
    public init(keysB: [MIFAREClassicKey] = [.transport]) { self.keysB = Array(keysB.prefix(Self.limit)) }
}
