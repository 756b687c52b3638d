/// An ISO/IEC 15693 tag, byte for byte, with the commands of its product except inventory.
///
/// It is in the ready state once it has power. Quiet and selected are lost with the field; locks are permanent. Which of the
/// error codes a real chip gives in which case differs by maker and is not known in every detail.
public struct VirtualISO15693Tag: VirtualTag {
    enum State: Hashable {
        case off, ready, selected, quiet
    }

    /// The chip.
    public let product: VirtualISO15693Product
    /// ISO/IEC 15693.
    public var technology: VirtualTagTechnology { .iso15693 }
    /// The one of the product.
    public var cardName: UInt16? { product.cardName }
    /// The UID, 8 bytes, E0 first.
    public let identifier: [UInt8]
    /// The whole memory.
    public internal(set) var memory: [UInt8]
    /// The blocks that are locked.
    public internal(set) var lockedBlocks: Set<Int> = []
    /// The application family identifier.
    public internal(set) var afi: UInt8 = 0
    /// The data storage format identifier.
    public internal(set) var dsfid: UInt8 = 0

    /// Passwords and protection; nil for a chip without them, or where they are not modelled.
    public internal(set) var icode: VirtualICODE?

    var isAFILocked = false
    var isDSFIDLocked = false
    var state = State.off

    /// A tag as delivered, all zeros; or formatted with a message, empty for a tag without content.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: VirtualISO15693Product, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        try self.init(product: product, memory: product.image(message: ndefMessage), identifier: identifier)
    }

    /// A tag with a whole memory image.
    ///
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        product: VirtualISO15693Product, memory: [UInt8], identifier: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? product.prefix + [0x4D, 0x21, 0x5A, 0x37]
        guard identifier.count == 8 else { throw .wrongIdentifierSize(size: identifier.count, expected: 8) }
        guard memory.count == product.memorySize else {
            throw .wrongMemorySize(size: memory.count, expected: product.memorySize)
        }
        self.product = product
        self.identifier = identifier
        self.memory = memory
        icode = product.hasPasswords ? VirtualICODE() : nil
    }

    /// Powers the tag on: it is ready. A tag that already has power keeps its state.
    public mutating func activate() {
        if state == .off { state = .ready }
    }

    /// Turns the field off: quiet and selected are lost, and so are the passwords that were given.
    public mutating func fieldDropped() {
        state = .off
        icode?.fieldDropped()
    }
}

extension VirtualISO15693Tag {
    /// Answers one frame: flags, command, UID where it is addressed, parameters.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard state != .off, command.count >= 2 else { return .silence }
        let (flags, code) = (command[0], command[1])
        guard flags & 0x04 == 0, !isDeaf(to: code) else { return .silence }
        var parameters = Array(command.dropFirst(2))
        let isCustom = icode != nil && Self.isCustom(code)
        if isCustom {
            guard parameters.first == 0x04 else { return .silence }
            parameters.removeFirst()
        }
        let isAddressed = flags & 0x20 != 0
        if isAddressed {
            guard parameters.prefix(8).elementsEqual(identifier.reversed()) else {
                // A SELECT for another tag takes this one back to ready.
                if code == 0x25, state == .selected { state = .ready }
                return .silence
            }
            parameters.removeFirst(8)
        } else if flags & 0x10 != 0 ? state != .selected : state == .quiet {
            return .silence
        }
        let hasOption = flags & 0x40 != 0
        guard !isCustom else {
            let isAimed = isAddressed || flags & 0x10 != 0
            return performCustom(code, parameters, hasOption: hasOption, isAimed: isAimed)
        }
        return perform(code, parameters, hasOption: hasOption, isAddressed: isAddressed)
    }

    private mutating func perform(
        _ code: UInt8, _ parameters: [UInt8], hasOption: Bool, isAddressed: Bool
    ) -> VirtualTagAnswer {
        switch code {
        case 0x02: return isAddressed ? silence(.quiet) : .silence
        case 0x25: return isAddressed ? become(.selected) : Self.error(0x02)
        case 0x26: return become(.ready)
        case 0x20, 0x23, 0x2C: return read(code, parameters, hasOption, width: 1)
        case 0x30 where product.hasExtended, 0x33 where product.hasExtended, 0x3C where product.hasExtended:
            return read(code - 0x10, parameters, hasOption, width: 2)
        case 0x21, 0x22: return change(code, parameters, hasOption, width: 1)
        case 0x31 where product.hasExtended, 0x32 where product.hasExtended:
            return change(code - 0x10, parameters, hasOption, width: 2)
        case 0x27, 0x28, 0x29, 0x2A: return changeIdentifier(code, parameters, hasOption)
        case 0x2B: return parameters.isEmpty ? information(tellsSize: product.tellsSize, width: 1) : Self.error(0x02)
        case 0x3B where product.hasExtended:
            return parameters.count == 1
                ? information(tellsSize: parameters[0] & 0x04 != 0, width: 2) : Self.error(0x02)
        default: return Self.error(0x01)
        }
    }

    static func error(_ code: UInt8) -> VirtualTagAnswer { .data([0x01, code]) }
    static let done = VirtualTagAnswer.data([0x00])

    private mutating func silence(_ next: State) -> VirtualTagAnswer {
        state = next
        return .silence
    }

    private mutating func become(_ next: State) -> VirtualTagAnswer {
        state = next
        return Self.done
    }

    /// The error for a block that is not there.
    private var missing: VirtualTagAnswer { Self.error(product.hasUnknownErrors ? 0x0F : 0x10) }

    /// READ SINGLE BLOCK, READ MULTIPLE BLOCKS and GET MULTIPLE BLOCK SECURITY STATUS; numbers of `width` bytes.
    private func read(_ code: UInt8, _ parameters: [UInt8], _ hasOption: Bool, width: Int) -> VirtualTagAnswer {
        guard parameters.count == (code == 0x20 ? width : 2 * width) else { return Self.error(0x02) }
        let first = Self.number(parameters.prefix(width))
        let last = code == 0x20 ? first : first + Self.number(parameters.suffix(width))
        guard last < product.blockCount else { return missing }
        guard code == 0x2C || (first...last).allSatisfy(canRead) else { return Self.error(0x0F) }
        let content = (first...last).flatMap { block -> [UInt8] in
            let security: [UInt8] = [lockedBlocks.contains(block) ? 1 : 0]
            guard code != 0x2C else { return security }
            return (hasOption ? security : []) + memory.dropFirst(block * product.blockSize).prefix(product.blockSize)
        }
        return .data([0x00] + content)
    }

    /// WRITE SINGLE BLOCK and LOCK BLOCK.
    private mutating func change(_ code: UInt8, _ parameters: [UInt8], _ hasOption: Bool, width: Int)
        -> VirtualTagAnswer
    {
        guard parameters.count == width + (code == 0x21 ? product.blockSize : 0) else { return Self.error(0x02) }
        guard hasOption == product.wantsOption else { return Self.error(0x03) }
        let block = Self.number(parameters.prefix(width))
        guard block < product.blockCount else { return missing }
        guard !lockedBlocks.contains(block) else { return Self.error(code == 0x21 ? 0x12 : 0x11) }
        if block == product.counterBlock {
            return code == 0x21 ? writeCounter(Array(parameters.dropFirst(width))) : Self.error(0x0F)
        }
        guard icode?.canWrite(block) != false else { return Self.error(0x0F) }
        if code == 0x21 {
            memory.overwrite(at: block * product.blockSize, with: parameters.dropFirst(width))
        } else {
            guard block < product.lockableBlocks else { return Self.error(0x0F) }
            lockedBlocks.insert(block)
        }
        return Self.done
    }

    /// The counter can always be read.
    private func canRead(_ block: Int) -> Bool { block == product.counterBlock || icode?.canRead(block) != false }

    /// A write to the counter block (SL2S2602 data sheet, 8.2.3): the value 1 counts on, any other sets the counter. Byte 3 decides
    /// whether counting needs the read password; setting needs the write password.
    private mutating func writeCounter(_ data: [UInt8]) -> VirtualTagAnswer {
        guard let block = product.counterBlock else { return missing }
        let old = Array(memory[block * product.blockSize..<block * product.blockSize + 4])
        let count = Int(old[0]) | Int(old[1]) << 8
        let isCounting = data[0] == 1 && data[1] == 0
        if let icode {
            guard isCounting ? old[3] & 0x01 == 0 || icode.knows(.read) : icode.knows(.write) else {
                return Self.error(0x0F)
            }
        }
        let next = isCounting ? count + 1 : Int(data[0]) | Int(data[1]) << 8
        guard next <= 0xFFFF else { return Self.error(0x0F) }
        memory.overwrite(
            at: block * product.blockSize,
            with: [
                UInt8(truncatingIfNeeded: next), UInt8(truncatingIfNeeded: next >> 8), 0, isCounting ? old[3] : data[3],
            ])
        return Self.done
    }

    /// WRITE AFI, LOCK AFI, WRITE DSFID, LOCK DSFID.
    private mutating func changeIdentifier(_ code: UInt8, _ parameters: [UInt8], _ hasOption: Bool) -> VirtualTagAnswer
    {
        let isLock = code == 0x28 || code == 0x2A
        let isLocked = code < 0x29 ? isAFILocked : isDSFIDLocked
        guard parameters.count == (isLock ? 0 : 1) else { return Self.error(0x02) }
        guard hasOption == product.wantsOption else { return Self.error(0x03) }
        guard !isLocked else { return Self.error(isLock ? 0x11 : 0x12) }
        if code < 0x29, let icode, icode.isAFIProtected, !icode.knows(.easAFI) { return Self.error(0x0F) }
        switch code {
        case 0x27: afi = parameters.first ?? 0
        case 0x28: isAFILocked = true
        case 0x29: dsfid = parameters.first ?? 0
        default: isDSFIDLocked = true
        }
        return Self.done
    }

    /// Information flags, UID, DSFID, AFI, size of the memory if reported, IC reference.
    private func information(tellsSize: Bool, width: Int) -> VirtualTagAnswer {
        let count = product.blockCount - 1
        let number = width == 1 ? [count] : [count & 0xFF, count >> 8]
        let size = tellsSize ? (number + [product.blockSize - 1]).map { UInt8(truncatingIfNeeded: $0) } : []
        let head: [UInt8] = [0x00, tellsSize ? 0x0F : 0x0B] + identifier.reversed() + [dsfid, afi]
        return .data(head + size + [product.icReference])
    }

    /// Least significant byte first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}

/// The facts of one ISO/IEC 15693 chip that its behaviour follows from.
public struct VirtualISO15693Product: Sendable, Hashable, CustomStringConvertible {
    /// The name its maker gives it.
    public let name: String
    /// The number of blocks.
    public let blockCount: Int
    /// Bytes per block.
    public let blockSize: Int
    /// The first bytes of the UID, E0 first.
    let prefix: [UInt8]
    /// The maker's reference of the chip.
    let icReference: UInt8
    /// Knows the extended commands 30 to 33 and 3B.
    let hasExtended: Bool
    /// GET SYSTEM INFORMATION in its short form names the size of the memory.
    let tellsSize: Bool
    /// WRITE and LOCK want the option flag.
    let wantsOption: Bool
    /// How many blocks LOCK BLOCK works on, from block 0.
    let lockableBlocks: Int
    /// Any error that has no other code is 0F, a block that is not there too.
    let hasUnknownErrors: Bool
    /// The block that is a counter, which holds no data; the last one of the chips that have it.
    var counterBlock: Int?
    /// Has the passwords and the protection of ICODE SLIX2.
    var hasPasswords = false

    /// The product's name.
    public var description: String { name }
    /// NN NN of the answer to reset: ICODE SLI for NXP's, none given for the others.
    var cardName: UInt16 { prefix.starts(with: [0xE0, 0x04]) ? 0x0014 : 0x0000 }
    /// The whole memory in bytes.
    public var memorySize: Int { blockCount * blockSize }

    /// NXP ICODE SLIX: 28 blocks of 4 bytes.
    public static let slix = VirtualISO15693Product(
        name: "ICODE SLIX", blockCount: 28, blockSize: 4, prefix: [0xE0, 0x04, 0x01, 0x10], icReference: 0x01,
        hasExtended: false, tellsSize: true, wantsOption: false, lockableBlocks: 28, hasUnknownErrors: true)
    /// NXP ICODE SLIX2: 80 blocks of 4 bytes, of which the last one is a 16-bit counter; see ``VirtualICODE``.
    public static let slix2 = VirtualISO15693Product(
        name: "ICODE SLIX2", blockCount: 80, blockSize: 4, prefix: [0xE0, 0x04, 0x01, 0x08], icReference: 0x01,
        hasExtended: false, tellsSize: true, wantsOption: false, lockableBlocks: 79, hasUnknownErrors: true,
        counterBlock: 79, hasPasswords: true)
    /// ST ST25DV04K: 128 blocks of 4 bytes; only blocks 0 and 1 can be locked with LOCK BLOCK.
    public static let st25dv04k = VirtualISO15693Product(
        name: "ST25DV04K", blockCount: 128, blockSize: 4, prefix: [0xE0, 0x02, 0x24, 0x00], icReference: 0x24,
        hasExtended: true, tellsSize: true, wantsOption: false, lockableBlocks: 2, hasUnknownErrors: false)
    /// ST ST25DV64K: 2048 blocks of 4 bytes; only the extended form reports its size.
    public static let st25dv64k = VirtualISO15693Product(
        name: "ST25DV64K", blockCount: 2048, blockSize: 4, prefix: [0xE0, 0x02, 0x26, 0x00], icReference: 0x26,
        hasExtended: true, tellsSize: false, wantsOption: false, lockableBlocks: 2, hasUnknownErrors: false)
    /// A tag like TI's Tag-it HF-I Plus: 64 blocks of 4 bytes, requires the option flag.
    public static let tagIt = VirtualISO15693Product(
        name: "Tag-it HF-I Plus", blockCount: 64, blockSize: 4, prefix: [0xE0, 0x07, 0x00, 0x00], icReference: 0x8B,
        hasExtended: false, tellsSize: true, wantsOption: true, lockableBlocks: 64, hasUnknownErrors: false)

    /// All modelled products.
    public static let all: [VirtualISO15693Product] = [slix, slix2, st25dv04k, st25dv64k, tagIt]

    /// The blocks that hold data, in bytes.
    public var dataSize: Int { (counterBlock ?? blockCount) * blockSize }

    /// The capability container of a formatted tag: MLEN counts the memory for data in units of 8 bytes.
    var capabilityContainer: [UInt8] {
        let length = dataSize / 8
        let magic: UInt8 = blockCount > 256 ? 0xE2 : 0xE1
        guard length > 0xFF else { return [magic, 0x40, UInt8(truncatingIfNeeded: length), 0x01] }
        let bytes = [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        return [magic, 0x40, 0x00, 0x01, 0x00, 0x00] + bytes
    }

    /// The largest NDEF message of a formatted tag in bytes.
    public var messageCapacity: Int {
        let room = dataSize - capabilityContainer.count
        return max(min(room - 2, 254), room - 4, 0)
    }

    func image(message: [UInt8]?) throws(VirtualTagError) -> [UInt8] {
        var image = [UInt8](repeating: 0, count: memorySize)
        guard let message else { return image }
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        let long = [0xFF, UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        let length = message.count < 0xFF ? [UInt8(truncatingIfNeeded: message.count)] : long
        image.overwrite(at: 0, with: capabilityContainer + [0x03] + length + message + [0xFE])
        return image
    }
}

extension VirtualISO15693Product {
    /// The modelled product that a tag is by maker, size and IC reference, else one of its size that keeps to
    /// ISO/IEC 15693-3 and to what is known of its maker.
    static func of(
        _ identifier: [UInt8], icReference: UInt8?, blockCount: Int, blockSize: Int
    ) -> VirtualISO15693Product {
        let known = all.first {
            $0.blockCount == blockCount && $0.blockSize == blockSize
                && $0.prefix.prefix(2) == identifier.prefix(2)
                && (icReference ?? $0.icReference) == $0.icReference
        }
        return known
            ?? VirtualISO15693Product(
                name: "ISO/IEC 15693 tag", blockCount: blockCount, blockSize: blockSize,
                prefix: Array(identifier.prefix(4)), icReference: icReference ?? 0x00, hasExtended: blockCount > 256,
                tellsSize: blockCount <= 256, wantsOption: identifier.starts(with: [0xE0, 0x07]),
                lockableBlocks: blockCount, hasUnknownErrors: identifier.starts(with: [0xE0, 0x04]))
    }
}
