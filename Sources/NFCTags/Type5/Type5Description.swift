import ISO7816

extension Type5Chip {
    /// What the tag is: maker and chip by its UID, system information, capability container, locked blocks.
    func describe() async throws(TagError) -> TagDescription {
        let geometry: Type5Geometry
        do throws(TagError) {
            geometry = try await knownGeometry()
        } catch {
            guard error.isAnswer else { throw error }
            return try await describe(withoutMemory: error)
        }
        let (container, refusal) = try await readableContainer(geometry)
        var locked: Set<Int>?
        if let count = geometry.blockCount { locked = try await lockedBlocks(in: 0..<count) }
        var fields = [geometry.product.proofStrength?.field].compactMap(\.self)
        if let container { fields.append(.init("Capability container", Hexadecimal.string(container.bytes))) }
        if let fault = container?.fault { fields.append(.init("NDEF", fault)) }
        if let refusal { fields.append(.refused("capability container", refusal)) }
        fields += geometry.fields
        let protection = try await protection(geometry)
        fields += protection.fields
        if let locked { fields.append(.init("Locked blocks", locked.isEmpty ? "none" : locked.inWords)) }
        let product = geometry.product
        return TagDescription(
            product: product.name, manufacturer: product.manufacturer,
            memorySize: geometry.dataCount.map { $0 * geometry.blockSize }, blockSize: geometry.blockSize,
            lockState: protection.lockState ?? Self.lockState(locked, geometry, container), fields: fields)
    }

    /// What the UID shows of a tag that refuses to return its blocks.
    private func describe(withoutMemory refusal: TagError) async throws(TagError) -> TagDescription {
        let product = Type5Product(uid: try await identifier())
        return TagDescription(
            product: product.name, manufacturer: product.manufacturer, blockSize: 4,
            fields: [product.proofStrength?.field].compactMap(\.self) + [.refused("block 0", refusal)])
    }

    /// The container; nil where the tag refuses the blocks that it is in, with the refusal.
    private func readableContainer(
        _ geometry: Type5Geometry
    ) async throws(TagError) -> (Type5CapabilityContainer?, refusal: TagError?) {
        do throws(TagError) {
            return (try await beginning(geometry).1, nil)
        } catch {
            guard error.isAnswer else { throw error }
            return (nil, error)
        }
    }

    /// A container that forbids writing locks what NDEF devices see, and no more.
    private static func lockState(
        _ locked: Set<Int>?, _ geometry: Type5Geometry, _ container: Type5CapabilityContainer?
    ) -> LockState {
        guard let container else { return .passwordProtected }
        guard let locked else { return .unknown }
        if locked.count == geometry.blockCount { return .locked }
        return locked.isEmpty && (container.fault != nil || container.isWritable) ? .unlocked : .partlyLocked
    }
}

extension Type5Geometry {
    fileprivate var fields: [TagDescription.Field] {
        var fields: [TagDescription.Field] = []
        if let dsfid = information?.dsfid { fields.append(.init("DSFID", Hexadecimal.string(dsfid))) }
        if let afi = information?.afi { fields.append(.init("AFI", Hexadecimal.string(afi))) }
        if let reference = information?.icReference {
            fields.append(.init("IC reference", Hexadecimal.string(reference)))
        }
        if let dataCount {
            let counter = counterBlock.map { ", and a counter in block \($0)" } ?? ""
            fields.append(.init("Blocks", "\(dataCount) of \(blockSize) bytes\(counter)"))
        }
        return fields
    }

    /// The blocks for data: those in front of the counter of the chips that have one.
    fileprivate var dataCount: Int? { counterBlock ?? blockCount }
}

extension Type5Chip {
    /// Every block, with its purpose and whether it is locked.
    func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        let geometry = try await knownGeometry()
        var memory = try await wholeMemory(geometry)
        let isSure = geometry.blockCount != nil
        var pages = try await memory.pages(
            memory.image.pageCount, isAnswer: { isSure && $0.isErrorCode }, progress: progress)
        // Where the size is not known, the dump ends where nothing more can be read.
        if !isSure { while case .some(.none) = pages.last { pages.removeLast() } }
        let locked = try await lockedBlocks(in: 0..<pages.count)
        return TagDump(
            layout: .type5, product: geometry.product.name, blockSize: geometry.blockSize,
            sections: [.init(blocks: Self.blocks(pages, locked ?? [], counter: geometry.counterBlock))],
            facts: Self.facts(geometry, locked ?? []))
    }

    /// Memory to read in, as far as the tag or else its container declares.
    private func wholeMemory(_ geometry: Type5Geometry) async throws(TagError) -> LazyMemory<Type5Blocks> {
        if let count = geometry.blockCount { return wholeMemory(geometry, count, geometry.firstBlock) }
        let (memory, container) = try await beginning(geometry)
        let end = container.bytes.count + container.dataAreaSize
        let count = container.fault == nil ? (end + geometry.blockSize - 1) / geometry.blockSize : 256
        return wholeMemory(geometry, count, memory.bytes(0..<max(geometry.blockSize, container.bytes.count)))
    }

    private func wholeMemory(_ geometry: Type5Geometry, _ count: Int, _ first: [UInt8]) -> LazyMemory<Type5Blocks> {
        var memory = memory(geometry, blockCount: count, multipleEnd: canLock ? count : nil)
        memory.store(first, at: 0)
        return memory
    }

    private static func blocks(_ pages: [[UInt8]?], _ locked: Set<Int>, counter: Int?) -> [TagBlock] {
        let head = pages.prefix(2).flatMap { $0 ?? [] }
        let container = Type5CapabilityContainer(head).flatMap { $0.fault == nil ? $0.bytes.count : nil } ?? 0
        let size = pages.compactMap(\.?.count).first ?? 1
        return pages.enumerated().map { number, bytes in
            let parts = [
                number * size < container ? "capability container" : nil, number == counter ? "counter" : nil,
                locked.contains(number) ? "locked" : nil,
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
        if !locked.isEmpty { facts.lockedBlocks = locked.sorted() }
        return facts
    }
}

extension TagError {
    /// Whether the tag refused the command. Silence has no status word.
    fileprivate var isErrorCode: Bool { iso15693 != nil && statusWord != nil }
    /// Whether the tag or the reader refused the command.
    fileprivate var isAnswer: Bool { iso15693 != nil || isRefusal }
}
