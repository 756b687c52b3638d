/// The dynamic lock bytes of a Type 2 chip; the static ones, which cover pages 3 to 15, are the same on all.
public struct Type2Locks: Sendable, Hashable {
    /// The page of the dynamic lock bytes, nil if the static ones cover the whole user memory.
    public let page: Int?
    /// Its bytes 0 to 2 when the whole user memory is locked and nothing else.
    public let mask: [UInt8]
    let grouping: Grouping

    /// What a lock bit stands for.
    enum Grouping: Sendable, Hashable {
        /// There are none.
        case none
        /// Each bit of bytes 0 and 1 locks this number of pages, from page 16 on; bit n of byte 2 freezes bits 2n and 2n + 1.
        case even(pagesPerBit: Int)
        /// Bits 1 to 3 and 5 to 7 of byte 0 lock 4 pages each; bits 0 and 4 freeze the three bits above them.
        case byFours
    }

    /// Whether a page is locked, where `bytes` are the dynamic lock bytes.
    func locks(page: Int, by bytes: [UInt8]) -> Bool {
        guard page >= 16 else { return false }
        return bit(for: page).map { Self.word(bytes) >> $0 & 1 == 1 } ?? false
    }

    /// Whether all lock bits of ``mask`` are set or can still be set.
    func canComplete(_ bytes: [UInt8]) -> Bool {
        let now = Self.word(bytes)
        return Self.word(mask) & 0xFFFF & ~now & frozen(by: now) == 0
    }

    /// Whether all bits of ``mask`` are set.
    func isComplete(_ bytes: [UInt8]) -> Bool { Self.word(mask) & ~Self.word(bytes) == 0 }

    private func bit(for page: Int) -> Int? {
        switch grouping {
        case .none: nil
        case .even(let pagesPerBit): (page - 16) / pagesPerBit < 16 ? (page - 16) / pagesPerBit : nil
        case .byFours: page <= 39 ? [1, 2, 3, 5, 6, 7][(page - 16) / 4] : nil
        }
    }

    private func frozen(by word: UInt32) -> UInt32 {
        switch grouping {
        case .none: 0
        case .even: (0..<8).reduce(0) { word >> (16 + $1) & 1 == 1 ? $0 | 3 << (2 * $1) : $0 }
        case .byFours: (word & 0x01 == 0 ? 0 : 0x0E) | (word & 0x10 == 0 ? 0 : 0xE0)
        }
    }

    private static func word(_ bytes: [UInt8]) -> UInt32 {
        bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Type2Locks {
    static let staticOnly = Type2Locks(page: nil, mask: [], grouping: .none)

    static func even(page: Int, mask: [UInt8], pagesPerBit: Int) -> Type2Locks {
        Type2Locks(page: page, mask: mask, grouping: .even(pagesPerBit: pagesPerBit))
    }

    /// The upper bytes would freeze a counter, keys and authentication as well.
    static func byFours(page: Int) -> Type2Locks {
        Type2Locks(page: page, mask: [0xFF, 0x00, 0x00], grouping: .byFours)
    }
}

/// A write that makes something read-only permanently. Only a product of the table can make one, so none can hit a page that
/// holds data.
struct LockWrite: Sendable, Hashable {
    let page: Int
    let bytes: [UInt8]

    fileprivate init(page: Int, bytes: [UInt8]) {
        self.page = page
        self.bytes = bytes
    }
}

extension Type2Product {
    /// What locks the capability container and the whole user memory, in this order: the container's access byte, the
    /// static lock bytes, the dynamic ones. Nil where the product's locks are not known.
    ///
    /// - Parameters:
    ///   - page2: page 2 as read; its first two bytes stay.
    ///   - container: the capability container as read; only its access byte changes.
    func lockWrites(page2: [UInt8], container: Type2CapabilityContainer) -> [LockWrite]? {
        guard let locks, page2.count == Type2Pages.size, container.bytes.count == Type2Pages.size else {
            return nil
        }
        var writes = [
            LockWrite(page: 3, bytes: container.bytes.prefix(3) + [container.bytes[3] | 0x0F]),
            LockWrite(page: 2, bytes: page2.prefix(2) + [0xFF, 0xFF]),
        ]
        if let page = locks.page { writes.append(LockWrite(page: page, bytes: locks.mask + [0x00])) }
        return writes
    }
}

/// What keeps a Type 2 Tag from being written, besides the static lock bytes.
struct Type2Protection: Sendable, Hashable {
    /// Bytes 0 to 2 of the dynamic lock page, nil if there is none.
    let dynamicLock: [UInt8]?
    /// CFG0 and CFG1, nil if the product has none.
    let configuration: Type2Configuration?
    /// AUTH0 and AUTH1 of MIFARE Ultralight C, 8 bytes, nil on others.
    let keyAccess: [UInt8]?

    /// AUTH0: the first page that needs the password or key; a page behind the memory if none does.
    var firstProtectedPage: Int { keyAccess?.first.map(Int.init) ?? configuration?.firstProtectedPage ?? 0xFF }
    /// PROT, or bit 0 of AUTH1 clear: reading needs it as well.
    var protectsReading: Bool {
        keyAccess.map { ($0.dropFirst(4).first ?? 0) & 1 == 0 } ?? (configuration?.scope == .readWrite)
    }
}

extension Type2Chip {
    /// Reads the dynamic lock page and the configuration; one exchange where they are side by side.
    func protection(of product: Type2Product) async throws(TagError) -> Type2Protection {
        var memory = LazyMemory(
            reader: Type2PlainPages(pages: pages), pageSize: Type2Pages.size, pageCount: product.readablePages)
        return Type2Protection(
            dynamicLock: try await memory.bytes(ofPage: product.locks?.page, count: 3),
            configuration: try await memory.bytes(ofPage: product.configurationPage, count: 8).flatMap {
                Type2Configuration($0, secret: product.secret)
            },
            keyAccess: try await memory.bytes(ofPage: product.keyAccessPage, count: 8))
    }
}

extension LazyMemory {
    /// The first bytes of a page and those behind it, read if need be; nil for no page.
    fileprivate mutating func bytes(ofPage page: Int?, count: Int) async throws(TagError) -> [UInt8]? {
        guard let page else { return nil }
        let range = page * image.pageSize..<page * image.pageSize + count
        try await load(range)
        guard case .bytes(let bytes) = image.contents(of: [range]) else { return nil }
        return bytes
    }
}
