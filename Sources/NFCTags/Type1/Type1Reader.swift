/// Reads blocks of 8 bytes of a Type 1 Tag: static memory with RALL, dynamic memory with RSEG, or with READ8 where the
/// reader does not let RSEG pass.
struct Type1Reader: BlockReader {
    static let blockSize = 8
    /// Blocks that RALL gives.
    static let staticBlocks = 15
    /// Blocks in a segment.
    static let segmentBlocks = 16

    let link: Type1Link
    let header: Type1Header
    private var refusesSegments = false

    init(link: Type1Link, header: Type1Header) {
        self.link = link
        self.header = header
    }

    mutating func read(from block: Int, count: Int) async throws(TagError) -> [UInt8] {
        guard (0..<(header.isStatic ? Self.staticBlocks : 256)).contains(block) else {
            throw TagError(.tagResponseError, "block \(block) does not exist")
        }
        return header.isStatic ? try await readStatic(from: block) : try await readDynamic(from: block)
    }

    private func readStatic(from block: Int) async throws(TagError) -> [UInt8] {
        let memory = try await link.send(.readAll, to: header.identifier)
        guard memory.starts(with: [header.hr0, header.hr1] + header.identifier) else {
            throw TagError(.tagConnectionLost, "another tag answered", response: memory)
        }
        return Array(memory.dropFirst(2 + block * Self.blockSize))
    }

    private mutating func readDynamic(from block: Int) async throws(TagError) -> [UInt8] {
        if !refusesSegments {
            let segment = UInt8(truncatingIfNeeded: block / Self.segmentBlocks)
            do throws(TagError) {
                let bytes = try await link.send(.readSegment(segment), to: header.identifier)
                return Array(bytes.dropFirst(block % Self.segmentBlocks * Self.blockSize))
            } catch {
                guard error.code == .tagResponseError else { throw error }
                refusesSegments = true
            }
        }
        return try await link.send(.readBlock(UInt8(truncatingIfNeeded: block)), to: header.identifier)
    }
}

/// Sends commands and checks the form of the answers.
struct Type1Link: Sendable {
    let channel: any NativeChannel

    /// What follows the echo in the answer. A tag that refuses is silent.
    ///
    /// - Throws: ``TagError`` 102 for silence, another length or another echo.
    func send(_ command: Type1Command, to identifier: [UInt8]) async throws(TagError) -> [UInt8] {
        let answer = try await channel.transceive(command.frame(identifier))
        guard answer.starts(with: command.echo), answer.count == command.echo.count + command.answerCount else {
            throw TagError(.tagResponseError, "an answer of \(answer.count) bytes that does not fit", response: answer)
        }
        return Array(answer.dropFirst(command.echo.count))
    }
}
