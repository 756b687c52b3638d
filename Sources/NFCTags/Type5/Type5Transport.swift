import ISO7816

/// How the blocks of an ISO/IEC 15693 tag are reached.
protocol Type5Transport: Sendable {
    /// The largest useful number of bytes for one read.
    var readLimit: Int { get }
    /// How many bytes one command reads of a tag that limits none.
    var longestRead: Int { get }
    /// The UID, E0 first; empty if it is not known.
    func identifier() async throws(TagError) -> [UInt8]
    /// The size of the memory, as the tag reports it.
    func geometry() async throws(TagError) -> Type5Geometry
    /// Reads whole blocks of `size` bytes, at least one and at most `count`.
    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8]
    /// Writes one block.
    func write(block: Int, _ bytes: [UInt8], option: Bool) async throws(TagError)
    /// Locks one block permanently; a block that is locked already is not an error.
    func lock(block: Int, option: Bool) async throws(TagError)
    /// Whether these blocks are locked or need a password; nil if neither the tag nor the reader reports it.
    func blockStatus(in blocks: Range<Int>) async throws(TagError) -> [ICODEBlockStatus]?
    /// The transport for requests of any kind; nil if the reader sends none.
    var requests: ICODEChannel? { get }
    /// Whether ``lock(block:option:)`` can be sent at all.
    var canLock: Bool { get }
}

/// The memory of an ISO/IEC 15693 tag.
struct Type5Geometry: Sendable, Hashable {
    let blockSize: Int
    /// Nil where it is not reported.
    let blockCount: Int?
    /// The UID, E0 first; empty if it is not reported.
    let uid: [UInt8]
    /// Block 0, where it was read at the same time.
    var firstBlock: [UInt8] = []
    /// The whole answer to GET SYSTEM INFORMATION, if there was one.
    var information: ISO15693SystemInformation?

    /// The block sizes that are accepted of a tag that does not report one.
    static let sizes = [4, 8, 16, 32]

    /// The last block, where it is a counter.
    var counterBlock: Int? { product.endsWithCounter ? blockCount.map { $0 - 1 } : nil }

    /// What the UID shows.
    var product: Type5Product { Type5Product(uid: uid) }
}

extension Type5Geometry {
    /// Nil where the size of the memory is left out.
    init?(_ information: ISO15693SystemInformation) {
        guard let size = information.blockSize, let count = information.blockCount else { return nil }
        self.init(blockSize: size, blockCount: count, uid: information.uid, information: information)
    }
}

extension TagError {
    /// The error code of ISO/IEC 15693 that an answer carries.
    var iso15693: ISO15693ErrorCode? {
        guard let response, case .error(let code)? = ISO15693Response(response) else { return nil }
        return code
    }
}

/// Frames of ISO/IEC 15693 through a reader with a pass-through. Addressed where the UID is known.
struct Type5NativeTransport: Type5Transport {
    private let channel: ICODEChannel
    private let target: ISO15693Request.Target

    init(channel: ICODEChannel, target: ISO15693Request.Target) {
        self.channel = channel
        self.target = target
    }

    var requests: ICODEChannel? { channel }

    var canLock: Bool { true }
    var readLimit: Int { Type5Tag.readLimit * channel.framesInTurn }
    var longestRead: Int { hasKnownChip ? channel.longestRead : Type5Tag.readLimit }

    /// Whether the UID shows a chip of which READ MULTIPLE BLOCKS may read the whole memory (ICODE SLI, SLIX and SLIX2 data sheets).
    private var hasKnownChip: Bool {
        guard case .uid(let uid) = target else { return false }
        return Type5Product(uid: uid).blockCount != nil
    }

    func identifier() async throws(TagError) -> [UInt8] {
        if case .uid(let known) = target { known } else { [] }
    }

    func geometry() async throws(TagError) -> Type5Geometry {
        var information: ISO15693SystemInformation?
        do throws(TagError) {
            for isExtended in [false, true] {
                information = try await systemInformation(isExtended: isExtended)
                if let geometry = information.flatMap({ Type5Geometry($0) }) { return geometry }
            }
        } catch {
            // Both commands are optional; where the tag has left, the next command fails.
            guard error.code == .tagResponseError else { throw error }
        }
        let block = try await send(.readSingleBlock(0))
        guard Type5Geometry.sizes.contains(block.count) else {
            throw TagError(.tagResponseError, "block 0 has \(block.count) bytes", response: block)
        }
        var uid = information?.uid ?? []
        if case .uid(let known) = target { uid = known }
        return Type5Geometry(
            blockSize: block.count, blockCount: nil, uid: uid, firstBlock: block, information: information)
    }

    private func systemInformation(isExtended: Bool) async throws(TagError) -> ISO15693SystemInformation {
        let content = try await send(isExtended ? .extendedGetSystemInformation() : .getSystemInformation)
        guard let information = ISO15693SystemInformation(content, isExtended: isExtended) else {
            throw TagError(.tagResponseError, "the system information has \(content.count) bytes", response: content)
        }
        return information
    }

    /// GET MULTIPLE BLOCK PROTECTION STATUS, where the product has it; else GET MULTIPLE BLOCK SECURITY STATUS, optional as well, of
    /// which bit 0 of a byte for each block counts.
    func blockStatus(in blocks: Range<Int>) async throws(TagError) -> [ICODEBlockStatus]? {
        if let protection = try await protectionStatus(blocks) { return protection }
        let security = try await status(blocks) { ISO15693Request.getMultipleBlockSecurityStatus($0) }
        return security?.map { ICODEBlockStatus(rawValue: $0).intersection(.locked) }
    }

    /// The counter behind the blocks for data has no such status: nothing protects it.
    private func protectionStatus(_ blocks: Range<Int>) async throws(TagError) -> [ICODEBlockStatus]? {
        guard case .uid(let uid) = target, !channel.refusesProtectionStatus else { return nil }
        let product = Type5Product(uid: uid)
        guard product.hasPasswords, let count = product.blockCount else { return nil }
        let data = blocks.clamped(to: 0..<count - 1)
        guard !data.isEmpty,
            let found = try await status(data, { ISO15693Request.getMultipleBlockProtectionStatus($0) })
        else {
            channel.noteRefusedProtectionStatus()
            return nil
        }
        return found.map { ICODEBlockStatus(rawValue: $0) } + Array(repeating: [], count: blocks.count - data.count)
    }

    private func status(
        _ blocks: Range<Int>, _ request: (ClosedRange<UInt16>) -> ISO15693Request
    ) async throws(TagError) -> [UInt8]? {
        var status: [UInt8] = []
        for start in stride(from: blocks.lowerBound, to: blocks.upperBound, by: Type5Tag.readLimit) {
            let end = min(start + Type5Tag.readLimit, blocks.upperBound)
            guard let part = try await part(of: start..<end, request) else { return nil }
            status += part
        }
        return status
    }

    private func part(
        of blocks: Range<Int>, _ request: (ClosedRange<UInt16>) -> ISO15693Request
    ) async throws(TagError) -> [UInt8]? {
        guard let first = UInt16(exactly: blocks.lowerBound), let last = UInt16(exactly: blocks.upperBound - 1) else {
            return nil
        }
        do throws(TagError) {
            let status = try await send(request(first...last))
            return status.count == blocks.count ? status : nil
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }

    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8] {
        let (limit, longest) = (Type5Tag.readLimit, longestRead)
        guard longest > limit, count * size > limit else {
            return try await read(block: block, count: count, size: size, limit: limit)
        }
        do throws(TagError) {
            return try await read(block: block, count: count, size: size, limit: longest)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            let bytes = try await read(block: block, count: count, size: size, limit: limit)
            channel.noteRefusedLongRead()
            return bytes
        }
    }

    private func read(block: Int, count: Int, size: Int, limit: Int) async throws(TagError) -> [UInt8] {
        let end = block + max(count, 1)
        let step = max(1, limit / max(size, 1))
        var requests: [ISO15693Request] = []
        for start in stride(from: block, to: end, by: step) {
            let stop = min(start + step, end)
            guard let first = UInt16(exactly: start), let last = UInt16(exactly: stop - 1) else {
                throw TagError(.tagResponseError, "block \(start) cannot be addressed")
            }
            requests.append(first == last ? .readSingleBlock(first) : .readMultipleBlocks(first...last))
        }
        return try await channel.perform(inTurn: requests, target: target).flatMap { $0 }
    }

    func write(block: Int, _ bytes: [UInt8], option: Bool) async throws(TagError) {
        guard let number = UInt16(exactly: block) else {
            throw TagError(.tagResponseError, "block \(block) cannot be addressed")
        }
        _ = try await send(.writeSingleBlock(number, bytes), option: option)
    }

    func lock(block: Int, option: Bool) async throws(TagError) {
        guard let number = UInt16(exactly: block) else {
            throw TagError(.tagResponseError, "block \(block) cannot be addressed")
        }
        do throws(TagError) {
            _ = try await send(.lockBlock(number), option: option)
        } catch {
            guard error.iso15693 == .blockAlreadyLocked else { throw error }
        }
    }

    private func send(_ request: ISO15693Request, option: Bool = false) async throws(TagError) -> [UInt8] {
        try await channel.perform(request, target: target, flags: option ? [.highDataRate, .option] : .highDataRate)
    }
}

/// `FF B0` and `FF D6` by block (PC/SC Part 3), for readers without a pass-through. Blocks cannot be locked this way.
struct Type5StorageCardTransport: Type5Transport {
    private let channel: any CardChannel

    init(channel: any CardChannel) { self.channel = channel }

    var canLock: Bool { false }
    var readLimit: Int { Type5Tag.readLimit }
    var longestRead: Int { Type5Tag.readLimit }

    func identifier() async throws(TagError) -> [UInt8] {
        try await IdentifierReader(channel: channel, technology: .iso15693).read()
    }

    /// The size of a block is what the reader returns for Le 00. A reader may return more than one block:
    /// the next one shows that, as it begins with bytes that were there before.
    func geometry() async throws(TagError) -> Type5Geometry {
        let (response, length) = try await firstBlock()
        guard response.statusWord.isSuccess, Type5Geometry.sizes.contains(response.data.count) else {
            throw TagError(
                .tagResponseError, "block 0 was answered with \(response.data.count) bytes, \(response.statusWord)",
                response: response)
        }
        let size = try await isSeveral(response.data, length) ? 4 : response.data.count
        let uid = try await identifier()
        return Type5Geometry(
            blockSize: size, blockCount: Type5Product(uid: uid).blockCount, uid: uid,
            firstBlock: Array(response.data.prefix(size)))
    }

    /// Block 0, and the length with which the reader returned it. Some readers refuse Le 00 with 6CXX, which has the right
    /// length, others with 63 00 or 67 00: then each size of a block is tried.
    private func firstBlock() async throws(TagError) -> (response: ResponseAPDU, length: Int) {
        let refusal = try await channel.readBinary(0, length: 0)
        guard !refusal.statusWord.isSuccess else { return (refusal, 0) }
        for length in refusal.statusWord.correctLength.map({ [$0] }) ?? Type5Geometry.sizes {
            let response = try await channel.readBinary(0, length: length)
            if response.statusWord.isSuccess { return (response, length) }
        }
        return (refusal, 0)
    }

    private func isSeveral(_ first: [UInt8], _ length: Int) async throws(TagError) -> Bool {
        guard first.count > 4 else { return false }
        let next = try await channel.readBinary(1, length: length)
        return next.statusWord.isSuccess && next.data.starts(with: first.dropFirst(4))
    }

    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8] {
        try await channel.readBinary(block, length: size).accepted("block \(block)")
    }

    func write(block: Int, _ bytes: [UInt8], option: Bool) async throws(TagError) {
        try await channel.exchange(.updateBinary(block: block, bytes)).accepted("block \(block)")
    }

    func blockStatus(in blocks: Range<Int>) async throws(TagError) -> [ICODEBlockStatus]? { nil }

    var requests: ICODEChannel? { nil }

    func lock(block: Int, option: Bool) async throws(TagError) {
        throw TagError(.unsupportedFeature, "this reader cannot lock blocks")
    }
}
