/// The commands of JIS X 6319-4 that need no key, one exchange each.
///
/// All of them throw ``TagError`` 102 when the card is silent or its answer is malformed, 100 when it left or another one
/// answered, 105 for a command that fits no packet.
public struct FeliCa: Sendable {
    private let channel: any NativeChannel

    /// Commands go through `channel`, which carries whole packets with their length byte.
    public init(channel: some NativeChannel) { self.channel = channel }

    /// Polling: IDm and PMm of a card that has the system.
    public func poll(
        _ system: FeliCaSystemCode, request: FeliCaCommand.PollingRequest = .none
    ) async throws(TagError) -> FeliCaPolled {
        try await FeliCaPolled(send(.polling(system, request: request)))
    }

    /// Request Service: the key version of each area or service; FFFF for one the card does not have.
    public func requestService(
        _ identifier: FeliCaIdentifier, nodes: [FeliCaServiceCode]
    ) async throws(TagError) -> [UInt16] {
        let pairs = try await send(.requestService(identifier, nodes: nodes)).pairs(count: nodes.count)
        return pairs.map { UInt16($0[1]) << 8 | UInt16($0[0]) }
    }

    /// Request Response: the card's mode, 0 if no authentication took place.
    public func requestResponse(_ identifier: FeliCaIdentifier) async throws(TagError) -> UInt8 {
        let response = try await send(.requestResponse(identifier))
        guard let mode = response.body.first, response.body.count == 1 else {
            throw TagError(
                .tagResponseError, "the answer to Request Response has the wrong length", response: response.body)
        }
        return mode
    }

    /// Request System Code: the systems of the card.
    public func requestSystemCode(_ identifier: FeliCaIdentifier) async throws(TagError) -> [FeliCaSystemCode] {
        try await send(.requestSystemCode(identifier)).pairs().map {
            FeliCaSystemCode(rawValue: UInt16($0[0]) << 8 | UInt16($0[1]))
        }
    }

    /// Read Without Encryption from one service: 16 bytes for each of 1…15 blocks.
    ///
    /// A refusal by status flags is an answer, not an error.
    public func read(
        _ identifier: FeliCaIdentifier, blocks: [UInt16], service: FeliCaServiceCode = .readOnly
    ) async throws(TagError) -> ReadAnswer {
        let response = try await send(
            .readWithoutEncryption(identifier, services: [service], blocks: blocks.map { FeliCaBlock($0) }))
        let (status, rest) = try response.status()
        guard status.isSuccess else { return .refused(status) }
        guard let count = rest.first, Int(count) == blocks.count, rest.count == 1 + blocks.count * FeliCaBlock.size
        else {
            throw TagError(
                .tagResponseError, "the answer to a read of \(blocks.count) blocks has the wrong length", response: rest
            )
        }
        return .data(Array(rest.dropFirst()))
    }

    /// Write Without Encryption to one service: 16 bytes for each of 1…13 blocks. Never repeated.
    ///
    /// - Returns: the status flags.
    public func write(
        _ identifier: FeliCaIdentifier, blocks: [UInt16], data: [UInt8], service: FeliCaServiceCode = .readWrite
    ) async throws(TagError) -> FeliCaStatus {
        let elements = blocks.map { FeliCaBlock($0) }
        let response = try await send(
            .writeWithoutEncryption(identifier, services: [service], blocks: elements, data: data))
        let (status, rest) = try response.status()
        guard rest.isEmpty else {
            throw TagError(.tagResponseError, "the answer to a write has the wrong length", response: rest)
        }
        return status
    }

    private func send(_ command: FeliCaCommand) async throws(TagError) -> FeliCaResponse {
        let frame: [UInt8]
        do throws(FeliCaCommandError) {
            frame = try command.frame()
        } catch {
            throw TagError(.packetTooLong, "\(error)")
        }
        return try await FeliCaResponse(channel.transceive(frame), to: command)
    }
}

extension FeliCa {
    /// What came of a read.
    public enum ReadAnswer: Sendable, Hashable {
        /// The blocks behind one another.
        case data([UInt8])
        /// The card read nothing and gave the reason.
        case refused(FeliCaStatus)
    }
}
