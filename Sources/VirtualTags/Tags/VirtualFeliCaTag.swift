/// A FeliCa card, byte for byte, without its cryptography: Lite, Lite-S and a generic Type 3 Tag.
///
/// A frame is a packet with its length byte, without preamble and CRC. The card is silent to whatever is malformed or
/// meant for another card. No authentication ever succeeds: what needs a key or a MAC is refused.
public struct VirtualFeliCaTag: VirtualTag {
    static let blockSize = 16
    /// MC, the memory configuration of Lite and Lite-S.
    static let configurationBlock = 0x88
    static let identifierSize = 8

    /// The chip.
    public let product: VirtualFeliCaProduct
    /// FeliCa.
    public var technology: VirtualTagTechnology { .feliCa }
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
        product: VirtualFeliCaProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
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
        product: VirtualFeliCaProduct, identifier: [UInt8], blocks: [Int: [UInt8]]
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

    /// Puts the card into the field; FeliCa needs no selection.
    public mutating func activate() {
        isPowered = true
    }

    /// Turns the field off; a new memory configuration takes effect.
    public mutating func fieldDropped() {
        isPowered = false
        configuration = FeliCaConfiguration(product.family, blocks[Self.configurationBlock] ?? [])
    }

    /// Answers one packet.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
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

extension VirtualFeliCaTag {
    /// Polling: system code, request code, time slots (JIS X 6319-4). A byte FF of the system code stands for any.
    func poll(_ body: [UInt8]) -> [UInt8]? {
        guard body.count == 4, let system = systems.first(where: { Self.matches($0, body) }) else { return nil }
        let answer = identifier + product.manufactureParameter
        return body[2] == 0x01 ? answer + system : answer
    }

    /// The system codes it answers to. Lite has 88B4, and 12FC where SYS_OP is set.
    private var systems: [[UInt8]] {
        switch product.family {
        case .plain: [[0x12, 0xFC]]
        case .lite, .liteS: [[0x88, 0xB4]] + (configuration.isNDEF ? [[0x12, 0xFC]] : [])
        }
    }

    private static func matches(_ system: [UInt8], _ wanted: [UInt8]) -> Bool {
        zip(system, wanted).allSatisfy { $1 == 0xFF || $0 == $1 }
    }

    /// Request Service: key version 0000 for the two services there are, FFFF for others.
    func requestService(_ parameters: [UInt8]) -> [UInt8]? {
        guard let count = parameters.first, (1...32).contains(count), parameters.count == 1 + 2 * Int(count) else {
            return nil
        }
        let versions = stride(from: 1, to: parameters.count, by: 2).flatMap { place -> [UInt8] in
            let isKnown = [0x09, 0x0B].contains(parameters[place]) && parameters[place + 1] == 0x00
            return isKnown ? [0x00, 0x00] : [0xFF, 0xFF]
        }
        return [count] + versions
    }
}

/// Status flags 1 and 2.
typealias FeliCaFlags = [UInt8]

extension VirtualFeliCaTag {
    static let readOnlyService = 0x000B
    static let readWriteService = 0x0009
    /// MAC of Lite, and MAC_A of Lite-S.
    static let macBlocks = [0x81, 0x91]

    /// Read Without Encryption: the parameters behind the status flags; nil for silence.
    func read(_ parameters: [UInt8]) -> [UInt8]? {
        guard let request = FeliCaRequest(parameters), request.data.isEmpty else { return nil }
        let services = [Self.readOnlyService, Self.readWriteService]
        if let flags = refusal(of: request, limit: product.readLimit, services: services) { return flags }
        for (place, element) in request.elements.enumerated() {
            if let reason = readRefusal(element, service: request.services[0]) { return Self.flags(place, reason) }
        }
        let count = UInt8(truncatingIfNeeded: request.elements.count)
        return [0x00, 0x00, count] + request.elements.flatMap { shown($0.block) }
    }

    /// Write Without Encryption: the status flags; nil for silence. All blocks are written, or none.
    mutating func write(_ parameters: [UInt8]) -> [UInt8]? {
        guard let request = FeliCaRequest(parameters), request.data.count == request.elements.count * Self.blockSize
        else { return nil }
        // Lite-S takes a second block, the MAC.
        let limit = product.writeLimit + (product.family == .liteS ? 1 : 0)
        if let flags = refusal(of: request, limit: limit, services: [Self.readWriteService]) { return flags }
        if product.family == .liteS, request.elements.count == 2 {
            return Self.flags(1, request.elements[1].block == 0x91 ? 0xB2 : 0xA8)
        }
        for (place, element) in request.elements.enumerated() {
            if let reason = writeRefusal(element) { return Self.flags(place, reason) }
        }
        for (place, element) in request.elements.enumerated() {
            store(Array(request.data.dropFirst(place * Self.blockSize).prefix(Self.blockSize)), in: element.block)
        }
        return [0x00, 0x00]
    }

    /// What is wrong with the lists as such.
    private func refusal(of request: FeliCaRequest, limit: Int, services: [Int]) -> FeliCaFlags? {
        guard request.services.count == 1 else { return [0xFF, 0xA1] }
        guard (1...limit).contains(request.elements.count) else { return [0xFF, 0xA2] }
        return services.contains(request.services[0]) ? nil : [0x01, 0xA6]
    }

    /// Flag 1 of an element is its place as a bit.
    private static func flags(_ place: Int, _ reason: UInt8) -> FeliCaFlags {
        [UInt8(truncatingIfNeeded: 1 << (place % 8)), reason]
    }

    private func readRefusal(_ element: FeliCaRequest.Element, service: Int) -> UInt8? {
        if element.service != 0 { return 0xA3 }
        if element.accessMode != 0 { return 0xA7 }
        guard blocks[element.block] != nil else { return 0xA8 }
        if service == Self.readWriteService && isReadOnly(element.block) { return 0xA8 }
        if Self.macBlocks.contains(element.block) && product.family != .plain { return 0xB2 }
        return configuration.protectsReading(element.block) ? 0xB1 : nil
    }

    private func writeRefusal(_ element: FeliCaRequest.Element) -> UInt8? {
        if element.service != 0 { return 0xA3 }
        if element.accessMode != 0 { return 0xA7 }
        guard blocks[element.block] != nil, !isReadOnly(element.block), !wantsMAC(element.block) else { return 0xA8 }
        return configuration.protectsWriting(element.block) ? 0xB1 : nil
    }

    private func isReadOnly(_ block: Int) -> Bool {
        guard product.family != .plain else { return false }
        switch block {
        case 0...0x0E: return !configuration.allowsWriting(block)
        case 0x80: return false
        case 0x82, 0x84, 0x86, 0x87: return !configuration.areSystemBlocksOpen
        case 0x88: return !configuration.areSystemBlocksOpen && !configuration.areConditionsOpen
        default: return true
        }
    }

    private func wantsMAC(_ block: Int) -> Bool {
        switch block {
        case 0x86, 0x87: configuration.keysWantMAC
        default: configuration.wantsMAC(block)
        }
    }

    /// RC and CK never show.
    private func shown(_ block: Int) -> [UInt8] {
        let isSecret = product.family != .plain && [0x80, 0x87].contains(block)
        return isSecret ? [UInt8](repeating: 0, count: Self.blockSize) : blocks[block] ?? []
    }

    private mutating func store(_ data: [UInt8], in block: Int) {
        if product.family == .plain {
            blocks[block] = data
            return
        }
        switch block {
        case 0x0E: blocks[block] = Self.lowered(blocks[block] ?? [], to: data)
        case 0x82: blocks[block] = identifier + data.suffix(8)
        case Self.configurationBlock: blocks[block] = configuration.changed(to: data)
        default: blocks[block] = data
        }
        countWrite()
    }

    /// WCNT of Lite-S: 24 bits, least significant byte first.
    private mutating func countWrite() {
        guard let counter = blocks[0x90] else { return }
        let value = counter.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
        let next = min(value + 1, 0xFF_FFFF)
        blocks[0x90] = [0, 8, 16].map { UInt8(truncatingIfNeeded: next >> $0) } + counter.dropFirst(3)
    }

    /// REG: two numbers of 4 bytes, least significant first, that only go down, and 8 bytes that follow them.
    private static func lowered(_ old: [UInt8], to new: [UInt8]) -> [UInt8] {
        func number(_ bytes: [UInt8], _ start: Int) -> UInt32 {
            bytes.dropFirst(start).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        let isLower = number(new, 0) <= number(old, 0) && number(new, 4) <= number(old, 4)
        return isLower ? new : old
    }
}

/// The parameters of a read or write without encryption: services, block list, data (JIS X 6319-4).
struct FeliCaRequest {
    /// One element of the block list.
    struct Element {
        /// The place of the service in the service list.
        let service: Int
        let accessMode: Int
        let block: Int
    }

    /// Service codes as numbers.
    let services: [Int]
    let elements: [Element]
    /// What follows the block list.
    let data: [UInt8]

    /// Takes parameters apart; nil where they end too early.
    init?(_ parameters: [UInt8]) {
        var rest = parameters[...]
        guard let serviceCount = rest.popFirst(), rest.count >= 2 * Int(serviceCount) else { return nil }
        services = (0..<Int(serviceCount)).map { Int(parameters[1 + 2 * $0]) | Int(parameters[2 + 2 * $0]) << 8 }
        rest = rest.dropFirst(2 * Int(serviceCount))
        guard let blockCount = rest.popFirst() else { return nil }
        var elements: [Element] = []
        for _ in 0..<blockCount {
            guard let element = Element(&rest) else { return nil }
            elements.append(element)
        }
        self.elements = elements
        data = Array(rest)
    }
}

extension FeliCaRequest.Element {
    /// Two bytes where the first bit is set, else three with the block number least significant byte first.
    init?(_ rest: inout ArraySlice<UInt8>) {
        guard let mode = rest.popFirst(), let low = rest.popFirst() else { return nil }
        var number = Int(low)
        if mode & 0x80 == 0 {
            guard let high = rest.popFirst() else { return nil }
            number |= Int(high) << 8
        }
        self.init(service: Int(mode & 0x0F), accessMode: Int(mode >> 4 & 0x07), block: number)
    }
}

/// The meaning of MC, block 88 of FeliCa Lite and Lite-S; a plain card has none and restricts nothing.
struct FeliCaConfiguration: Hashable {
    private let family: VirtualFeliCaProduct.Family
    private let bytes: [UInt8]

    init(_ family: VirtualFeliCaProduct.Family, _ bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// SYS_OP: the card answers to 12FC.
    var isNDEF: Bool { byte(3) & 0x01 != 0 }
    /// MC_ALL: identifiers, keys and MC itself may be written.
    var areSystemBlocksOpen: Bool { byte(2) == 0xFF }
    /// The last bit of bytes 0 and 1: they, and the access conditions, may be changed.
    var areConditionsOpen: Bool { bit(15, of: 0) }

    /// The RW bit of a user block or of the register.
    func allowsWriting(_ block: Int) -> Bool { family == .plain || bit(block, of: 0) }
    /// Lite-S: reading needs an authentication.
    func protectsReading(_ block: Int) -> Bool { family == .liteS && bit(block, of: 6) }
    /// Lite-S: writing needs an authentication.
    func protectsWriting(_ block: Int) -> Bool { family == .liteS && bit(block, of: 8) }
    /// Lite-S: writing needs a MAC.
    func wantsMAC(_ block: Int) -> Bool { family == .liteS && bit(block, of: 10) }
    /// Lite-S: writing CK and CKV needs a MAC.
    var keysWantMAC: Bool { family == .liteS && byte(5) & 0x01 != 0 }

    /// What MC holds after a write: RW bits are only cleared, access conditions only set.
    func changed(to new: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { place, old in
            guard let wanted = new.dropFirst(place).first else { return old }
            switch place {
            case 0, 1: return areConditionsOpen ? old & wanted : old
            case 2...5: return areSystemBlocksOpen ? wanted : old
            case 6...12 where family == .liteS: return areConditionsOpen ? old | wanted : old
            default: return 0
            }
        }
    }

    private func bit(_ number: Int, of place: Int) -> Bool {
        (0...15).contains(number) && byte(place + number / 8) >> (number % 8) & 1 == 1
    }

    private func byte(_ place: Int) -> UInt8 { bytes.dropFirst(place).first ?? 0 }
}
