import ISO7816

extension Type5Tag {
    /// What the tag is: maker and chip by its UID, system information, capability container, locked blocks.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when it answers nonsense.
    public func describe() async throws(TagError) -> TagDescription {
        let geometry = try await knownGeometry()
        let (_, container) = try await beginning(geometry)
        var locked: Set<Int>?
        if let count = geometry.blockCount { locked = try await lockedBlocks(in: 0..<count) }
        var fields = [TagDescription.Field("Capability container", Hexadecimal.string(container.bytes))]
        if let fault = container.fault { fields.append(.init("NDEF", fault)) }
        fields += geometry.fields
        if let locked { fields.append(.init("Locked blocks", locked.isEmpty ? "none" : locked.inWords)) }
        let product = Type5Product(uid: geometry.uid)
        return TagDescription(
            productName: product.name, manufacturer: product.manufacturer,
            memorySize: geometry.blockCount.map { $0 * geometry.blockSize }, blockSize: geometry.blockSize,
            lockState: Self.lockState(locked, geometry, container), fields: fields)
    }

    /// A container that forbids writing locks what NDEF devices see, and no more.
    private static func lockState(
        _ locked: Set<Int>?, _ geometry: Type5Geometry, _ container: Type5CapabilityContainer
    ) -> LockState {
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
        if let blockCount { fields.append(.init("Blocks", "\(blockCount) of \(blockSize) bytes")) }
        return fields
    }
}

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

/// What the UID of an ISO/IEC 15693 tag tells, E0 first: the maker by its code (ISO/IEC 7816-6), and the chip where its
/// maker puts the type into the UID.
struct Type5Product: Sendable, Hashable {
    /// Nil where the UID does not tell.
    let name: String?
    /// Nil for makers that are not known here.
    let manufacturer: String?

    init(uid: [UInt8]) {
        guard uid.count == 8, uid[0] == 0xE0 else {
            (name, manufacturer) = (nil, nil)
            return
        }
        manufacturer = Self.makers[uid[1]]
        name = uid[1] == 0x04 ? Self.icode(uid[2], uid[3]) : nil
    }

    private static let makers: [UInt8: String] = [
        0x02: "STMicroelectronics", 0x04: "NXP", 0x05: "Infineon", 0x07: "Texas Instruments",
        0x16: "EM Microelectronic",
    ]

    /// The family, and of the first one the type indicator in the byte behind.
    private static func icode(_ family: UInt8, _ type: UInt8) -> String? {
        switch family {
        case 0x01: type & 0x78 == 0x20 ? "ICODE 3" : types[type & 0x18]
        case 0x02: "ICODE SLI-S or SLIX-S"
        case 0x03: "ICODE SLI-L or SLIX-L"
        default: nil
        }
    }

    private static let types: [UInt8: String] = [
        0x00: "ICODE SLI", 0x08: "ICODE SLIX2", 0x10: "ICODE SLIX", 0x18: "NTAG 5 or ICODE DNA",
    ]
}
