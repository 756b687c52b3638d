import ISO7816

extension Type3Card {
    /// Describes the card, see ``Type3Tag/describe()``.
    func describe() async throws(TagError) -> TagDescription {
        let system = try await connect()
        var fields: [TagDescription.Field] = [
            .init("IDm", "\(system.identifier)"), .init("PMm", "\(system.parameter)"),
            .init("Systems", try await systems(of: system).joined(separator: " ")),
        ]
        var header: Type3Header?
        do throws(TagError) {
            header = try await describedHeader(of: system)
        } catch {
            guard error.code == .tagResponseError, error.response != nil else { throw error }
            fields.append(.refused("block 0", error))
        }
        if let configuration = header?.configuration {
            fields.append(.init("Memory configuration", Hexadecimal.string(configuration.bytes)))
        }
        let attribute = system.isNDEF ? header?.attribute : nil
        if !system.isNDEF { fields.append(.init("NDEF", system.noNDEF)) }
        if let attribute { fields += Self.fields(attribute) }
        return TagDescription(
            product: system.productName, manufacturer: system.productName.map { _ in "Sony" },
            memorySize: Self.memorySize(system, attribute), blockSize: FeliCaBlock.size,
            lockState: Self.lockState(header?.configuration, attribute), fields: fields)
    }

    /// Block 0, of a Lite with the memory configuration; nil if there is nothing to read.
    private func describedHeader(of system: Type3System) async throws(TagError) -> Type3Header? {
        guard let product = system.product else { return system.isNDEF ? try await readHeader(of: system) : nil }
        let content = try await readable([0, FeliCaLiteConfiguration.block], of: system)
        return Type3Header(
            block: content[0] ?? [],
            configuration: content[FeliCaLiteConfiguration.block].flatMap {
                FeliCaLiteConfiguration($0, product: product)
            })
    }

    /// A Lite does not support Request System Code, and has at most two systems.
    private func systems(of system: Type3System) async throws(TagError) -> [String] {
        let polled: [FeliCaSystemCode] = (system.product == nil ? [] : [.lite]) + (system.isNDEF ? [.ndef] : [])
        guard system.product == nil else { return polled.map { Hexadecimal.string($0.rawValue) } }
        do throws(TagError) {
            return try await systemCodes(of: system).map {
                Hexadecimal.string($0.rawValue)
            }
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return polled.map { Hexadecimal.string($0.rawValue) }
        }
    }

    private static func memorySize(
        _ system: Type3System, _ attribute: Result<AttributeInformation, AttributeFault>?
    ) -> Int? {
        if let product = system.product { return FeliCaLiteBlocks.numbers(of: product).count * FeliCaBlock.size }
        guard case .success(let attribute)? = attribute else { return nil }
        return attribute.capacity + FeliCaBlock.size
    }

    /// By the memory configuration of a Lite. RWFlag is all that other cards have, and on a Lite it locks what NDEF devices
    /// see, and no more.
    private static func lockState(
        _ configuration: FeliCaLiteConfiguration?, _ attribute: Result<AttributeInformation, AttributeFault>?
    ) -> LockState {
        var isWritable: Bool?
        if case .success(let attribute)? = attribute { isWritable = attribute.isWritable }
        guard let configuration else { return isWritable.map { $0 ? .unlocked : .locked } ?? .unknown }
        return configuration.lockState == .unlocked && isWritable == false ? .partlyLocked : configuration.lockState
    }

    private static func fields(
        _ attribute: Result<AttributeInformation, AttributeFault>
    ) -> [TagDescription.Field] {
        switch attribute {
        case .failure(let fault): [.init("NDEF", "\(fault)")]
        case .success(let attribute):
            [
                .init("Attribute information", Hexadecimal.string(attribute.bytes)),
                .init("NDEF access", attribute.isWritable ? "read and write" : "read only"),
            ]
        }
    }
}

extension Type3Card {
    /// Reads the blocks of the card, see ``Type3Tag/dump(progress:)``.
    func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        let system = try await connect()
        let blocks =
            if let product = system.product {
                try await liteBlocks(of: system, product, progress)
            } else {
                try await systemBlocks(of: system, progress)
            }
        var facts = TagDump.Facts()
        facts.manufactureParameter = HexBytes(system.parameter.bytes)
        return TagDump(
            layout: .type3, product: system.productName, blockSize: FeliCaBlock.size,
            sections: [.init(blocks: blocks)], facts: facts)
    }

    private func liteBlocks(
        of system: Type3System, _ product: FeliCaLiteProduct, _ listener: TagProgress?
    ) async throws(TagError) -> [TagBlock] {
        let numbers = FeliCaLiteBlocks.numbers(of: product)
        let wanted = numbers.filter(FeliCaLiteBlocks.isReadable)
        var progress = DumpProgress(listener, total: wanted.count)
        var content: [UInt16: [UInt8]] = [:]
        var done = 0
        // Every Lite reads four blocks at once.
        for group in wanted.groups(of: min(4, readLimit)) {
            content.merge(try await readable(group, of: system)) { $1 }
            done += group.count
            progress.reach(done)
        }
        progress.finish()
        return numbers.map { number in
            TagBlock(
                number: Int(number), bytes: content[number],
                meaning: number == 0 && system.isNDEF ? "attribute information" : FeliCaLiteBlocks.meaning(of: number))
        }
    }

    /// Block 0, and as many behind it as it declares.
    private func systemBlocks(of system: Type3System, _ listener: TagProgress?) async throws(TagError) -> [TagBlock] {
        guard system.isNDEF else { return [] }
        let header = try await readHeader(of: system)
        guard case .success(let attribute) = header.attribute else {
            let block = try await read([0], of: system)
            listener?(1, 1)
            return [TagBlock(number: 0, bytes: block)]
        }
        let count = attribute.capacity / FeliCaBlock.size
        var progress = DumpProgress(listener, total: count + 1)
        var blocks = [TagBlock(number: 0, bytes: attribute.bytes, meaning: "attribute information")]
        progress.reach(1)
        let step = max(1, min(attribute.readBlocks, readLimit))
        for group in (1..<count + 1).map({ UInt16(truncatingIfNeeded: $0) }).groups(of: step) {
            let content = try await readable(group, of: system)
            blocks += group.map { TagBlock(number: Int($0), bytes: content[$0]) }
            progress.reach(blocks.count)
            // Where the card has no more of them, asking for each would take too long.
            if content.isEmpty { break }
        }
        progress.finish()
        return blocks + (blocks.count..<count + 1).map { TagBlock(number: $0, bytes: nil) }
    }
}
