/// A MIFARE Classic card, byte for byte, with its access conditions enforced.
///
/// The cipher is left out: an authentication is the one frame `60|61 block key`, as reader chips take it. Any refusal and a
/// wrong key leave the card halted until ``activate()``. The data sheet does not define what happens
/// to a value that exceeds 32 bits; this card refuses it.
public struct VirtualMIFAREClassicTag: VirtualTag {
    enum State: Hashable {
        case idle
        case selected
        case authenticated(sector: Int, isKeyB: Bool)
    }

    /// The first half of a command in two parts.
    enum Pending: Hashable {
        case write(block: Int)
        case count(operation: UInt8, block: Int)
    }

    /// The transfer buffer.
    struct Buffer: Hashable {
        let sector: Int
        let value: Int32
        let address: UInt8
    }

    /// The chip.
    public let product: VirtualMIFAREClassicProduct
    /// MIFARE Classic.
    public var technology: VirtualTagTechnology { .mifareClassic }
    /// The one of the product.
    public var cardName: UInt16? { product.cardName }
    /// The one of the product.
    public var selectAcknowledge: UInt8 { product.selectAcknowledge }
    /// The identifier, 4 or 7 bytes.
    public let identifier: [UInt8]
    /// The whole memory as stored, keys in clear.
    public internal(set) var memory: [UInt8]

    var state = State.idle
    var pending: Pending?
    var buffer: Buffer?

    /// A card as delivered: FFFFFFFFFFFF for both keys; or formatted with a message.
    ///
    /// - Parameters:
    ///   - identifier: 4 or 7 bytes, nil for one derived from the product.
    ///   - ndefMessage: nil for the card as delivered, empty for a formatted card without content.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: VirtualMIFAREClassicProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? [0x5A, 0x3C, product.selectAcknowledge, 0x71]
        guard [4, 7].contains(identifier.count) else {
            throw .wrongIdentifierSize(size: identifier.count, expected: 4)
        }
        let memory = try product.image(identifier: identifier, message: ndefMessage)
        try self.init(product: product, memory: memory, identifierSize: identifier.count)
    }

    /// A card with a whole memory image, trailers and keys included.
    ///
    /// - Parameters:
    ///   - memory: exactly ``VirtualMIFAREClassicProduct/memorySize`` bytes.
    ///   - identifierSize: how many bytes of block 0 are the identifier, 4 or 7.
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        product: VirtualMIFAREClassicProduct, memory: [UInt8], identifierSize: Int = 4
    ) throws(VirtualTagError) {
        guard memory.count == product.memorySize else {
            throw .wrongMemorySize(size: memory.count, expected: product.memorySize)
        }
        guard [4, 7].contains(identifierSize) else {
            throw .wrongIdentifierSize(size: identifierSize, expected: 4)
        }
        self.product = product
        self.memory = memory
        identifier = Array(memory.prefix(identifierSize))
    }

    /// Selects the card; an authentication is lost.
    public mutating func activate() {
        state = .selected
        pending = nil
        buffer = nil
    }

    /// Turns the field off: authentication, half commands and the transfer buffer are lost.
    public mutating func fieldDropped() {
        activate()
        state = .idle
    }
}

extension VirtualMIFAREClassicTag {
    /// Answers one frame. Whatever is refused leaves the card idle and therefore mute.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard state != .idle else { return .silence }
        let answer = answer(to: command)
        if case .nak = answer { state = .idle }
        return answer
    }

    /// Refusal of an invalid operation; the code shows whether the transfer buffer is valid (MF1S50yyX data sheet, ACK and
    /// NAK).
    private var refusal: VirtualTagAnswer { .nak(buffer == nil ? 0x4 : 0x0) }

    private mutating func answer(to frame: [UInt8]) -> VirtualTagAnswer {
        if let half = pending {
            pending = nil
            return complete(half, frame)
        }
        guard frame.count >= 2 else { return refusal }
        let block = Int(frame[1])
        switch (frame[0], frame.count) {
        case (0x60, 8), (0x61, 8): return authenticate(block, isKeyB: frame[0] == 0x61, key: frame.dropFirst(2))
        case (0x50, 2) where block == 0:
            state = .idle
            return .silence
        case (0x30, 2): return read(block)
        case (0xA0, 2): return isWriteAllowed(block) ? begin(.write(block: block)) : refusal
        case (0xC0, 2), (0xC1, 2), (0xC2, 2): return beginCount(frame[0], block)
        case (0xB0, 2): return transfer(to: block)
        default: return refusal
        }
    }

    private mutating func begin(_ half: Pending) -> VirtualTagAnswer {
        pending = half
        return .ack
    }

    private mutating func authenticate(_ block: Int, isKeyB: Bool, key: some Collection<UInt8>) -> VirtualTagAnswer {
        state = .idle
        buffer = nil
        guard let place = product.place(ofBlock: block), conditions(ofSector: place.sector) != nil else {
            return .silence
        }
        let trailer = bytes(ofBlock: product.trailerBlock(ofSector: place.sector))
        guard key.elementsEqual(isKeyB ? trailer.suffix(6) : trailer.prefix(6)) else { return .silence }
        state = .authenticated(sector: place.sector, isKeyB: isKeyB)
        return .ack
    }

    private func read(_ block: Int) -> VirtualTagAnswer {
        guard let place = product.place(ofBlock: block) else { return refusal }
        guard product.isTrailer(block) else {
            return isAllowed(.readData, block) ? .data(Array(bytes(ofBlock: block))) : refusal
        }
        guard state.sector == place.sector, isAllowed(.readAccess, block) else { return refusal }
        let trailer = bytes(ofBlock: block)
        let hidden = [UInt8](repeating: 0, count: 6)
        let keyB = isAllowed(.readKeyB, block) ? Array(trailer.suffix(6)) : hidden
        return .data(hidden + Array(trailer.dropFirst(6).prefix(4)) + keyB)
    }

    private func isWriteAllowed(_ block: Int) -> Bool {
        guard product.isTrailer(block) else { return block != 0 && isAllowed(.writeData, block) }
        return [MIFAREClassicOperation.writeKeyA, .writeAccess, .writeKeyB].contains { isAllowed($0, block) }
    }

    private mutating func complete(_ half: Pending, _ frame: [UInt8]) -> VirtualTagAnswer {
        switch half {
        case .write(let block):
            guard frame.count == VirtualMIFAREClassicProduct.blockSize else { return refusal }
            store(product.isTrailer(block) ? mergedTrailer(block, frame) : frame, at: block)
            return .ack
        case .count(let operation, let block): return count(operation, block, operand: frame)
        }
    }

    /// Only the parts of a trailer that the key may write change.
    private func mergedTrailer(_ block: Int, _ new: [UInt8]) -> [UInt8] {
        let old = Array(bytes(ofBlock: block))
        let keyA = isAllowed(.writeKeyA, block) ? new[0..<6] : old[0..<6]
        let access = isAllowed(.writeAccess, block) ? new[6..<10] : old[6..<10]
        let keyB = isAllowed(.writeKeyB, block) ? new[10..<16] : old[10..<16]
        return Array(keyA + access + keyB)
    }
}

extension VirtualMIFAREClassicTag {
    func bytes(ofBlock block: Int) -> ArraySlice<UInt8> {
        memory.dropFirst(block * VirtualMIFAREClassicProduct.blockSize).prefix(VirtualMIFAREClassicProduct.blockSize)
    }

    mutating func store(_ bytes: [UInt8], at block: Int) {
        memory.overwrite(at: block * VirtualMIFAREClassicProduct.blockSize, with: bytes)
    }

    /// Nil where the bits are inconsistent: the sector is then blocked.
    func conditions(ofSector sector: Int) -> MIFAREClassicConditions? {
        MIFAREClassicConditions(bytes(ofBlock: product.trailerBlock(ofSector: sector)).dropFirst(6).prefix(3))
    }

    func isAllowed(_ operation: MIFAREClassicOperation, _ block: Int) -> Bool {
        guard case .authenticated(let sector, let isKeyB) = state, let place = product.place(ofBlock: block),
            place.sector == sector, let conditions = conditions(ofSector: sector)
        else { return false }
        let group = sector < 32 ? place.index : place.index / 5
        return conditions.keys(for: operation, group: group).contains(isKeyB ? .b : .a)
    }
}

extension VirtualMIFAREClassicTag.State {
    var sector: Int? {
        if case .authenticated(let sector, _) = self { sector } else { nil }
    }
}

extension VirtualMIFAREClassicTag {
    /// First part of DECREMENT (C0), INCREMENT (C1) and RESTORE (C2): the block has to be a value block.
    mutating func beginCount(_ operation: UInt8, _ block: Int) -> VirtualTagAnswer {
        let needed: MIFAREClassicOperation = operation == 0xC1 ? .increment : .decrementTransferRestore
        guard block != 0, !product.isTrailer(block), isAllowed(needed, block), value(ofBlock: block) != nil else {
            return .nak(buffer == nil ? 0x4 : 0x0)
        }
        pending = .count(operation: operation, block: block)
        return .ack
    }

    /// Second part: four bytes, least significant first, which RESTORE ignores. The card is silent on success.
    mutating func count(_ operation: UInt8, _ block: Int, operand: [UInt8]) -> VirtualTagAnswer {
        guard operand.count == 4, let current = value(ofBlock: block), let sector = state.sector else {
            return .nak(0x4)
        }
        let amount = Self.number(operand)
        let (sum, overflow) =
            switch operation {
            case 0xC0: current.value.subtractingReportingOverflow(amount)
            case 0xC1: current.value.addingReportingOverflow(amount)
            default: (partialValue: current.value, overflow: false)
            }
        guard !overflow else { return .nak(0x4) }
        buffer = Buffer(sector: sector, value: sum, address: current.address)
        return .silence
    }

    /// TRANSFER: the buffer goes into a block of the same sector.
    mutating func transfer(to block: Int) -> VirtualTagAnswer {
        guard let buffer, buffer.sector == state.sector, block != 0, !product.isTrailer(block),
            isAllowed(.decrementTransferRestore, block)
        else { return .nak(buffer == nil ? 0x4 : 0x0) }
        let bits = UInt32(bitPattern: buffer.value)
        let value = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
        let address = buffer.address
        store(value + value.map { ~$0 } + value + [address, ~address, address, ~address], at: block)
        return .ack
    }

    /// The value and address of a value block; nil where the copies differ (MF1S50yyX data sheet, value blocks).
    private func value(ofBlock block: Int) -> (value: Int32, address: UInt8)? {
        let bytes = Array(bytes(ofBlock: block))
        guard bytes.count == 16, bytes[0..<4] == bytes[8..<12],
            zip(bytes[0..<4], bytes[4..<8]).allSatisfy({ $0 == ~$1 }),
            bytes[12] == bytes[14], bytes[13] == bytes[15], bytes[12] == ~bytes[13]
        else { return nil }
        return (Self.number(bytes[0..<4]), bytes[12])
    }

    private static func number(_ bytes: some BidirectionalCollection<UInt8>) -> Int32 {
        Int32(bitPattern: bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}

/// An operation on a part of a MIFARE Classic card's memory.
enum MIFAREClassicOperation {
    case readData, writeData, increment, decrementTransferRestore
    case writeKeyA, readAccess, writeAccess, readKeyB, writeKeyB
}

/// The keys that are allowed.
struct MIFAREClassicKeySet: OptionSet {
    let rawValue: Int
    static let a = MIFAREClassicKeySet(rawValue: 1)
    static let b = MIFAREClassicKeySet(rawValue: 2)
    static let ab: MIFAREClassicKeySet = [.a, .b]
}

/// The twelve bits C1 to C3 of a trailer, checked against their complements (MF1S50yyX data sheet, access conditions).
struct MIFAREClassicConditions {
    /// `C1 C2 C3` as a number, for blocks 0, 1, 2 or groups of five, then the trailer.
    private let values: [Int]

    /// Nil where a bit equals its complement.
    init?(_ bytes: some Collection<UInt8>) {
        let b = bytes.map { Int($0) }
        guard b.count == 3 else { return nil }
        var values: [Int] = []
        for n in 0..<4 {
            let c1 = b[1] >> (4 + n) & 1
            let c2 = b[2] >> n & 1
            let c3 = b[2] >> (4 + n) & 1
            let inverted = [b[0] >> n & 1, b[0] >> (4 + n) & 1, b[1] >> n & 1]
            guard zip([c1, c2, c3], inverted).allSatisfy({ $0 != $1 }) else { return nil }
            values.append(c1 * 4 + c2 * 2 + c3)
        }
        self.values = values
    }

    /// Key B is readable data then, and nothing can be done after an authentication with it.
    var isKeyBReadable: Bool { [0b000, 0b010, 0b001].contains(values[3]) }

    /// The keys for an operation on the block with this number in its sector.
    func keys(for operation: MIFAREClassicOperation, group: Int) -> MIFAREClassicKeySet {
        let condition = values[min(max(group, 0), 3)]
        let keys = group == 3 ? Self.trailer(condition, operation) : Self.data(condition, operation)
        return isKeyBReadable ? keys.intersection(.a) : keys
    }

    private static func data(_ condition: Int, _ operation: MIFAREClassicOperation) -> MIFAREClassicKeySet {
        switch (operation, condition) {
        case (_, 0b000): .ab
        case (.readData, 0b010), (.readData, 0b100), (.readData, 0b110), (.readData, 0b001): .ab
        case (.readData, 0b011), (.readData, 0b101): .b
        case (.writeData, 0b100), (.writeData, 0b110), (.writeData, 0b011): .b
        case (.increment, 0b110): .b
        case (.decrementTransferRestore, 0b110), (.decrementTransferRestore, 0b001): .ab
        default: []
        }
    }

    private static func trailer(_ condition: Int, _ operation: MIFAREClassicOperation) -> MIFAREClassicKeySet {
        switch (operation, condition) {
        case (.readAccess, 0b000), (.readAccess, 0b010), (.readAccess, 0b001): .a
        case (.readAccess, _): .ab
        case (.writeKeyA, 0b000), (.writeKeyA, 0b001), (.writeKeyB, 0b000), (.writeKeyB, 0b001): .a
        case (.writeKeyA, 0b100), (.writeKeyA, 0b011), (.writeKeyB, 0b100), (.writeKeyB, 0b011): .b
        case (.writeAccess, 0b001): .a
        case (.writeAccess, 0b011), (.writeAccess, 0b101): .b
        case (.readKeyB, 0b000), (.readKeyB, 0b010), (.readKeyB, 0b001): .a
        default: []
        }
    }
}
