import ISO7816

extension Type1Tag {
    /// What the tag is: product and memory by its header ROM, capability container, lock bytes.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves or another one answers, 102 when it answers nonsense.
    public func describe() async throws(TagError) -> TagDescription {
        let header = try await connect()
        let content = try await load(header)
        var fields: [TagDescription.Field] = [
            .init("Header ROM", Hexadecimal.string([header.hr0, header.hr1])),
            .init("Capability container", Hexadecimal.string(content.container.bytes)),
            .init("Static lock bytes", Hexadecimal.string(content.memory.bytes(112..<114))),
        ]
        if header.product == .topaz512 {
            fields.append(.init("Dynamic lock bytes", Hexadecimal.string(content.memory.bytes(122..<128))))
        }
        if header.isNDEF, let fault = content.container.fault { fields.append(.init("NDEF", fault)) }
        return TagDescription(
            productName: header.product?.name, manufacturer: header.product.map { _ in "Broadcom (Innovision)" },
            memorySize: content.blockCount.map { $0 * Type1Reader.blockSize }, blockSize: Type1Reader.blockSize,
            lockState: content.lockState, fields: fields)
    }

    /// Every block, with what it is for: one exchange for 120 or 128 bytes.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves or another one answers, 102 when it answers nonsense.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        let header = try await connect()
        let content = try await load(header)
        var memory = content.memory
        // A tag is silent where it refuses; RSEG and READ8 have both been tried then.
        let pages = try await memory.pages(
            content.blockCount ?? Type1Reader.segmentBlocks, isAnswer: { _ in false }, progress: progress)
        let blocks = pages.enumerated().map { number, bytes in
            TagBlock(number: number, bytes: bytes, meaning: content.meaning(ofBlock: number))
        }
        return TagDump(
            layout: .type1, productName: header.product?.name, blockSize: Type1Reader.blockSize,
            sections: [.init(blocks: blocks)])
    }
}

extension Type1Content {
    /// The blocks of the whole memory; nil where neither the product nor a container tells.
    var blockCount: Int? {
        if let product = header.product { return product.blockCount }
        if header.isStatic { return Type1Reader.staticBlocks }
        return container.fault == nil ? container.end / Type1Reader.blockSize : nil
    }

    /// Of the blocks that hold data. A container that forbids writing locks what NDEF devices see, and no more.
    var lockState: TagDescription.LockState {
        guard header.product != nil, let count = blockCount else { return .unknown }
        let blocks = (1..<count).filter { !header.reserved.contains($0 * Type1Reader.blockSize) }
        let locked = blocks.count(where: isLocked)
        if locked == blocks.count { return .locked }
        return locked == 0 && (container.fault != nil || container.isWritable) ? .unlocked : .partlyLocked
    }

    /// Nil for plain data.
    func meaning(ofBlock block: Int) -> String? {
        switch block {
        case 0: "identifier"
        case 1: "capability container"
        case 0x0D: "reserved"
        case 0x0E: "static lock and one-way bits"
        case 0x0F where !header.isStatic: "dynamic lock"
        default: nil
        }
    }
}

extension Type1Product {
    /// The maker's name.
    var name: String {
        switch self {
        case .topaz: "Topaz 96"
        case .topaz512: "Topaz 512"
        }
    }

    /// Blocks of 8 bytes.
    var blockCount: Int {
        switch self {
        case .topaz: Type1Reader.staticBlocks
        case .topaz512: 64
        }
    }
}
