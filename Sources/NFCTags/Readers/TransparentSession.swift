import ISO7816

/// Frames in transparent sessions `FF C2` (PC/SC Part 3), for ACR1552U.
///
/// While a session is open the reader answers no ordinary command, so a session always ends, also after an error. A single
/// frame takes four exchanges; frames sent in turn share one session.
public struct TransparentChannel: FeliCaChannel, SessionChannel {
    /// The protocol of the session; the raw value is the technology byte of object 8F.
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

    /// How long to wait for the tag. Readers disagree on the byte order of the microseconds, so each value is the same in
    /// both orders.
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

    /// The capacity of object 95 with a length of one byte.
    public let longestFrame = 127
    /// Sixteen answers of 240 bytes are more than the memory of any tag that is read through a session.
    public let framesInTurn = 16
    /// Opening the session, choosing the protocol, ending the session.
    public let overhead = 3
    /// An answer of 256 bytes has room for 240 bytes besides the objects of the session.
    public let longestAnswer = 240
    /// Choosing the protocol selects the tag.
    public let canReactivate = true

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
    /// - Throws: ``TagError`` 105 for another length, 102 if the reader reports a failure or no answer, 100 if the tag
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

    /// Sends one frame in an open session.
    package func exchange(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try answer(try await send(p2: 0x01, try objects(frame)), to: frame)
    }

    private func objects(_ frame: [UInt8]) throws(TagError) -> [UInt8] {
        guard !frame.isEmpty, frame.count <= longestFrame else {
            throw TagError(.packetTooLong, "a frame of \(frame.count) bytes; this reader takes 1 to \(longestFrame)")
        }
        return [0x5F, 0x46, 0x04] + timer.bytes + [0x95, UInt8(truncatingIfNeeded: frame.count)] + frame
    }

    /// Opens and ends a session; choosing the protocol selects the tag.
    ///
    /// - Throws: ``TagError`` if the tag does not come back.
    public func reactivate() async throws(TagError) -> Bool {
        try await inSession { () async throws(TagError) -> Bool in true }
    }

    package func beginSession() async throws(TagError) {
        _ = try await send(p2: 0x00, [0x81, 0x00])
        _ = try await send(p2: 0x02, [0x8F, 0x02, technology.rawValue, technology.layer])
    }

    package func endSession() async throws(TagError) {
        _ = try await send(p2: 0x00, [0x82, 0x00])
    }

    /// Sends one command with its objects and checks that the reader executed all of them.
    func send(p2: UInt8, _ objects: [UInt8]) async throws(TagError) -> TransparentReply {
        let command = try CommandAPDU.native(ins: 0xC2, p1: 0x00, p2: p2, objects, limit: 255, expectedLength: 256)
        let response = try await channel.exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "transparent session: \(response.statusWord)", response: response)
        }
        guard let reply = TransparentReply(response.data), let statusWord = reply.statusWord else {
            throw TagError(
                .tagResponseError, "transparent session: invalid answer", response: response.bytes)
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
            throw TagError(.tagResponseError, "no answer to \(CommandText.frame(frame))")
        }
        guard reply.validBits == 0 else {
            // Four bits: A is an ACK, everything else a NAK.
            if reply.validBits == 4, data.count == 1, data.first.map({ $0 & 0x0F }) == 0x0A { return [0x0A] }
            throw TagError(.tagResponseError, "\(CommandText.frame(frame)) refused by the tag", response: data)
        }
        guard reply.receptionStatus == 0 else {
            throw TagError(.tagResponseError, "the answer to \(CommandText.frame(frame)) was garbled", response: data)
        }
        return data
    }
}

/// A transport that reaches the other sectors of a Type 2 Tag, each of 256 pages (NFC Forum Type 2 Tag, SECTOR_SELECT).
///
/// The reader must distinguish an ACK, a NAK and no answer: otherwise a page of sector 0 could be mistaken for one of the
/// selected sector.
protocol SectorChannel: NativeChannel {
    /// Sends frames one after another with a sector selected, and leaves the tag in sector 0.
    ///
    /// - Throws: ``TagError`` 102 if the tag has no such sector or refuses a frame, 100 if it left.
    func transceive(inSector sector: UInt8, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]]
}

extension TransparentChannel: SectorChannel {
    func transceive(inSector sector: UInt8, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        try await inSession { () async throws(TagError) -> [[UInt8]] in
            do throws(TagError) {
                try await select(sector)
                var answers: [[UInt8]] = []
                for frame in frames { answers.append(try await exchange(frame)) }
                try await select(0)
                return answers
            } catch {
                // Without the RF field the tag returns to sector 0. Report the first failure.
                _ = try? await send(p2: 0x00, [0x83, 0x00])
                _ = try? await send(p2: 0x00, [0x84, 0x00])
                throw error
            }
        }
    }

    /// Sends `C2 FF`, which the tag acknowledges, then the sector and three bytes 00, which it accepts by not answering.
    private func select(_ sector: UInt8) async throws(TagError) {
        guard try await exchange([0xC2, 0xFF]) == [0x0A] else {
            throw TagError(.tagResponseError, "SECTOR_SELECT was not acknowledged")
        }
        let answer: [UInt8]
        do throws(TagError) {
            answer = try await exchange([sector, 0x00, 0x00, 0x00])
        } catch {
            // 6401: no answer from the tag.
            guard error.statusWord == StatusWord(rawValue: 0x6401) else { throw error }
            return
        }
        throw TagError(.tagResponseError, "the tag has no sector \(sector)", response: answer)
    }
}

/// The data objects in the answer of a transparent session (PC/SC Part 3, Manage Session and Transparent Exchange).
struct TransparentReply: Sendable, Hashable {
    /// C0: the object that failed, 0 if none did.
    private(set) var failedObject: UInt8?
    /// C0: the status of that object.
    private(set) var statusWord: StatusWord?
    /// 92: the number of valid bits in the last byte, 0 for all.
    private(set) var validBits: UInt8 = 0
    /// 96: the errors in the received frame: bit 0 CRC, 1 collision, 2 parity, 3 framing.
    private(set) var receptionStatus: UInt8 = 0
    /// 97: the tag's answer.
    private(set) var data: [UInt8]?

    /// Parses the objects; nil if a length exceeds the data.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let tag = rest.popFirst() {
            // If the low five bits are set, the tag has a second byte.
            if tag & 0x1F == 0x1F, rest.popFirst() == nil { return nil }
            guard let length = Self.length(&rest), length <= rest.count else { return nil }
            set(tag, Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }

    /// Whether the reader executed everything. The outer status word 9000 does not say so.
    var isSuccess: Bool { failedObject == 0 && statusWord == .success }

    private mutating func set(_ tag: UInt8, _ value: [UInt8]) {
        switch (tag, value.count) {
        case (0xC0, 3):
            failedObject = value[0]
            statusWord = StatusWord(sw1: value[1], sw2: value[2])
        case (0x92, 1): validBits = value[0]
        case (0x96, 1...): receptionStatus = value[0]
        case (0x97, _): data = value
        default: break
        }
    }

    /// One byte below 80, or 81 or 82 and that many length bytes (ISO/IEC 8825-1).
    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        guard first == 0x81 || first == 0x82 else { return nil }
        let count = Int(first & 0x0F)
        guard rest.count >= count else { return nil }
        let value = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
        return value
    }
}
