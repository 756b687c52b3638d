/// Status flags 1 and 2.
typealias FeliCaFlags = [UInt8]

extension FeliCaTag {
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
