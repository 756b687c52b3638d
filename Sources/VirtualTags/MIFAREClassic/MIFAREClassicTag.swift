/// A MIFARE Classic card, byte for byte, with its access conditions enforced.
///
/// The cipher is left out: an authentication is the one frame `60|61 block key`, as reader chips take it. Any refusal and a
/// wrong key leave the card halted until ``activate()``. What happens to a value that would leave 32 bits is not in
/// the data sheet; this card refuses it.
public struct MIFAREClassicTag: VirtualTag {
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
    public let product: MIFAREClassicProduct
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
        product: MIFAREClassicProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
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
    ///   - memory: exactly ``MIFAREClassicProduct/memorySize`` bytes.
    ///   - identifierSize: how many bytes of block 0 are the identifier, 4 or 7.
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        product: MIFAREClassicProduct, memory: [UInt8], identifierSize: Int = 4
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

    /// Takes the field away: authentication, half commands and the transfer buffer are lost.
    public mutating func fieldDropped() {
        activate()
        state = .idle
    }
}
