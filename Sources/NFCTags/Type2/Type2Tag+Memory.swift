import ISO7816

extension Type2Tag {
    /// Memory to read in, with the header in it; with the lock bytes too where something is to be written.
    func begin(forWriting: Bool = false) async throws(TagError) -> LazyMemory {
        if let native, native.way.canReactivate, native.way.exchangesPerFrame == 1 { try await askVersion(native) }
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
