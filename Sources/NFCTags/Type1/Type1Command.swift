/// The commands of a Type 1 Tag (NFC Forum Type 1 Tag), without CRC. All but RID end with the first 4 bytes of the UID.
enum Type1Command: Sendable, Hashable {
    /// 78: header and the first 4 bytes of the UID.
    case rid
    /// 00, RALL: the header and the 120 bytes of static memory.
    case readAll
    /// 10, RSEG: 128 bytes of dynamic memory.
    case readSegment(UInt8)
    /// 02, READ8: a block of dynamic memory.
    case readBlock(UInt8)
    /// 53, WRITE-E: erases and writes a byte.
    case writeByte(UInt8, UInt8)
    /// 54, WRITE-E8: erases and writes a block of 8 bytes.
    case writeBlock(UInt8, [UInt8])
    /// 1A, WRITE-NE: sets bits of a byte.
    case setBits(UInt8, UInt8)
    /// 1B, WRITE-NE8: sets bits of a block of 8 bytes.
    case setBlockBits(UInt8, [UInt8])

    /// The frame for the tag with this UID.
    func frame(_ identifier: [UInt8]) -> [UInt8] {
        let blank = [UInt8](repeating: 0, count: 8)
        switch self {
        case .rid: return [0x78, 0, 0, 0, 0, 0, 0]
        case .readAll: return [0x00, 0, 0] + identifier
        case .readSegment(let segment): return [0x10, segment << 4] + blank + identifier
        case .readBlock(let block): return [0x02, block] + blank + identifier
        case .writeByte(let address, let byte): return [0x53, address, byte] + identifier
        case .writeBlock(let block, let bytes): return [0x54, block] + bytes + identifier
        case .setBits(let address, let byte): return [0x1A, address, byte] + identifier
        case .setBlockBits(let block, let bytes): return [0x1B, block] + bytes + identifier
        }
    }

    /// What an answer starts with.
    var echo: [UInt8] {
        switch self {
        case .rid, .readAll: []
        case .readSegment(let segment): [segment << 4]
        case .readBlock(let block): [block]
        case .writeByte(let address, let byte): [address, byte]
        case .writeBlock(let block, let bytes): [block] + bytes
        // What is stored then has more bits than were sent.
        case .setBits(let address, _): [address]
        case .setBlockBits(let block, _): [block]
        }
    }

    /// How many bytes an answer has behind that.
    var answerCount: Int {
        switch self {
        case .rid: 6
        case .readAll: 122
        case .readSegment: 128
        case .readBlock, .setBlockBits: 8
        case .setBits: 1
        case .writeByte, .writeBlock: 0
        }
    }
}
