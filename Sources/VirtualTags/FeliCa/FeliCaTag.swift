/// A FeliCa card, byte for byte, without its cryptography: Lite, Lite-S and a generic Type 3 Tag.
///
/// A frame is a packet with its length byte, without preamble and CRC. The card is silent to whatever is malformed or
/// meant for another card. No authentication ever succeeds: what needs a key or a MAC is refused.
public struct FeliCaTag: VirtualTag {
    static let blockSize = 16
    /// MC, the memory configuration of Lite and Lite-S.
    static let configurationBlock = 0x88
    static let identifierSize = 8

    /// The chip.
    public let product: FeliCaProduct
    /// IDm.
    public let identifier: [UInt8]
    /// Every block as stored, 16 bytes each, by number.
    public internal(set) var blocks: [Int: [UInt8]]

    /// MC as latched at power-on: a change takes effect when the field is back.
    var configuration: FeliCaConfiguration
    private var isPowered = false

    /// A card as delivered, with a message where one is given.
    ///
    /// - Parameters:
    ///   - identifier: IDm of 8 bytes, nil for one derived from the product.
    ///   - ndefMessage: a raw NDEF message, empty for a formatted card without content; nil for the factory content,
    ///     which is without NDEF on Lite and Lite-S.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: FeliCaProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? product.defaultIdentifier
        guard identifier.count == Self.identifierSize else {
            throw .wrongIdentifierSize(size: identifier.count, expected: Self.identifierSize)
        }
        let image = try product.image(identifier: identifier, message: ndefMessage)
        try self.init(product: product, identifier: identifier, blocks: image)
    }

    /// A card with these blocks; those that are missing are zero.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier or a block of another length, or a block the product does not
    ///   have.
    public init(
        product: FeliCaProduct, identifier: [UInt8], blocks: [Int: [UInt8]]
    ) throws(VirtualTagError) {
        guard identifier.count == Self.identifierSize else {
            throw .wrongIdentifierSize(size: identifier.count, expected: Self.identifierSize)
        }
        let numbers = product.blockNumbers
        for (number, block) in blocks where block.count != Self.blockSize || !numbers.contains(number) {
            throw .wrongMemorySize(size: block.count, expected: Self.blockSize)
        }
        self.product = product
        self.identifier = identifier
        let blank = [UInt8](repeating: 0, count: Self.blockSize)
        self.blocks = Dictionary(uniqueKeysWithValues: numbers.map { ($0, blocks[$0] ?? blank) })
        configuration = FeliCaConfiguration(product.family, self.blocks[Self.configurationBlock] ?? [])
    }

    /// Brings the card into the field, which is all it takes.
    public mutating func activate() {
        isPowered = true
    }

    /// Takes the field away; a new memory configuration takes effect.
    public mutating func fieldDropped() {
        isPowered = false
        configuration = FeliCaConfiguration(product.family, blocks[Self.configurationBlock] ?? [])
    }

    /// Answers one packet.
    public mutating func exchange(_ command: [UInt8]) -> TagAnswer {
        guard isPowered, let length = command.first, Int(length) == command.count, command.count >= 2 else {
            return .silence
        }
        let body = Array(command.dropFirst(2))
        guard let answer = perform(command[1], body) else { return .silence }
        return .data([UInt8(truncatingIfNeeded: answer.count + 2), command[1] + 1] + answer)
    }

    /// What follows the response code; nil for silence.
    private mutating func perform(_ code: UInt8, _ body: [UInt8]) -> [UInt8]? {
        if code == 0x00 { return poll(body) }
        guard body.starts(with: identifier) else { return nil }
        let parameters = Array(body.dropFirst(identifier.count))
        let answer: [UInt8]? =
            switch code {
            case 0x06: read(parameters)
            case 0x08: write(parameters)
            case 0x02 where product.family == .plain: requestService(parameters)
            case 0x04 where product.family == .plain && parameters.isEmpty: [0x00]
            case 0x0C where product.family == .plain && parameters.isEmpty: [0x01, 0x12, 0xFC]
            default: nil
            }
        return answer.map { identifier + $0 }
    }
}
