import ISO7816

/// What is known of the chip of a Type 2 Tag: its header, its answer to GET_VERSION and the product. Each is asked for once.
final class Type2Chip {
    /// What is known of the product.
    private enum Knowledge {
        case notAsked
        case unknown
        case known(Type2Product)
    }

    let pages: Type2Pages
    /// What GET_VERSION answered; nil if the tag does not support it or was not asked.
    var version: Type2Version? { answeredVersion ?? nil }

    private var header: Type2Header?
    /// nil inside: the tag does not support GET_VERSION.
    private var answeredVersion: Type2Version??
    private var product = Knowledge.notAsked
    /// What ``userMemory()`` has found.
    private var foundUserMemory: Int?

    init(pages: Type2Pages) { self.pages = pages }

    /// Memory to read in, with the header in it.
    ///
    /// - Parameter withLocks: whether pages 1 and 2 are read as well, which a write needs.
    func memory(withLocks: Bool = false) async throws(TagError) -> LazyMemory<Type2Pages> {
        if let native = pages.native, native.isCheap { try await askVersion(native) }
        var memory = LazyMemory(reader: pages, pageSize: Type2Pages.size, pageCount: Type2Pages.limit)
        header?.store(in: &memory)
        if let header, header.hasLocks || !withLocks { return memory }
        let header = try await readHeader(into: &memory, withLocks: withLocks)
        self.header = header
        pages.adjust(to: header, isVersionKnown: answeredVersion != nil)
        return memory
    }

    /// The header, which ``memory(withLocks:)`` has read.
    func loadedHeader() throws(TagError) -> Type2Header {
        guard let header else { throw TagError(.tagResponseError, "the capability container was not read") }
        return header
    }

    /// Marks the header as changed, so that it is read again.
    func forgetHeader() { header = nil }

    /// Reads pages 0 to 3, from page 1 on where the reader refuses page 0.
    private func readHeader(
        into memory: inout LazyMemory<Type2Pages>, withLocks: Bool
    ) async throws(TagError) -> Type2Header {
        if header == nil {
            do throws(TagError) {
                try await memory.fetch(0, count: 4)
            } catch {
                guard error.statusWord == .operationFailed else { throw error }
                try await memory.fetch(1, count: 3)
            }
        }
        try await memory.load(withLocks ? 4..<16 : 12..<16)
        guard let header = Type2Header(memory.image) else {
            throw TagError(.tagResponseError, "the capability container was not read")
        }
        return header
    }

    /// Refuses another tag than the one with an identifier, so that nothing is written to it.
    ///
    /// - Throws: ``TagError`` 100.
    func checkIdentifier(_ expected: [UInt8]?) async throws(TagError) {
        guard let expected else { return }
        let header = try loadedHeader()
        let isExpected =
            header.hasIdentifier ? header.belongs(to: expected) : try await pages.identifier() == expected
        guard isExpected else {
            throw TagError(
                .tagConnectionLost,
                "the tag on the reader is not \(Hexadecimal.string(expected)); nothing was written")
        }
    }
}

extension Type2Chip {
    /// Whether the product is known, or has turned out not to be recognizable.
    var isProductSettled: Bool {
        if case .notAsked = product { return false }
        return true
    }

    /// The product where it is known already.
    var settledProduct: Type2Product? {
        if case .known(let product) = product { return product }
        return nil
    }

    /// The product, by GET_VERSION or by where READ starts over at page 0; nil if neither shows it. Asked for once.
    func recognizedProduct() async throws(TagError) -> Type2Product? {
        if isProductSettled { return settledProduct }
        if let native = pages.native, native.canReactivate { try await askVersion(native) }
        if let settledProduct { return settledProduct }
        let found = try await provedProduct()
        product = found.map { .known($0) } ?? .unknown
        return found
    }

    /// The bytes for data from page 4 on that the chip has for certain, whatever its container declares.
    ///
    /// Of a product that is not recognized, it is the least that its answer to GET_VERSION and the pages that can be read allow: lock
    /// bytes, configuration and keys follow the memory, and a write there cannot be undone.
    func userMemory() async throws(TagError) -> Int {
        if let product = try await recognizedProduct() { return product.userMemory }
        if let foundUserMemory { return foundUserMemory }
        var found = version?.leastUserMemory ?? Int.max
        if version?.vendor != Type2Version.nxp {
            var prober = Type2Prober(pages: pages, header: try loadedHeader())
            found = min(found, try await prober.leastUserMemory())
        }
        foundUserMemory = found
        return found
    }

    /// GET_VERSION, once.
    func askVersion() async throws(TagError) {
        if let native = pages.native { try await askVersion(native) }
    }

    private func askVersion(_ native: Type2Native) async throws(TagError) {
        guard answeredVersion == nil else { return }
        let answer = try await native.version()
        answeredVersion = .some(answer)
        guard let found = answer?.product else { return }
        product = .known(found)
        pages.allowFastRead(of: found)
    }

    /// The first candidate that the memory confirms, smallest first: pages that are read exist on every larger tag.
    private func provedProduct() async throws(TagError) -> Type2Product? {
        var prober = Type2Prober(pages: pages, header: try loadedHeader())
        for candidate in try candidates() {
            if try await prober.confirms(candidate) { return candidate }
        }
        return nil
    }

    private func candidates() throws(TagError) -> [Type2Product] {
        if let version {
            // NXP's own that are not in the table are laid out differently.
            return version.vendor == Type2Version.nxp ? [] : version.likeness.map { [$0] } ?? []
        }
        let isSilent = answeredVersion != nil
        let container = try loadedHeader().container
        return Type2Product.byMemory.filter { product in
            guard !isSilent || !product.answersVersion else { return false }
            if container.isValid { return product.containerSize == container.bytes[2] }
            // Page 3 that is not a container declares no size.
            return container.faults != [.blank] || product.readablePages <= Type2Product.largestProbedBlank
        }
    }
}

/// Compares a tag's memory with that of a product. Nothing is confirmed unless READ returns 16 bytes.
struct Type2Prober {
    private let source: Type2Pages
    private let header: Type2Header
    private var pages: [Int: [UInt8]?] = [:]

    init(pages: Type2Pages, header: Type2Header) {
        source = pages
        self.header = header
    }

    /// Whether READ starts over where the product's memory ends, and its lock page looks like one.
    mutating func confirms(_ product: Type2Product) async throws(TagError) -> Bool {
        if let locks = product.locks, let page = locks.page {
            guard let bytes = try await read(page), bytes.count > 3 else { return false }
            // Byte 3 of the lock page reads BD on the chips that have a byte of block-locking bits.
            guard (bytes[3] == 0xBD) == (locks.grouping != .byFours) else { return false }
        }
        guard let end = try await read(product.readablePages - 2), end.count == 16 else { return false }
        return Array(end.suffix(4)) == Array(header.bytes[4..<8])
            && (!header.hasIdentifier || end.dropFirst(8).starts(with: header.bytes.prefix(4)))
    }

    /// The bytes for data of the largest known product whose pages are all there. The memory ends where READ starts over at page 0
    /// or is refused.
    mutating func leastUserMemory() async throws(TagError) -> Int {
        var found = Type2Product.bySize[0].user
        for (index, size) in Type2Product.bySize.enumerated() {
            // A page is only asked for where it can show more memory: some readers cannot select a tag again that refused one.
            guard index == 0 || Type2Product.bySize[index...].contains(where: { $0.user > found }) else { break }
            guard let end = try await read(size.pages - 2) else { break }
            let restart = Self.restart(in: end, header)
            if restart == 1 { break }
            // Some readers return one page at a time.
            if end.count < 8, try await read(size.pages - 1) == nil { break }
            found = size.user
            if restart == 2 { break }
        }
        return found
    }

    /// How many pages precede a copy of page 0; nil without a copy.
    private static func restart(in bytes: [UInt8], _ header: Type2Header) -> Int? {
        (1..<max(1, bytes.count / 4)).first { pages in
            let beginning = header.hasIdentifier ? header.bytes.prefix(8) : header.bytes[4..<8]
            let rest = bytes.dropFirst(4 * (header.hasIdentifier ? pages : pages + 1)).prefix(beginning.count)
            return !rest.isEmpty && rest.elementsEqual(beginning.prefix(rest.count))
        }
    }

    private mutating func read(_ page: Int) async throws(TagError) -> [UInt8]? {
        if let known = pages[page] { return known }
        do throws(TagError) {
            let bytes = try await source.rawRead(from: page)
            pages[page] = .some(bytes)
            return bytes
        } catch {
            guard error.code == .tagResponseError else { throw error }
            pages[page] = .some(nil)
            return nil
        }
    }
}
