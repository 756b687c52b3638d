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
