/// A Type 2 tag, byte for byte: NTAG203, NTAG21x and MIFARE Ultralight, Ultralight C and Ultralight EV1 after their data
/// sheets.
///
/// The tag is idle until ``activate()``. Every refused command makes it idle again:
/// it stays silent until the next activation. Lock bits, one-time programmable bits, counters and the count of wrong
/// passwords outlive the field; authentication does not. The ASCII mirror of NTAG21x is not modelled.
public struct Type2Tag: VirtualTag {
    /// The communication state, as far as commands can tell.
    enum State: Hashable {
        case idle
        case active
        case authenticated
    }

    /// The chip.
    public let product: Type2Product
    /// The whole memory as stored, 4 bytes a page, password and PACK in clear.
    public internal(set) var memory: [UInt8]
    /// The 32 bytes READ_SIG answers. Those of a default tag are zeros, as NXP's private key is not at hand.
    public let signature: [UInt8]
    /// The 24-bit counters 0, 1 and 2. On NTAG21x only number 2, the NFC counter, exists.
    public internal(set) var counters: [UInt32]
    /// How many wrong passwords AUTHLIM has counted.
    public internal(set) var failedAttempts = 0

    var state = State.idle
    /// The page of a COMPATIBILITY_WRITE whose second part is due.
    var pendingPage: Int?
    /// Whether the first step of AUTHENTICATE was answered, so that the next frame is its second.
    var isChallengeOpen = false
    /// Whether a READ or FAST_READ was answered since power-on.
    var hasRead = false
    /// CFGLCK as latched at power-on.
    var isConfigurationLocked: Bool

    /// The serial number, seven bytes, from pages 0 and 1.
    public var identifier: [UInt8] { Array(memory.prefix(3) + memory.dropFirst(4).prefix(4)) }

    var configuration: Type2Configuration {
        Type2Configuration(
            product.configurationPage.map { memory.dropFirst($0 * Type2Product.pageSize) } ?? [])
    }

    /// A tag as delivered, with a message where one is given.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one derived from the product.
    ///   - ndefMessage: a raw NDEF message, put into an NDEF Message TLV; empty for a formatted tag without content;
    ///     nil for the factory content, which is formatted on NTAG21x and blank on Ultralight EV1.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: Type2Product, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? product.defaultIdentifier
        guard identifier.count == Type2Product.identifierSize else {
            throw .wrongIdentifierSize(size: identifier.count, expected: Type2Product.identifierSize)
        }
        let image = try product.image(identifier: identifier, message: ndefMessage)
        try self.init(product: product, memory: image)
    }

    /// A tag with a whole memory image, taken as it is: pages 0 to the last, PWD and PACK included.
    ///
    /// - Parameters:
    ///   - memory: exactly ``Type2Product/memorySize`` bytes.
    ///   - signature: 32 bytes, nil for zeros.
    ///   - counters: up to three 24-bit values for the counters 0, 1 and 2; missing ones are 0.
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        product: Type2Product, memory: [UInt8], signature: [UInt8]? = nil, counters: [UInt32] = []
    ) throws(VirtualTagError) {
        guard memory.count == product.memorySize else {
            throw .wrongMemorySize(size: memory.count, expected: product.memorySize)
        }
        let signature = signature ?? [UInt8](repeating: 0, count: Type2Product.signatureSize)
        guard signature.count == Type2Product.signatureSize else {
            throw .wrongSignatureSize(size: signature.count, expected: Type2Product.signatureSize)
        }
        guard counters.count <= 3, counters.allSatisfy({ $0 <= Self.counterLimit }) else {
            throw .wrongCounters(count: counters.count, expected: 3)
        }
        self.product = product
        self.memory = memory
        self.signature = signature
        self.counters = counters + [UInt32](repeating: 0, count: 3 - counters.count)
        isConfigurationLocked = false
        fieldDropped()
    }

    /// Selects the tag; an authentication is lost.
    public mutating func activate() {
        state = .active
        pendingPage = nil
        isChallengeOpen = false
    }

    /// Takes the field away: authentication and a half-done COMPATIBILITY_WRITE are lost, CFGLCK takes effect.
    public mutating func fieldDropped() {
        state = .idle
        pendingPage = nil
        isChallengeOpen = false
        hasRead = false
        isConfigurationLocked = configuration.isLocked
    }
}
