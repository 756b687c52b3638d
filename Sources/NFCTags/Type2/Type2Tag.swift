import ISO7816

/// An NFC Forum Type 2 Tag: MIFARE Ultralight, NTAG and their like. Made once for a connection.
///
/// Pages are read with `FF B0`, with FAST_READ where the reader lets it pass, and always written with `FF D6`. Header and
/// product are read once; the message is read anew each time. The 3DES authentication of MIFARE Ultralight C is not
/// supported.
public actor Type2Tag: NDEFTag {
    /// Bytes per page.
    static let pageSize = 4
    /// Pages per sector; only the first can be reached without SECTOR_SELECT.
    static let sectorSize = 256
    /// Where the data area starts.
    static let dataAreaStart = 16
    /// The header and the largest data area a capability container can declare, in pages.
    static let pageLimit = 4 + 255 * 8 / 4

    /// What is known of the product.
    enum ProductKnowledge {
        case notAsked
        case unknown
        case known(Type2Product)
    }

    let channel: any CardChannel
    let native: Type2Native?
    let expectedIdentifier: [UInt8]?
    var reader: Type2PageReader
    var header: Type2Header?
    /// nil inside: the tag does not know GET_VERSION.
    var version: Type2Version??
    var product = ProductKnowledge.notAsked
    var isAuthenticated = false

    /// A tag on a connection.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - profile: what the reader lets pass; without it the tag is read and written with `FF B0` and `FF D6` only.
    ///   - expectedIdentifier: the identifier that the tag must have before anything is written, where the connection was
    ///     made anew in between.
    public init(
        channel: some CardChannel, profile: ReaderProfile = .generic, expectedIdentifier: [UInt8]? = nil
    ) {
        self.channel = channel
        self.expectedIdentifier = expectedIdentifier
        native = Type2Native(profile: profile, channel: channel)
        reader = Type2PageReader(
            storage: StorageCardReader(channel: channel, blockSize: profile.longestStorageRead), native: native)
    }

    /// Reads the first NDEF message, with no more exchanges than it takes to get there and to its end.
    ///
    /// - Throws: ``TagError`` 102 when the tag answers nonsense, refuses a page of its own data area, or a TLV runs
    ///   past the area; 100 when it leaves.
    public func readNDEF() async throws(TagError) -> NDEFReadResult { try await result(wantsMessage: true) }

    /// Status and capacity, without the message.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        NDEFStatusResult(try await result(wantsMessage: false))
    }

    private func result(wantsMessage: Bool) async throws(TagError) -> NDEFReadResult {
        var memory = try await begin()
        let container = try loadedHeader().container
        let faults = container.faults
        guard faults.isEmpty else { return .notSupported(faults.map(\.description).joined(separator: "; ")) }
        return try container.result(of: try await scan(&memory, wantsMessage: wantsMessage))
    }

    /// Gives the password (PWD_AUTH), for as long as the tag stays in the field. No password is ever tried otherwise: too
    /// many wrong ones can close a tag for good.
    ///
    /// - Parameter password: 4 bytes.
    /// - Returns: the two bytes PACK, by which the tag proves that it knows the password too.
    /// - Throws: ``TagError`` 1 where the reader lets no native command pass or the password is not 4 bytes long, 102 when
    ///   it is wrong.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let native else {
            throw TagError(.unsupportedFeature, "the reader lets no password pass to a Type 2 tag")
        }
        guard password.count == 4 else { throw TagError(.unsupportedFeature, "a password has 4 bytes") }
        isAuthenticated = false
        let acknowledge = try await native.authenticate(password)
        isAuthenticated = true
        return acknowledge
    }

    /// What the NDEF message in a memory image from page 0 on is; no tag is asked.
    ///
    /// - Throws: ``TagError`` 102 where the image ends before the message, or a TLV runs past the data area.
    public static func readNDEF(inMemory memory: [UInt8]) throws(TagError) -> NDEFReadResult {
        var image = MemoryImage(pageSize: pageSize, pageCount: pageLimit)
        image.store(memory, at: 0)
        guard let header = Type2Header(image) else {
            throw TagError(.tagResponseError, "the image ends before the capability container")
        }
        let faults = header.container.faults
        guard faults.isEmpty else { return .notSupported(faults.map(\.description).joined(separator: "; ")) }
        var scan = header.container.scan()
        if let range = scan.advance(in: image) {
            throw TagError(.tagResponseError, "the image ends before byte \(range.upperBound)")
        }
        return try header.container.result(of: scan)
    }
}

extension Type2Tag {
    /// Memory to read in, with the header in it; with the lock bytes too where something is to be written.
    func begin(forWriting: Bool = false) async throws(TagError) -> LazyMemory {
        if let native, native.channel.canReactivate, native.channel.overhead == 0 { try await askVersion(native) }
        var memory = LazyMemory(reader: reader, pageSize: Self.pageSize, pageCount: Self.pageLimit)
        header?.keep(in: &memory)
        if let header, header.hasLocks || !forWriting { return memory }
        let header = try await loadHeader(into: &memory, withLocks: forWriting)
        self.header = header
        keepReader(of: memory)
        limitFastRead(to: header.container)
        reader.firstPage = header.hasIdentifier ? Array(header.bytes.prefix(Self.pageSize)) : nil
        memory.reader = reader
        return memory
    }

    /// The header, which ``begin()`` has read.
    func loadedHeader() throws(TagError) -> Type2Header {
        guard let header else { throw TagError(.tagResponseError, "the capability container was not read") }
        return header
    }

    /// Goes through the TLVs up to the end of the message.
    func scan(_ memory: inout LazyMemory, wantsMessage: Bool = true) async throws(TagError) -> TLVScan {
        let reach = native?.reachesSectors == true ? Self.pageLimit : Self.sectorSize
        var scan = try loadedHeader().container.scan(wantsMessage: wantsMessage, reach: reach * Self.pageSize)
        try await load(&memory) { (memory: inout LazyMemory) async throws(TagError) in try await scan.run(over: &memory)
        }
        return scan
    }

    /// Reads, remembers what the reader has learned, and says what a refused page means.
    func load(
        _ memory: inout LazyMemory, _ body: (inout LazyMemory) async throws(TagError) -> Void
    ) async throws(TagError) {
        do throws(TagError) {
            try await body(&memory)
        } catch {
            keepReader(of: memory)
            throw explained(error)
        }
        keepReader(of: memory)
    }

    /// GET_VERSION, once.
    func askVersion(_ native: Type2Native) async throws(TagError) {
        guard version == nil else { return }
        let answer = try await native.version()
        version = .some(answer)
        guard let found = answer?.product else { return }
        product = .known(found)
        reader.fastReadable = 0..<found.readablePages
    }

    /// FAST_READ stays inside the data area; pages behind it may be protected. Containers as large as this are found on
    /// chips that have the command.
    private func limitFastRead(to container: Type2CapabilityContainer) {
        guard container.isValid, native != nil else { return }
        let area = 0..<min((Self.dataAreaStart + container.dataAreaSize) / Self.pageSize, Self.sectorSize)
        if let range = reader.fastReadable {
            reader.fastReadable = range.clamped(to: area)
        } else if version == nil, [0x3E, 0x6D, 0xEA].contains(container.bytes[2]) {
            reader.fastReadable = area
        }
    }

    private func keepReader(of memory: LazyMemory) {
        guard let learned = memory.reader as? Type2PageReader else { return }
        reader = learned
        if reader.hasReselected { isAuthenticated = false }
        reader.hasReselected = false
    }

    /// Reads pages 0 to 3, from page 1 on where the reader refuses page 0.
    private func loadHeader(into memory: inout LazyMemory, withLocks: Bool) async throws(TagError) -> Type2Header {
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

    /// Adds what a refused page of the data area means.
    private func explained(_ error: TagError) -> TagError {
        guard let statusWord = error.statusWord, !statusWord.isSuccess, statusWord != .endOfData, let header else {
            return error
        }
        let declared = header.container.dataAreaSize
        var hint = "the memory is smaller than the \(declared) bytes declared, or needs a password"
        if case .known(let product) = product, declared <= product.userMemory {
            hint = "the tag needs a password to be read"
        }
        return TagError(error.code, "\(error.detail); \(hint)", response: error.response, statusWord: statusWord)
    }
}

extension Type2CapabilityContainer {
    /// A scan of the data area that the container declares, as far as the memory can be reached: `reach` bytes from its
    /// start.
    func scan(wantsMessage: Bool = true, reach: Int = Type2Tag.pageLimit * Type2Tag.pageSize) -> TLVScan {
        let start = Type2Tag.dataAreaStart
        let end = max(start, min(start + dataAreaSize, reach))
        return TLVScan(area: TLVArea(bounds: start..<end), obeysControlTLVs: true, wantsMessage: wantsMessage)
    }

    /// What a scan came to, with the access that the container grants.
    func result(of scan: TLVScan) throws(TagError) -> NDEFReadResult {
        try scan.result(
            status: writeAccess == .free ? .readWrite : .readOnly,
            warnings: writeAccess == .proprietary ? [.writeNeedsPermission] : [])
    }
}

extension Type2Tag {
    /// The product, by GET_VERSION or by where READ starts over at page 0; nil where neither tells. Asked once.
    func knownProduct() async throws(TagError) -> Type2Product? {
        switch product {
        case .known(let product): return product
        case .unknown: return nil
        case .notAsked: break
        }
        if let native, native.channel.canReactivate { try await askVersion(native) }
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
