import ISO7816

extension ReaderProfile {
    /// Identiv uTrust 3700 F, 3720 F, 4701 F and CLOUD 4700 F. They give one page of a Type 2 tag at a time.
    public static let identiv = ReaderProfile(
        slug: "identiv", name: "Identiv uTrust",
        usbProducts: [0x04E6: [0x5790, 0x5612, 0x5724, 0x5720]],
        readerNames: ["UTRUST 3700", "UTRUST 3720", "UTRUST 4701", "CLOUD 4700", "CLOUD 4701"],
        technologies: [.iso14443, .iso15693, .iso18092],
        longestStorageRead: 4,
        iso15693: { UTrustISO15693Channel(channel: $0) },
        feliCa: { UTrustFeliCaChannel(channel: $0) },
        type1: { UTrustType1Channel(channel: $0) },
        probe: .query([0xFF, 0xCC, 0x00, 0x00, 0x01, 0x1E, 0x00], isAnswer: isReaderInformation))

    /// The answer to escape command 1E: ten bytes and a serial number, whose length is in the last of them (uTrust 4701 F
    /// reference manual, 6.1.3 and 6.3.3.5).
    private static func isReaderInformation(_ answer: [UInt8]) -> Bool {
        let data = answer.dropLast(2)
        guard answer.suffix(2) == [0x90, 0x00], let length = data.dropFirst(9).first else { return false }
        return data.count == 10 + Int(length)
    }
}

/// FeliCa commands through Identiv uTrust readers: `FF 40` to `FF 4A`, one for each command (uTrust 4701 F reference
/// manual, 6.2.13 to 6.2.18).
///
/// The reader adds the IDm of the card that it polled to the command; its answer contains the IDm.
public struct UTrustFeliCaChannel: FeliCaChannel {
    private let channel: any CardChannel

    /// Fifteen blocks in an answer, twelve in a command.
    public let longestFrame = 255

    /// Packets over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends one packet.
    ///
    /// - Throws: ``TagError`` 1 for a command that has no pseudo-APDU, 105 for one that does not fit into it, 102 if the card
    ///   does not answer, 100 if it left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let code = frame.dropFirst().first, frame.first.map(Int.init) == frame.count else {
            throw TagError(.unsupportedFeature, "not a FeliCa packet: \(CommandText.frame(frame))")
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
            throw TagError(
                .unsupportedFeature, "the reader does not support FeliCa command \(Hexadecimal.string(code))")
        }
    }

    /// A read or a write: P1 and P2 are the numbers of services and blocks, and a block list element has two bytes.
    private static func lists(_ ins: UInt8, _ parameters: [UInt8], perBlock: Int) throws(TagError) -> CommandAPDU {
        let services = Int(parameters.first ?? 0)
        let blocks = Int(parameters.dropFirst(1 + 2 * services).first ?? 0)
        let data = Array(parameters.dropFirst().prefix(2 * services) + parameters.dropFirst(2 + 2 * services))
        guard services > 0, blocks > 0, data.count == 2 * (services + blocks) + perBlock * blocks else {
            throw TagError(.packetTooLong, "the reader supports block numbers up to 255 only")
        }
        return try .native(
            ins: ins, p1: UInt8(truncatingIfNeeded: services), p2: UInt8(truncatingIfNeeded: blocks), data, limit: 255)
    }
}

/// Frames of Type 1 Tags through Identiv uTrust readers: `FF 50` to `FF 60`, one for each command (uTrust 4701 F reference
/// manual, 6.2.19 to 6.2.27).
///
/// The reader adds the UID to the command and returns the data without the address in front.
public struct UTrustType1Channel: NativeChannel {
    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// The pseudo-APDU of a Type 1 Tag command, the number of data bytes after the address, and the length of the answer.
    private struct Form {
        let ins: UInt8
        var dataCount = 0
        let answerCount: Int
        var hasAddress = true
    }

    private static let forms: [UInt8: Form] = [
        0x78: Form(ins: 0x50, answerCount: 6, hasAddress: false),
        0x00: Form(ins: 0x52, answerCount: 122, hasAddress: false),
        0x01: Form(ins: 0x54, answerCount: 1),
        0x53: Form(ins: 0x56, dataCount: 1, answerCount: 1),
        0x1A: Form(ins: 0x58, dataCount: 1, answerCount: 1),
        0x10: Form(ins: 0x5A, answerCount: 128),
        0x02: Form(ins: 0x5C, answerCount: 8),
        0x54: Form(ins: 0x5E, dataCount: 8, answerCount: 8),
        0x1B: Form(ins: 0x60, dataCount: 8, answerCount: 8),
    ]

    /// Sends one frame: code, address, data, UID.
    ///
    /// - Throws: ``TagError`` 1 for a frame that has no pseudo-APDU, 102 if the tag does not answer, 100 if it left.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard let code = frame.first, let form = Self.forms[code], let address = frame.dropFirst().first,
            frame.count >= 2 + form.dataCount
        else {
            throw TagError(
                .unsupportedFeature, "the reader does not support this command: \(CommandText.frame(frame))")
        }
        let response = try await channel.exchange(command(form, address, Array(frame.dropFirst(2))))
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "\(CommandText.frame(frame)) refused: \(response.statusWord)", response: response)
        }
        // The manual does not specify whether the address is part of an answer of one byte.
        return form.hasAddress && response.data.count == form.answerCount ? [address] + response.data : response.data
    }

    private func command(_ form: Form, _ address: UInt8, _ rest: [UInt8]) throws(TagError) -> CommandAPDU {
        let p2 = form.hasAddress ? address : 0
        guard form.dataCount > 0 else { return CommandAPDU(cla: 0xFF, ins: form.ins, p1: 0, p2: p2, le: 0) }
        return try .native(ins: form.ins, p1: 0, p2: p2, Array(rest.prefix(form.dataCount)), limit: form.dataCount)
    }
}

/// Requests of ISO/IEC 15693 through Identiv uTrust readers: `FF FD FWT type Lc frame 00`. The reader adds and removes the
/// CRC.
public struct UTrustISO15693Channel: NativeChannel {
    private let channel: any CardChannel

    /// Frames over a connection to such a reader.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends one frame and waits up to 50 ms (FWT code 06): a write may take 20 ms.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        guard !frame.isEmpty, frame.count <= 255 else {
            throw TagError(.packetTooLong, "a frame of \(frame.count) bytes; this reader takes 1 to 255")
        }
        let command = [0xFF, 0xFD, 0x06, 0x01, UInt8(truncatingIfNeeded: frame.count)] + frame + [0x00]
        let response = try await channel.exchange(raw: command)
        guard response.statusWord.isSuccess else {
            throw TagError(
                .tagResponseError, "no answer from the tag: \(response.statusWord)", response: response.bytes)
        }
        return response.data
    }
}
