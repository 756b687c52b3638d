/// Frames of ISO/IEC 15693 through a reader that lets them pass. Addressed where the UID is known.
struct Type5NativeTransport<Channel: NativeChannel>: Type5Transport {
    let channel: Channel
    let target: ISO15693Request.Target

    var canLock: Bool { true }

    func geometry() async throws(TagError) -> Type5Geometry {
        do throws(TagError) {
            if let known = try await information(.getSystemInformation, isExtended: false) { return known }
            if let known = try await information(.extendedGetSystemInformation(), isExtended: true) { return known }
        } catch {
            // Both commands are optional; a tag that has left says so at the next one.
            guard error.code == .tagResponseError else { throw error }
        }
        let block = try await send(.readSingleBlock(0))
        guard Type5Geometry.sizes.contains(block.count) else {
            throw TagError(.tagResponseError, "block 0 has \(block.count) bytes", response: block)
        }
        var uid: [UInt8] = []
        if case .uid(let known) = target { uid = known }
        return Type5Geometry(blockSize: block.count, blockCount: nil, uid: uid, firstBlock: block)
    }

    /// Nil where the size of the memory is left out.
    private func information(
        _ request: ISO15693Request, isExtended: Bool
    ) async throws(TagError) -> Type5Geometry? {
        let content = try await send(request)
        guard let information = ISO15693SystemInformation(content, isExtended: isExtended) else {
            throw TagError(.tagResponseError, "system information of \(content.count) bytes", response: content)
        }
        guard let size = information.blockSize, let count = information.blockCount else { return nil }
        return Type5Geometry(blockSize: size, blockCount: count, uid: information.uid)
    }

    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8] {
        guard let first = UInt16(exactly: block), let last = UInt16(exactly: block + max(count, 1) - 1) else {
            throw TagError(.tagResponseError, "block \(block) is out of reach")
        }
        return try await send(first == last ? .readSingleBlock(first) : .readMultipleBlocks(first...last))
    }

    func write(block: Int, _ bytes: [UInt8], option: Bool) async throws(TagError) {
        guard let number = UInt16(exactly: block) else {
            throw TagError(.tagResponseError, "block \(block) is out of reach")
        }
        _ = try await send(.writeSingleBlock(number, bytes), option: option)
    }

    func lock(block: Int, option: Bool) async throws(TagError) {
        guard let number = UInt16(exactly: block) else {
            throw TagError(.tagResponseError, "block \(block) is out of reach")
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
