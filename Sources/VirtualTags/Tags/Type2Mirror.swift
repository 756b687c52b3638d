/// The ASCII mirror of NTAG21x (NTAG213/215/216 data sheet, §8.7; NTAG210/212 data sheet, §8.6): what a read shows instead of
/// the stored bytes.
struct Type2Mirror {
    /// Where it begins, in bytes from page 0.
    private let start: Int
    /// The text, as ASCII.
    private let text: [UInt8]

    /// - Parameters:
    ///   - configuration: CFG0: MIRROR, RFUI, MIRROR_PAGE, AUTH0.
    ///   - isUIDOnly: whether the chip has no MIRROR_CONF: NTAG210 and NTAG212.
    ///   - counter: the NFC counter; nil if it is off, or needs a password that was not given.
    /// - Returns: nil where nothing is shown, as with MIRROR_PAGE before page 4.
    init?(configuration: some Collection<UInt8>, isUIDOnly: Bool, identifier: [UInt8], counter: UInt32?) {
        let bytes = Array(configuration.prefix(3))
        guard bytes.count == 3, bytes[2] > 0x03 else { return nil }
        start = Int(bytes[2]) * 4 + Int((bytes[0] & 0b0011_0000) >> 4)
        let uid = identifier.flatMap { Self.digits(UInt32($0), count: 2) }
        let count = counter.map { Self.digits($0, count: 6) }
        switch isUIDOnly ? 0b01 : bytes[0] >> 6 {
        case 0b01: text = uid
        case 0b10: text = count ?? []
        case 0b11: text = uid + (count.map { [0x78] + $0 } ?? [])
        default: return nil
        }
    }

    /// What a page shows.
    func showing(_ stored: [UInt8], page: Int) -> [UInt8] {
        stored.enumerated().map { offset, byte in
            let place = page * 4 + offset - start
            return text.indices.contains(place) ? text[place] : byte
        }
    }

    private static func digits(_ value: UInt32, count: Int) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return (0..<count).reversed().map { digits[Int(value >> (4 * $0) & 0xF)] }
    }
}
