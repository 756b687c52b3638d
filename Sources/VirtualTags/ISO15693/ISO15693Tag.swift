/// An ISO/IEC 15693 tag, byte for byte, with the commands of its product except inventory.
///
/// It is in the ready state once it has power. Quiet and selected are lost with the field; locks are for ever. Which of the
/// error codes a real chip gives in which case differs by maker and is not known in every detail.
public struct ISO15693Tag: VirtualTag {
    enum State: Hashable {
        case off, ready, selected, quiet
    }

    /// The chip.
    public let product: ISO15693Product
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

    var isAFILocked = false
    var isDSFIDLocked = false
    var state = State.off

    /// A tag as delivered, all zeros; or formatted with a message, empty for a tag without content.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: ISO15693Product, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        try self.init(product: product, memory: product.image(message: ndefMessage), identifier: identifier)
    }

    /// A tag with a whole memory image.
    ///
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        product: ISO15693Product, memory: [UInt8], identifier: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? product.prefix + [0x4D, 0x21, 0x5A, 0x37]
        guard identifier.count == 8 else { throw .wrongIdentifierSize(size: identifier.count, expected: 8) }
        guard memory.count == product.memorySize else {
            throw .wrongMemorySize(size: memory.count, expected: product.memorySize)
        }
        self.product = product
        self.identifier = identifier
        self.memory = memory
    }

    /// Power comes on: the tag is ready. A tag that has power stays as it is.
    public mutating func activate() {
        if state == .off { state = .ready }
    }

    /// Takes the field away: quiet and selected are lost.
    public mutating func fieldDropped() { state = .off }
}
