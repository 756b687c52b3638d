import ISO7816

/// FeliCa commands through Identiv uTrust readers: `FF 40` to `FF 4A`, one for each command (uTrust 4701 F reference
/// manual, 6.2.13 to 6.2.18).
///
/// The reader puts the IDm of the card it polled into the packet itself, and gives that of the answer.
public struct UTrustFeliCaChannel: FeliCaChannel {
    private let channel: any CardChannel

    /// Fifteen blocks in an answer, and twelve in a command.
    public let longestFrame = 255

    /// Packets go through `channel`.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends one packet.
    ///
    /// - Throws: ``TagError`` 1 for a command that the reader has no pseudo-APDU for, 105 for one that does not fit into it,
    ///   102 when the card is silent, 100 when it left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let code = frame.dropFirst().first, frame.first.map(Int.init) == frame.count else {
            throw TagError(.unsupportedFeature, "this is no FeliCa packet: \(Hexadecimal.string(frame))")
        }
        let response = try await channel.exchange(Self.command(code, Array(frame.dropFirst(2))))
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "FeliCa command \(Hexadecimal.string(code)): \(response.statusWord)",
                response: response)
        }
        return [UInt8(truncatingIfNeeded: response.data.count + 2), code &+ 1] + response.data
    }

    private static func command(_ code: UInt8, _ body: [UInt8]) throws(TagError) -> CommandAPDU {
        let parameters = Array(body.dropFirst(FeliCaIdentifier.size))
        switch code {
        case 0x00: return try .native(ins: 0x40, p1: 0, p2: 0, body, limit: 4)
        case 0x02:
            let nodes = Array(parameters.dropFirst())
            return try .native(ins: 0x42, p1: parameters.first ?? 0, p2: 0, nodes, limit: 254)
        case 0x04: return CommandAPDU(cla: 0xFF, ins: 0x44, p1: 0, p2: 0, le: 0)
        case 0x06: return try lists(0x46, parameters, perBlock: 0)
        case 0x08: return try lists(0x48, parameters, perBlock: FeliCaBlock.size)
        case 0x0C: return CommandAPDU(cla: 0xFF, ins: 0x4A, p1: 0, p2: 0, le: 0)
        default:
            throw TagError(.unsupportedFeature, "the reader has no FeliCa command \(Hexadecimal.string(code))")
        }
    }

    /// Services and blocks are counted in P1 and P2; an element of the block list has two bytes.
    private static func lists(_ ins: UInt8, _ parameters: [UInt8], perBlock: Int) throws(TagError) -> CommandAPDU {
        let services = Int(parameters.first ?? 0)
        let blocks = Int(parameters.dropFirst(1 + 2 * services).first ?? 0)
        let data = Array(parameters.dropFirst().prefix(2 * services) + parameters.dropFirst(2 + 2 * services))
        guard services > 0, blocks > 0, data.count == 2 * (services + blocks) + perBlock * blocks else {
            throw TagError(.packetTooLong, "the reader takes block numbers up to 255 only")
        }
        return try .native(
            ins: ins, p1: UInt8(truncatingIfNeeded: services), p2: UInt8(truncatingIfNeeded: blocks), data, limit: 255)
    }
}
