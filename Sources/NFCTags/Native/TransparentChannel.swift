import ISO7816

/// Frames in transparent sessions `FF C2` (PC/SC Part 3), as ACR1552U takes them.
///
/// While a session is open the reader answers no ordinary command, so it is ended whatever happens. A frame in a session of
/// its own takes four exchanges; frames in turn share one.
public struct TransparentChannel: FeliCaChannel {
    /// What is spoken in the session; the raw value is the technology byte of object 8F.
    public enum Technology: UInt8, Sendable, Hashable, CaseIterable {
        /// ISO/IEC 14443 type A, part 3.
        case iso14443A = 0x00
        /// ISO/IEC 14443 type B, part 3.
        case iso14443B = 0x01
        /// ISO/IEC 15693, part 3.
        case iso15693 = 0x02
        /// FeliCa.
        case feliCa = 0x03

        var layer: UInt8 { self == .feliCa ? 0x00 : 0x03 }
    }

    /// How long to wait for the tag. Readers disagree on the byte order of the microseconds, so only numbers that mean the
    /// same both ways.
    public enum Timer: Sendable, Hashable, CaseIterable {
        /// 66 ms.
        case short
        /// 0.53 s.
        case medium
        /// 1.05 s, for writes and locks of ISO/IEC 15693.
        case long

        var bytes: [UInt8] {
            switch self {
            case .short: [0x00, 0x01, 0x01, 0x00]
            case .medium: [0x00, 0x08, 0x08, 0x00]
            case .long: [0x00, 0x10, 0x10, 0x00]
            }
        }
    }

    /// What object 95 holds with a length of one byte.
    public let longestFrame = 127
    /// Sixteen of 240 bytes are more than any tag has that is read this way.
    public let framesInTurn = 16

    private let channel: any CardChannel
    private let technology: Technology
    private let timer: Timer

    /// Frames of a technology over a connection to such a reader.
    public init(channel: some CardChannel, technology: Technology = .iso14443A, timer: Timer = .short) {
        self.channel = channel
        self.technology = technology
        self.timer = timer
    }

    /// Sends a frame of 1 to 127 bytes.
    ///
    /// - Throws: ``TagError`` 105 for another length, 102 when the reader reports a failure or no answer, 100 when the tag
    ///   left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await transceive(inTurn: [frame]).first ?? []
    }

    /// Sends frames of 1 to 127 bytes in one session, up to the first one that fails.
    public func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        for frame in frames { _ = try objects(frame) }
        guard !frames.isEmpty else { return [] }
        return try await inSession { () async throws(TagError) -> [[UInt8]] in
            var answers: [[UInt8]] = []
            for frame in frames { answers.append(try await exchange(frame)) }
            return answers
        }
    }

    /// One frame in a session that is open.
    func exchange(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try answer(try await send(p2: 0x01, try objects(frame)), to: frame)
    }

    private func objects(_ frame: [UInt8]) throws(TagError) -> [UInt8] {
        guard !frame.isEmpty, frame.count <= longestFrame else {
            throw TagError(.packetTooLong, "a frame has 1 to \(longestFrame) bytes here, this one \(frame.count)")
        }
        return [0x5F, 0x46, 0x04] + timer.bytes + [0x95, UInt8(truncatingIfNeeded: frame.count)] + frame
    }

    /// Opens and ends a session; choosing the protocol selects the tag.
    ///
    /// - Throws: ``TagError`` when the tag does not come back.
    public func reactivate() async throws(TagError) -> Bool {
        try await inSession { () async throws(TagError) -> Bool in true }
    }

    func inSession<Value: Sendable>(
        _ body: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        let value: Value
        do throws(TagError) {
            _ = try await send(p2: 0x00, [0x81, 0x00])
            _ = try await send(p2: 0x02, [0x8F, 0x02, technology.rawValue, technology.layer])
            value = try await body()
        } catch {
            // The first failure is the one to tell; a session left open would spoil everything after it.
            _ = try? await end()
            throw error
        }
        try await end()
        return value
    }

    private func end() async throws(TagError) {
        _ = try await send(p2: 0x00, [0x82, 0x00])
    }

    /// One command with its objects, whose answer says that all of them were carried out.
    func send(p2: UInt8, _ objects: [UInt8]) async throws(TagError) -> TransparentReply {
        let command = try CommandAPDU.native(ins: 0xC2, p1: 0x00, p2: p2, objects, limit: 255, expectedLength: 256)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "transparent session: \(response.statusWord)", response: response)
        }
        guard let reply = TransparentReply(response.data), let statusWord = reply.statusWord else {
            throw TagError(
                .tagResponseError, "transparent session: the answer makes no sense", response: response.bytes)
        }
        guard reply.isSuccess else {
            throw TagError(
                .tagResponseError, "transparent session: object \(reply.failedObject ?? 0), \(statusWord)",
                response: response.bytes, statusWord: statusWord)
        }
        return reply
    }

    private func answer(_ reply: TransparentReply, to frame: [UInt8]) throws(TagError) -> [UInt8] {
        guard let data = reply.data else {
            throw TagError(.tagResponseError, "no answer to \(Hexadecimal.string(frame))")
        }
        guard reply.validBits == 0 else {
            // Four bits: A acknowledges, everything else refuses.
            if reply.validBits == 4, data.count == 1, data.first.map({ $0 & 0x0F }) == 0x0A { return [0x0A] }
            throw TagError(.tagResponseError, "\(Hexadecimal.string(frame)) refused by the tag", response: data)
        }
        guard reply.receptionStatus == 0 else {
            throw TagError(.tagResponseError, "the answer to \(Hexadecimal.string(frame)) was garbled", response: data)
        }
        return data
    }
}
