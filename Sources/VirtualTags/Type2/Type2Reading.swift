extension Type2Tag {
    /// READ: four pages from `page`, rolling over to page 0 at the end of what may be read
    /// (NTAG213/215/216 data sheet, §10.2).
    mutating func read(from page: Int) -> TagAnswer {
        let end = readableEnd
        guard page < end else { return Self.refusal }
        countRead()
        return .data((page..<page + 4).flatMap { shown(page: $0 % end) })
    }

    /// FAST_READ: the pages from `first` through `last`, all of which must be readable (§10.3).
    mutating func fastRead(from first: Int, through last: Int) -> TagAnswer {
        guard first <= last, last < readableEnd else { return Self.refusal }
        countRead()
        return .data((first...last).flatMap(shown))
    }

    /// The stored bytes of a page.
    func stored(page: Int) -> ArraySlice<UInt8> {
        memory.dropFirst(page * Type2Product.pageSize).prefix(Type2Product.pageSize)
    }

    /// What a read shows of a page: PWD and PACK read as zeros, always.
    private func shown(page: Int) -> [UInt8] {
        page >= product.passwordPage ? [0, 0, 0, 0] : Array(stored(page: page))
    }

    /// One past the last page that may be read now; with PROT set and no password given, AUTH0 ends the memory.
    private var readableEnd: Int {
        guard protectsReading, state != .authenticated else { return product.readablePageCount }
        return min(firstProtectedPage, product.readablePageCount)
    }

    /// AUTH0: the first page that needs authentication to be written. On MIFARE Ultralight C byte 0 of page 42.
    var firstProtectedPage: Int {
        guard product.features.contains(.tripleDES) else { return configuration.firstProtectedPage }
        return Int(stored(page: 42).first ?? 0x30)
    }

    /// Whether reading needs it as well. On MIFARE Ultralight C unless bit 0 of page 43, AUTH1, is set.
    private var protectsReading: Bool {
        guard product.features.contains(.tripleDES) else { return configuration.protectsReading }
        return stored(page: 43).first.map { $0 & 1 == 0 } ?? false
    }

    /// The NFC counter goes up with the first read after power-on and stays at its limit (§8.6).
    private mutating func countRead() {
        guard !hasRead else { return }
        hasRead = true
        guard product.features.contains(.nfcCounter), configuration.countsReads else { return }
        setCounter(2, to: min((counter(2) ?? 0) + 1, Self.counterLimit))
    }
}
