/// A Topaz, byte for byte (NFC Forum Type 1 Tag). Frames are without CRC; silence is the only refusal.
public struct VirtualTopazTag: VirtualTag {
    static let identifierSize = 7

    /// The chip.
    public let product: VirtualTopazProduct
    /// Topaz.
    public var technology: VirtualTagTechnology { .topaz }
    /// The whole memory; the UID comes first.
    public internal(set) var memory: [UInt8]
    private var isPowered = false

    /// UID0 to UID6.
    public var identifier: [UInt8] { Array(memory.prefix(Self.identifierSize)) }

    /// A blank tag, or a formatted one where a message is given, even an empty one.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of other than 7 bytes, or a message that does not fit.
    public init(
        product: VirtualTopazProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? [0x2E, 0x4D, 0x5A, product.header[1], 0x80, 0x00, 0x25]
        guard identifier.count == Self.identifierSize else {
            throw .wrongIdentifierSize(size: identifier.count, expected: Self.identifierSize)
        }
        self.product = product
        memory = identifier + [UInt8](repeating: 0, count: product.memorySize - identifier.count)
        // Block 0 and the reserved block D are locked when delivered.
        memory[112] = 0x01
        memory[113] = 0x20
        guard let message = ndefMessage else { return }
        guard message.count <= product.messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: product.messageCapacity)
        }
        format(message)
    }

    /// A tag with a whole memory image, stored unchanged.
    ///
    /// - Throws: ``VirtualTagError`` for another size than ``VirtualTopazProduct/memorySize``.
    public init(product: VirtualTopazProduct, memory: [UInt8]) throws(VirtualTagError) {
        guard memory.count == product.memorySize else {
            throw .wrongMemorySize(size: memory.count, expected: product.memorySize)
        }
        self.product = product
        self.memory = memory
    }

    /// Puts the tag into the field.
    public mutating func activate() { isPowered = true }

    /// Turns the field off.
    public mutating func fieldDropped() { isPowered = false }

    /// Answers one frame. All but RID have to end with UID0 to UID3.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isPowered, let code = command.first else { return .silence }
        if code == 0x78 {
            return command.count == 7 ? .data(product.header + memory.prefix(4)) : .silence
        }
        guard command.suffix(4).elementsEqual(memory.prefix(4)) else { return .silence }
        return perform(code, Array(command.dropFirst().dropLast(4))).map { .data($0) } ?? .silence
    }

    private mutating func perform(_ code: UInt8, _ arguments: [UInt8]) -> [UInt8]? {
        let place = Int(arguments.first ?? 0)
        let data = Array(arguments.dropFirst())
        switch (code, arguments.count) {
        case (0x00, 2): return product.header + memory.prefix(120)
        case (0x01, 2): return bytes(place, 1, from: place)
        case (0x53, 2), (0x1A, 2): return write(data, at: place, head: place, erasing: code == 0x53)
        case (0x02, 9) where product.isDynamic: return bytes(place, 8, from: place * 8)
        case (0x10, 9) where product.isDynamic && place & 0x0F == 0: return bytes(place, 128, from: place * 8)
        case (0x54, 9) where product.isDynamic, (0x1B, 9) where product.isDynamic:
            return write(data, at: place * 8, head: place, erasing: code == 0x54)
        default: return nil
        }
    }

    private func bytes(_ head: Int, _ count: Int, from start: Int) -> [UInt8]? {
        guard start + count <= memory.count else { return nil }
        return [UInt8(truncatingIfNeeded: head)] + memory[start..<start + count]
    }

    /// Bytes in locked blocks stay; the lock and OTP bytes only ever gain bits.
    private mutating func write(_ data: [UInt8], at start: Int, head: Int, erasing: Bool) -> [UInt8]? {
        guard start + data.count <= memory.count, !isLocked(block: start / 8) else { return nil }
        for (position, byte) in zip(start..., data) {
            let isOneWay = product.reserved.contains(position)
            memory[position] = erasing && !isOneWay ? byte : memory[position] | byte
        }
        return bytes(head, data.count, from: start)
    }

    /// Bytes 112 and 113 lock blocks 0 to 14, those from 122 on the blocks from 16 on. Block 15 has no lock bit.
    private func isLocked(block: Int) -> Bool {
        // The blocks with the lock bytes are always open.
        if block == 14 || block == 15 { return false }
        let position = block < 16 ? 112 + block / 8 : 122 + (block - 16) / 8
        return memory[position] >> (block % 8) & 1 == 1
    }

    /// Capability container, TLVs and message; the reserved bytes are left out.
    private mutating func format(_ message: [UInt8]) {
        let count = message.count
        let length: [UInt8] =
            count < 0xFF
            ? [UInt8(truncatingIfNeeded: count)]
            : [0xFF, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        let places = (8..<memory.count).filter { !product.reserved.contains($0) }
        for (place, byte) in zip(places, product.formattedHead + [0x03] + length + message + [0xFE]) {
            memory[place] = byte
        }
    }
}

/// The facts of a Topaz chip.
public struct VirtualTopazProduct: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it.
    public let name: String
    /// HR0 and HR1.
    public let header: [UInt8]
    /// The size of the memory in bytes.
    public let memorySize: Int

    /// The product's name.
    public var description: String { name }
    /// Whether it knows the commands for blocks and segments.
    var isDynamic: Bool { memorySize > 120 }
    /// Lock, OTP and reserved bytes.
    var reserved: Range<Int> { isDynamic ? 104..<128 : 104..<120 }

    /// From byte 8 on: capability container, control TLVs.
    var formattedHead: [UInt8] {
        isDynamic
            ? [0xE1, 0x10, 0x3F, 0x00, 0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03]
            : [0xE1, 0x10, 0x0E, 0x00]
    }

    /// The largest NDEF message in bytes.
    public var messageCapacity: Int {
        let room = memorySize - 8 - formattedHead.count - reserved.count
        return max(min(room - 2, 254), room - 4)
    }

    /// Topaz 96: 120 bytes, 96 of them for data.
    public static let topaz = VirtualTopazProduct(name: "Topaz", header: [0x11, 0x48], memorySize: 120)
    /// Topaz 512: 512 bytes in 64 blocks.
    public static let topaz512 = VirtualTopazProduct(name: "Topaz 512", header: [0x12, 0x4C], memorySize: 512)
    /// All modelled products.
    public static let all: [VirtualTopazProduct] = [topaz, topaz512]
}
