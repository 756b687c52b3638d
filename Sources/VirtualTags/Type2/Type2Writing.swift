extension Type2Tag {
    /// WRITE: four bytes to one page (NTAG213/215/216 data sheet, §10.4).
    mutating func write(page: Int, _ data: [UInt8]) -> TagAnswer {
        guard isWritable(page: page), data.count == Type2Product.pageSize else { return Self.refusal }
        memory.overwrite(at: page * Type2Product.pageSize, with: result(of: data, page: page))
        return .ack
    }

    /// COMPATIBILITY_WRITE, first part: the page is checked and remembered (§10.5).
    ///
    /// The data sheets do not say which part of the command a locked page refuses; here it is the first.
    mutating func beginWrite(page: Int) -> TagAnswer {
        guard isWritable(page: page) else { return Self.refusal }
        pendingPage = page
        return .ack
    }

    /// COMPATIBILITY_WRITE, second part: sixteen bytes, of which the first four are written.
    mutating func completeWrite(page: Int, frame: [UInt8]) -> TagAnswer {
        guard frame.count == 16 else { return Self.refusal }
        return write(page: page, Array(frame.prefix(Type2Product.pageSize)))
    }

    /// What a page holds after a write. Bits of lock bytes and of the capability container can only be set.
    private func result(of data: [UInt8], page: Int) -> [UInt8] {
        let old = stored(page: page)
        switch page {
        case 2:
            var lock = StaticLock(old.suffix(2))
            lock.set(StaticLock(data.suffix(2)))
            return old.prefix(2) + lock.bytes
        case 3:
            return zip(old, data).map { $0 | $1 }
        default:
            guard let dynamicLock = product.dynamicLock, dynamicLock.page == page else { return data }
            return dynamicLock.merging(data, into: old)
        }
    }

    private func isWritable(page: Int) -> Bool {
        guard page >= 2, page <= product.lastPage else { return false }
        let needsPassword = page >= firstProtectedPage
        return !isLocked(page: page) && (!needsPassword || state == .authenticated)
    }

    private func isLocked(page: Int) -> Bool {
        if StaticLock(stored(page: 2).suffix(2)).locks(page: page) { return true }
        if let dynamicLock = product.dynamicLock,
            dynamicLock.locks(page: page, by: stored(page: dynamicLock.page))
        {
            return true
        }
        guard let configurationPage = product.configurationPage else { return false }
        return (configurationPage...configurationPage + 1).contains(page) && isConfigurationLocked
    }
}
