/// Frames of ISO/IEC 15693 through a reader that lets them pass. Addressed where the UID is known.
struct Type5NativeTransport<Channel: NativeChannel>: Type5Transport {
    let channel: Channel
    let target: ISO15693Request.Target

    var canLock: Bool { true }
    var readLimit: Int { Type5Tag.readLimit * channel.framesInTurn }

    func geometry() async throws(TagError) -> Type5Geometry {
        var information: ISO15693SystemInformation?
        do throws(TagError) {
            for isExtended in [false, true] {
                information = try await systemInformation(isExtended: isExtended)
                if let geometry = information.flatMap({ Type5Geometry($0) }) { return geometry }
            }
        } catch {
            // Both commands are optional; a tag that has left says so at the next one.
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
            throw TagError(.tagResponseError, "system information of \(content.count) bytes", response: content)
        }
        return information
    }

    /// GET MULTIPLE BLOCK SECURITY STATUS, optional as well: bit 0 of a byte for each block.
    func lockedBlocks(in blocks: Range<Int>) async throws(TagError) -> [Int]? {
        var locked: [Int] = []
        for start in stride(from: blocks.lowerBound, to: blocks.upperBound, by: Type5Tag.readLimit) {
            let end = min(start + Type5Tag.readLimit, blocks.upperBound)
            guard let status = try await securityStatus(start..<end) else { return nil }
            locked += zip(start..<end, status).filter { $1 & 0x01 != 0 }.map(\.0)
        }
        return locked
    }

    private func securityStatus(_ blocks: Range<Int>) async throws(TagError) -> [UInt8]? {
        guard let first = UInt16(exactly: blocks.lowerBound), let last = UInt16(exactly: blocks.upperBound - 1) else {
            return nil
        }
        do throws(TagError) {
            let status = try await send(.getMultipleBlockSecurityStatus(first...last))
            return status.count == blocks.count ? status : nil
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }

    func read(block: Int, count: Int, size: Int) async throws(TagError) -> [UInt8] {
        let end = block + max(count, 1)
        let step = max(1, Type5Tag.readLimit / max(size, 1))
        var requests: [ISO15693Request] = []
        for start in stride(from: block, to: end, by: step) {
            let stop = min(start + step, end)
            guard let first = UInt16(exactly: start), let last = UInt16(exactly: stop - 1) else {
                throw TagError(.tagResponseError, "block \(start) is out of reach")
            }
            requests.append(first == last ? .readSingleBlock(first) : .readMultipleBlocks(first...last))
        }
        return try await channel.perform(inTurn: requests, target: target).flatMap { $0 }
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
