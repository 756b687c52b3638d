/// The MIFARE Application Directory: which application each sector belongs to (NXP AN10787).
///
/// MAD1 is in blocks 1 and 2 for sectors 1 to 15, MAD2 in blocks 64 to 66 for sectors 17 to 39: a CRC, an info byte
/// and two bytes for each sector.
struct MIFAREApplicationDirectory: Sendable, Hashable {
    /// E103, the NFC Forum's application, application code first as on the card.
    static let ndef: [UInt8] = [0x03, 0xE1]
    /// A sector the card does not have.
    static let absent: [UInt8] = [0x05, 0x00]

    /// The info byte and the applications behind it.
    private let content: [UInt8]

    /// Parses blocks; nil if they are not whole or the CRC is wrong.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
        content = Array(bytes.dropFirst())
        guard bytes[0] == Self.crc(content) else { return nil }
    }

    /// A directory without publisher that assigns the first `sectors` of `count` entries to NDEF.
    init(entries count: Int, ndef sectors: Int) {
        content = [0x00] + (0..<count).flatMap { $0 < sectors ? Self.ndef : Self.absent }
    }

    /// The blocks with the CRC in front.
    var bytes: [UInt8] { [Self.crc(content)] + content }

    /// The indices of the entries that belong to NDEF, from 0.
    var ndefEntries: [Int] {
        (0..<(content.count - 1) / 2).filter { Array(content[1 + 2 * $0..<3 + 2 * $0]) == Self.ndef }
    }

    /// CRC-8 with the polynomial 1D, started with C7, most significant bit first.
    static func crc(_ bytes: [UInt8]) -> UInt8 {
        var crc: UInt8 = 0xC7
        for byte in bytes {
            crc ^= byte
            for _ in 0..<8 { crc = crc & 0x80 == 0 ? crc << 1 : crc << 1 ^ 0x1D }
        }
        return crc
    }
}

/// The general purpose byte of the first trailer, which declares whether there is a directory, and its version.
struct MIFAREDirectoryByte: Sendable, Hashable {
    let rawValue: UInt8

    /// DA: there is a directory.
    var hasDirectory: Bool { rawValue & 0x80 != 0 }
    /// ADV: 1 or 2; others are reserved.
    var version: Int { Int(rawValue & 0x03) }
}

/// The general purpose byte of an NFC sector: mapping version and access (NXP AN1305).
struct MIFARENDEFByte: Sendable, Hashable {
    let rawValue: UInt8

    /// 40: version 1.0, read and write.
    static let readWrite: UInt8 = 0x40
    /// 43: version 1.0, read only.
    static let readOnly: UInt8 = 0x43

    /// The mapping version, of which 1 is known.
    var majorVersion: Int { Int(rawValue >> 6) }
    var isReadable: Bool { rawValue & 0x0C == 0 }
    var isWritable: Bool { rawValue & 0x03 == 0 }
}
