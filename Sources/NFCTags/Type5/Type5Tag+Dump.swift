extension Type5Tag {
    /// Every block, with what it is for and whether it is locked. Several are read at once where the tag lets them.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when it answers nonsense.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        let geometry = try await knownGeometry()
        var memory = try await wholeMemory(geometry)
        let isSure = geometry.blockCount != nil
        var pages = try await memory.pages(
            memory.image.pageCount, isAnswer: { isSure && $0.isRefusal }, progress: progress)
        // Where nobody tells how much there is, it ends where nothing more can be read.
        if !isSure { while case .some(.none) = pages.last { pages.removeLast() } }
        let locked = try await lockedBlocks(in: 0..<pages.count)
        return TagDump(
            layout: .type5, productName: Type5Product(uid: geometry.uid).name, blockSize: geometry.blockSize,
            sections: [.init(blocks: Self.blocks(pages, locked ?? []))], facts: Self.facts(geometry, locked ?? []))
    }

    /// Memory to read in, as far as the tag or else its container says that it goes.
    private func wholeMemory(_ geometry: Type5Geometry) async throws(TagError) -> LazyMemory {
        guard let count = geometry.blockCount else {
            let (memory, container) = try await beginning(geometry)
            let end = container.bytes.count + container.dataAreaSize
            let count = container.fault == nil ? (end + geometry.blockSize - 1) / geometry.blockSize : 256
            return wholeMemory(geometry, count, memory.bytes(0..<max(geometry.blockSize, container.bytes.count)))
        }
        return wholeMemory(geometry, count, geometry.firstBlock)
    }

    private func wholeMemory(_ geometry: Type5Geometry, _ count: Int, _ first: [UInt8]) -> LazyMemory {
        let reader = Type5BlockReader(
            transport: transport, blockSize: geometry.blockSize, multipleEnd: transport.canLock ? count : nil)
        var memory = LazyMemory(reader: reader, pageSize: geometry.blockSize, pageCount: count)
        memory.store(first, at: 0)
        return memory
    }

    private static func blocks(_ pages: [[UInt8]?], _ locked: Set<Int>) -> [TagBlock] {
        let head = pages.prefix(2).flatMap { $0 ?? [] }
        let container = Type5CapabilityContainer(head).flatMap { $0.fault == nil ? $0.bytes.count : nil } ?? 0
        let size = pages.compactMap(\.?.count).first ?? 1
        return pages.enumerated().map { number, bytes in
            let parts = [
                number * size < container ? "capability container" : nil, locked.contains(number) ? "locked" : nil,
            ].compactMap { $0 }
            return TagBlock(
                number: number, bytes: bytes, meaning: parts.isEmpty ? nil : parts.joined(separator: ", "))
        }
    }

    private static func facts(_ geometry: Type5Geometry, _ locked: Set<Int>) -> TagDump.Facts {
        var facts = TagDump.Facts()
        facts.dsfid = geometry.information?.dsfid
        facts.afi = geometry.information?.afi
        facts.icReference = geometry.information?.icReference
        facts.lockedBlocks = locked.sorted()
        return facts
    }
}

extension TagError {
    /// Whether the tag said no. Silence carries no status word.
    fileprivate var isRefusal: Bool { iso15693 != nil && statusWord != nil }
}
