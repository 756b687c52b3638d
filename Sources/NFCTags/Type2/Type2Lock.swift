import ISO7816

extension Type2Tag {
    /// Makes the tag read-only for ever: the capability container, the static and the dynamic lock bytes, in this order. A
    /// lock that broke off half-way is completed.
    ///
    /// - Throws: ``TagError``, before anything is written: 1 where the product or its lock is not known for sure, or lock
    ///   bits are frozen; 400 where the tag is locked already or needs a password. Then 401, or 100.
    public func makeReadOnly() async throws(TagError) {
        _ = try await begin(forWriting: true)
        try await checkIdentifier()
        let header = try loadedHeader()
        guard header.container.isValid else { throw TagError(.unsupportedFeature, "the tag is not NDEF formatted") }
        guard let product = try await knownProduct(), let locks = product.locks,
            let writes = product.lockWrites(page2: header.page2, container: header.container)
        else { throw TagError(.unsupportedFeature, "the product is not known, so neither is how to lock it") }
        let protection = try await protection(of: product)
        let dynamic = protection.dynamicLock ?? []
        if header.container.writeAccess == .never, header.isLocked, locks.isComplete(dynamic) {
            throw TagError(.tagNotWritable, "the tag is read-only already")
        }
        guard header.canBeLocked, locks.canComplete(dynamic) else {
            throw TagError(.unsupportedFeature, "lock bits are frozen before they were set")
        }
        try checkPassword(2..<(writes.map(\.page).max() ?? 3) + 1, protection)
        try await lock(writes, header: header, locks: locks, dynamic: dynamic)
    }

    /// Writes what is not there yet, and makes sure of it.
    private func lock(
        _ writes: [LockWrite], header: Type2Header, locks: Type2Locks, dynamic: [UInt8]
    ) async throws(TagError) {
        for write in writes {
            let isThere =
                switch write.page {
                case 3: header.container.bytes == write.bytes || header.locks(page: 3)
                case 2: header.isLocked
                default: locks.isComplete(dynamic)
                }
            if isThere { continue }
            try await changing { () async throws(TagError) in try await self.write(write) }
        }
        self.header = nil
        try await verifyLock(locks)
    }

    /// The only way to write a lock page; see ``LockWrite``.
    private func write(_ lock: LockWrite) async throws(TagError) {
        try await write(lock.bytes, to: lock.page)
    }

    private func verifyLock(_ locks: Type2Locks) async throws(TagError) {
        _ = try await begin(forWriting: true)
        var isComplete = try loadedHeader().isLocked
        if let product = try await knownProduct() {
            isComplete = locks.isComplete(try await protection(of: product).dynamicLock ?? []) && isComplete
        }
        guard isComplete else { throw TagError(.tagUpdateFailure, "not all lock bits could be set") }
    }
}

/// What keeps a Type 2 tag from being written, besides the static lock bytes.
struct Type2Protection: Sendable, Hashable {
    /// Bytes 0 to 2 of the dynamic lock page, nil where there is none.
    let dynamicLock: [UInt8]?
    /// CFG0 and CFG1, 8 bytes, nil where the product has none.
    let configuration: [UInt8]?
    /// AUTH0 and AUTH1 of MIFARE Ultralight C, 8 bytes, nil on others.
    let keyAccess: [UInt8]?

    /// AUTH0: the first page that needs the password or key; 255 where none does.
    var firstProtectedPage: Int { Int(keyAccess?.first ?? configuration?.dropFirst(3).first ?? 0xFF) }
    /// PROT, or bit 0 of AUTH1 clear: reading needs it as well.
    var protectsReading: Bool { keyAccess.map { ($0.dropFirst(4).first ?? 0) & 1 == 0 } ?? (access & 0x80 != 0) }
    /// CFGLCK: the configuration cannot be changed any more.
    var isConfigurationLocked: Bool { access & 0x40 != 0 }
    /// AUTHLIM: how many wrong passwords are taken, 0 for any number.
    var attemptLimit: Int { Int(access & 0x07) }

    private var access: UInt8 { configuration?.dropFirst(4).first ?? 0 }
}

extension Type2Tag {
    /// Reads the dynamic lock page and the configuration; one exchange where they lie side by side.
    func protection(of product: Type2Product) async throws(TagError) -> Type2Protection {
        var reader = self.reader
        reader.fastReadable = nil
        var memory = LazyMemory(reader: reader, pageSize: Self.pageSize, pageCount: product.readablePages)
        return Type2Protection(
            dynamicLock: try await bytes(of: product.locks?.page, count: 3, in: &memory),
            configuration: try await bytes(of: product.configurationPage, count: 8, in: &memory),
            keyAccess: try await bytes(of: product == .ultralightC ? 42 : nil, count: 8, in: &memory))
    }

    private func bytes(of page: Int?, count: Int, in memory: inout LazyMemory) async throws(TagError) -> [UInt8]? {
        guard let page else { return nil }
        let range = page * Self.pageSize..<page * Self.pageSize + count
        try await memory.load(range)
        guard case .bytes(let bytes) = memory.image.contents(of: [range]) else { return nil }
        return bytes
    }
}
