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
