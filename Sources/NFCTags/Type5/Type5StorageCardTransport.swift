import ISO7816

/// `FF B0` and `FF D6` by block (PC/SC Part 3), for readers that let no frames pass. Blocks cannot be locked this way.
struct Type5StorageCardTransport<Channel: CardChannel>: Type5Transport {
    let channel: Channel

    var canLock: Bool { false }
    var readLimit: Int { Type5Tag.readLimit }

    /// The size of a block is what the reader gives where any length will do. A reader may give more than one block then:
    /// the next one shows that, as it begins with bytes that were there before.
    func geometry() async throws(TagError) -> Type5Geometry {
        var response = try await ask(0, length: 0)
        if let length = response.statusWord.correctLength { response = try await ask(0, length: length) }
        guard response.statusWord.isSuccess, Type5Geometry.sizes.contains(response.data.count) else {
            throw TagError(
                .tagResponseError, "block 0 was answered with \(response.data.count) bytes, \(response.statusWord)",
                response: response)
        }
        let size = try await isSeveral(response.data) ? 4 : response.data.count
        let uid = try await IdentifierReader(channel: channel, technology: .iso15693).read()
        return Type5Geometry(
            blockSize: size, blockCount: Self.blockCount(uid), uid: uid, firstBlock: Array(response.data.prefix(size)))
    }

    private func isSeveral(_ first: [UInt8]) async throws(TagError) -> Bool {
        guard first.count > 4 else { return false }
        let next = try await ask(1, length: 0)
        return next.statusWord.isSuccess && next.data.starts(with: first.dropFirst(4))
    }

    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8] {
        let response = try await ask(block, length: size)
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "block \(block) refused: \(response.statusWord)", response: response)
        }
        return response.data
    }

    func write(block: Int, _ bytes: [UInt8], option: Bool) async throws(TagError) {
        let (high, low) = (UInt8(truncatingIfNeeded: block >> 8), UInt8(truncatingIfNeeded: block))
        let response = try await channel.exchange(CommandAPDU.storageCard(0xD6, high, low, data: bytes))
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "block \(block) refused: \(response.statusWord)", response: response)
        }
    }

    func lockedBlocks(in blocks: Range<Int>) async throws(TagError) -> [Int]? { nil }

    func lock(block: Int, option: Bool) async throws(TagError) {
        throw TagError(.unsupportedFeature, "this reader cannot lock blocks")
    }

    private func ask(_ block: Int, length: Int) async throws(TagError) -> ResponseAPDU {
        guard (0...0xFFFF).contains(block) else { throw TagError(.tagResponseError, "block \(block) is out of reach") }
        return try await channel.exchange(
            CommandAPDU(
                cla: 0xFF, ins: 0xB0, p1: UInt8(truncatingIfNeeded: block >> 8),
                p2: UInt8(truncatingIfNeeded: block), le: UInt8(truncatingIfNeeded: length)))
    }

    /// ICODE SLI and SLIX have 28 blocks, SLIX2 has 80; the others are not told apart by their UID.
    private static func blockCount(_ uid: [UInt8]) -> Int? {
        guard uid.count == 8, uid.starts(with: [0xE0, 0x04, 0x01]), uid[3] & 0x78 != 0x20 else { return nil }
        switch uid[3] & 0x18 {
        case 0x00, 0x10: return 28
        case 0x08: return 80
        default: return nil
        }
    }
}
