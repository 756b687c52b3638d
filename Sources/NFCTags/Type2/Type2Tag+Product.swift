extension Type2Tag {
    /// The product, by GET_VERSION or by where READ starts over at page 0; nil where neither tells. Asked once.
    func knownProduct() async throws(TagError) -> Type2Product? {
        switch product {
        case .known(let product): return product
        case .unknown: return nil
        case .notAsked: break
        }
        if let native, native.way.canReactivate { try await askVersion(native) }
        if case .known(let product) = product { return product }
        let found = try await provedProduct()
        product = found.map { .known($0) } ?? .unknown
        return found
    }

    /// The first candidate that the memory bears out, smallest first: pages that are looked at exist on every larger tag.
    private func provedProduct() async throws(TagError) -> Type2Product? {
        var prober = Type2Prober(reader: reader, header: try loadedHeader())
        for candidate in try candidates() {
            if try await prober.bearsOut(candidate) { return candidate }
        }
        return nil
    }

    private func candidates() throws(TagError) -> [Type2Product] {
        if case .some(.some(let version)) = version {
            // NXP's own that are not in the table are laid out differently.
            return version.vendor == 0x04 ? [] : version.likeness.map { [$0] } ?? []
        }
        let isSilent = version != nil
        let container = try loadedHeader().container
        return Type2Product.byMemory.filter { product in
            guard !isSilent || !product.answersVersion else { return false }
            return container.isValid
                ? product.containerSize == container.bytes[2]
                : container.faults == [.blank] && product.readablePages <= Type2Product.ntag213.readablePages
        }
    }
}

/// Compares a tag's memory with what a product would show. READ gives 16 bytes here, or nothing is borne out.
struct Type2Prober {
    private var reader: Type2PageReader
    private let header: Type2Header
    private var pages: [Int: [UInt8]?] = [:]

    init(reader: Type2PageReader, header: Type2Header) {
        self.reader = reader
        self.reader.fastReadable = nil
        self.reader.firstPage = nil
        self.header = header
    }

    /// Whether READ starts over where the product's memory ends, and its lock page looks like one.
    mutating func bearsOut(_ product: Type2Product) async throws(TagError) -> Bool {
        if let locks = product.locks, let page = locks.page {
            guard let bytes = try await read(page), bytes.count > 3 else { return false }
            // Byte 3 of the lock page reads BD on the chips that have a byte of block-locking bits.
            guard (bytes[3] == 0xBD) == (locks.grouping != .byFours) else { return false }
        }
        guard let end = try await read(product.readablePages - 2), end.count == 16 else { return false }
        return Array(end.suffix(4)) == Array(header.bytes[4..<8])
            && (!header.hasIdentifier || end.dropFirst(8).starts(with: header.bytes.prefix(4)))
    }

    private mutating func read(_ page: Int) async throws(TagError) -> [UInt8]? {
        if let known = pages[page] { return known }
        do throws(TagError) {
            let bytes = try await reader.read(from: page, count: 4)
            pages[page] = .some(bytes)
            return bytes
        } catch {
            guard error.code == .tagResponseError else { throw error }
            pages[page] = .some(nil)
            return nil
        }
    }
}

extension Type2Product {
    /// What can be told apart by the memory alone, smallest first.
    static let byMemory = [
        ultralight, mf0ul11.named("MIFARE Ultralight EV1 or NTAG210"),
        mf0ul21.named("MIFARE Ultralight EV1 or NTAG212"), ntag203, ultralightC, ntag213, ntag215, ntag216,
    ]

    private func named(_ name: String) -> Type2Product {
        Type2Product(
            name: name, manufacturer: manufacturer, readablePages: readablePages, userMemory: userMemory,
            containerSize: containerSize, controlTLV: controlTLV, configurationPage: configurationPage, locks: locks,
            version: version, counters: counters)
    }
}
