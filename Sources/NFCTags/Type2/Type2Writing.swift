import ISO7816

extension Type2Tag {
    /// Puts a message in place of the one that is there, see ``NDEFTag/writeNDEF(_:verifying:progress:)``.
    public func writeNDEF(_ message: [UInt8], verifying: Bool, progress: TagProgress?) async throws(TagError) {
        var memory = try await begin(forWriting: true)
        try await checkIdentifier()
        try checkAccess(try loadedHeader().container)
        let writing = try await scan(&memory, wantsMessage: false).writing(blockSize: Self.pageSize)
        guard let extent = writing.extent(messageLength: message.count) else {
            throw TagError(
                .tagSizeTooSmall, "the message has \(message.count) bytes, the tag takes \(writing.capacity)")
        }
        try await load(&memory) { (memory: inout LazyMemory) async throws(TagError) in try await memory.load(extent) }
        guard let plan = writing.plan(message, in: memory.image) else {
            throw TagError(.tagResponseError, "the data area was not read")
        }
        guard !plan.steps.isEmpty else { return }
        try await checkLocks(of: extent.lowerBound / Self.pageSize..<extent.upperBound / Self.pageSize)
        try await perform(plan, verifying: verifying, progress)
    }

    /// Nothing is written to another tag than the caller means.
    func checkIdentifier() async throws(TagError) {
        guard let expectedIdentifier else { return }
        let header = try loadedHeader()
        let isRight =
            header.hasIdentifier
            ? header.belongs(to: expectedIdentifier)
            : try await identifier(from: channel) == expectedIdentifier
        guard isRight else {
            throw TagError(
                .tagConnectionLost, "another tag is on the reader, not \(Hexadecimal.string(expectedIdentifier))")
        }
    }

    /// `FF CA`, for readers that do not give page 0.
    private func identifier(from channel: some CardChannel) async throws(TagError) -> [UInt8] {
        try await IdentifierReader(channel: channel, technology: .type2).read()
    }

    /// The capability container says whether, and how, the tag may be written.
    func checkAccess(_ container: Type2CapabilityContainer) throws(TagError) {
        let faults = container.faults
        guard faults.isEmpty else {
            throw TagError(.unsupportedFeature, faults.map(\.description).joined(separator: "; "))
        }
        switch container.writeAccess {
        case .free: return
        case .proprietary where isAuthenticated: return
        case .proprietary: throw TagError(.tagNotWritable, "writing needs a password or a proprietary procedure")
        case .never, .reserved: throw TagError(.tagNotWritable, "the capability container denies writing")
        }
    }

    /// Refuses pages that lock bits or the configuration protect, as far as they can be told.
    func checkLocks(of pages: Range<Int>) async throws(TagError) {
        let header = try loadedHeader()
        if let page = pages.first(where: header.locks(page:)) {
            throw TagError(.tagNotWritable, "page \(page) is locked")
        }
        // The static lock bytes are all there is to know, unless asking for more is free.
        if case .notAsked = product, pages.upperBound <= 16 { return }
        guard let product = try await knownProduct() else { return }
        let protection = try await protection(of: product)
        if let dynamic = protection.dynamicLock, let locks = product.locks,
            let page = pages.first(where: { locks.locks(page: $0, by: dynamic) })
        {
            throw TagError(.tagNotWritable, "page \(page) is locked")
        }
        try checkPassword(pages, protection)
    }

    /// AUTH0 and the pages behind it need the password.
    func checkPassword(_ pages: Range<Int>, _ protection: Type2Protection) throws(TagError) {
        // FF is no page, but stands for none.
        guard !isAuthenticated, protection.firstProtectedPage < 0xFF,
            pages.upperBound > protection.firstProtectedPage
        else { return }
        throw TagError(
            .tagNotWritable, "the tag needs a password or key from page \(protection.firstProtectedPage) on")
    }

    private func perform(
        _ plan: TearSafeWrite<BlockWrite>, verifying: Bool, _ progress: TagProgress?
    ) async throws(TagError) {
        let commit = plan.commit.first
        try await plan.run(progress: progress) { (step: BlockWrite) async throws(TagError) in
            // What is not there must not be shown.
            if verifying, step == commit { try await verify(plan.data) }
            try await write(step.bytes, to: step.block)
        }
        if verifying { try await verify(plan.commit.isEmpty ? plan.invalidate + plan.data : plan.commit) }
    }

    /// `FF D6`, or WRITE in another sector than the first: one page, never twice.
    func write(_ bytes: [UInt8], to page: Int) async throws(TagError) {
        if let native, page >= Self.sectorSize { return try await native.sectorWrite(bytes, to: page) }
        let command: CommandAPDU
        do throws(CommandAPDUError) {
            command = try CommandAPDU(
                cla: 0xFF, ins: 0xD6, p1: UInt8(truncatingIfNeeded: page >> 8), p2: UInt8(truncatingIfNeeded: page),
                data: bytes)
        } catch {
            throw TagError(.tagResponseError, "\(error)")
        }
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            // The tag is mute now. The refusal is what matters, whether it comes back or not.
            if let native, (try? await native.channel.reactivate()) == true { isAuthenticated = false }
            throw TagError(.tagResponseError, "page \(page) not written: \(response.statusWord)", response: response)
        }
    }

    /// Reads back and compares.
    func verify(_ writes: [BlockWrite]) async throws(TagError) {
        var memory = LazyMemory(reader: reader, pageSize: Self.pageSize, pageCount: Self.pageLimit)
        let pages = writes.map(\.block)
        guard let last = pages.max() else { return }
        for write in writes.sorted(by: { $0.block < $1.block }) {
            let start = write.block * Self.pageSize
            if memory.image.firstMissingPage(in: start..<start + Self.pageSize) != nil {
                try await memory.fetch(write.block, count: last - write.block + 1)
            }
            guard memory.image.contents(of: [start..<start + Self.pageSize]) == .bytes(write.bytes) else {
                throw TagError(.tagUpdateFailure, "page \(write.block) does not hold what was written")
            }
        }
    }
}

extension Type2Tag {
    /// Makes a tag with a blank capability container, or one without a message, NDEF formatted and empty. The container is
    /// written last: it cannot be taken back, and with it the tag is ready.
    ///
    /// - Throws: ``TagError`` 1 where the product is not known, or the container holds something else, whose bits cannot be
    ///   cleared; 400 where a page is locked.
    public func formatNDEF() async throws(TagError) {
        var memory = try await begin(forWriting: true)
        try await checkIdentifier()
        let header = try loadedHeader()
        let faults = header.container.faults
        guard faults.isEmpty || faults == [.blank] else {
            throw TagError(.unsupportedFeature, faults.map(\.description).joined(separator: "; "))
        }
        if faults.isEmpty {
            if try await scan(&memory, wantsMessage: false).message != nil { return }
            try checkAccess(header.container)
        }
        guard let product = try await knownProduct() else {
            throw TagError(.unsupportedFeature, "the product is not known, so neither is how to format it")
        }
        let container = faults.isEmpty ? header.container.bytes : [0xE1, 0x10, product.containerSize, 0x00]
        guard zip(header.container.bytes, container).allSatisfy({ $0 | $1 == $1 }) else {
            throw TagError(.unsupportedFeature, "the capability container cannot become that of an NDEF tag")
        }
        try await format(product, container: container, &memory)
    }

    private func format(
        _ product: Type2Product, container: [UInt8], _ memory: inout LazyMemory
    ) async throws(TagError) {
        var content = product.controlTLV + [0x03, 0x00, 0xFE]
        content += [UInt8](repeating: 0, count: (Self.pageSize - content.count % Self.pageSize) % Self.pageSize)
        let range = Self.dataAreaStart..<Self.dataAreaStart + content.count
        try await memory.load(range)
        let writes = zip(4..., stride(from: 0, to: content.count, by: Self.pageSize)).map { page, offset in
            BlockWrite(block: page, bytes: Array(content[offset..<offset + Self.pageSize]))
        }
        try await checkLocks(of: 3..<4 + writes.count)
        let all = writes + [BlockWrite(block: 3, bytes: container)]
        for write in all where !isThere(write, memory.image) {
            try await changing { () async throws(TagError) in
                try await self.write(write.bytes, to: write.block)
            }
        }
        header = nil
        try await verify(all)
    }

    private func isThere(_ write: BlockWrite, _ image: MemoryImage) -> Bool {
        let start = write.block * Self.pageSize
        return image.contents(of: [start..<start + Self.pageSize]) == .bytes(write.bytes)
    }

    /// A refusal while the tag is being changed is error 401.
    func changing(_ body: () async throws(TagError) -> Void) async throws(TagError) {
        do throws(TagError) {
            try await body()
        } catch {
            header = nil
            guard error.code == .tagResponseError else { throw error }
            throw TagError(
                .tagUpdateFailure, error.detail, response: error.response, statusWord: error.statusWord)
        }
    }
}
