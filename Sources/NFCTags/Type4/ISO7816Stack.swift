public import ISO7816

/// Sends commands to a card with ISO/IEC 7816-4 commands and does what the transport asks for: command chaining where
/// the length fields are too short, GET RESPONSE for 61XX, the same command again for 6CXX.
public struct ISO7816Stack: Sendable {
    /// The most response data of one command, in bytes.
    public static let responseLimit = 65_536
    /// The most GET RESPONSE commands for one answer.
    public static let linkLimit = 512

    /// The limits of the reader.
    public let limits: APDULimits

    let channel: any CardChannel

    /// A card behind a channel.
    public init(channel: some CardChannel, limits: APDULimits = .short) {
        self.channel = channel
        self.limits = limits
    }

    /// Sends a command and puts its response together. Every status word is a response; a chain of commands ends at the
    /// first one that is not answered 9000.
    ///
    /// - Throws: ``TagError`` 102 for an answer without a status word or a chain without end, 105 for more than 255
    ///   bytes of data where neither extended length nor chaining is possible, others when there is no answer.
    public func send(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        let links = limits.allowsExtendedLength ? [command] : command.shortLinks
        guard links.count == 1 || command.isInterindustry else {
            throw TagError(.packetTooLong, "the command has \(command.data.count) bytes of data, this reader takes 255")
        }
        var answer = ResponseAPDU(statusWord: .success)
        for link in links {
            answer = try await exchange(link)
            guard answer.statusWord.isSuccess else { break }
        }
        return try await complete(answer, to: command)
    }

    /// Builds a command and sends it, see ``send(_:)``.
    ///
    /// - Throws: ``TagError`` 105 for lengths that no command can have, and as ``send(_:)``.
    public func send(
        _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil
    ) async throws(TagError) -> ResponseAPDU {
        let command: CommandAPDU
        do throws(CommandAPDUError) {
            command = try CommandAPDU(cla: cla, ins: ins, p1: p1, p2: p2, data: data, expectedLength: expectedLength)
        } catch {
            throw TagError(.packetTooLong, "\(error)")
        }
        return try await send(command)
    }
}

extension ISO7816Stack {
    /// One exchange, or two where the card names the right Le. A command without Le is never sent twice: it may write.
    private func exchange(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        let response = try await channel.exchange(command)
        guard let length = response.statusWord.correctLength, let asked = command.expectedLength, length != asked else {
            return response
        }
        return try await channel.exchange(command.expecting(length))
    }

    /// Fetches what 61XX announces until something else comes.
    private func complete(_ first: ResponseAPDU, to command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        var response = first
        var data = first.data
        var links = 0
        while let length = response.statusWord.remainingLength {
            let hasProgress = links == 0 || !response.data.isEmpty
            guard hasProgress, links < Self.linkLimit, data.count + length <= Self.responseLimit else {
                throw TagError(
                    .tagResponseError, "the answer to \(CommandText.apdu(command.bytes)) does not end",
                    response: response)
            }
            links += 1
            response = try await exchange(command.getResponse(length))
            data += response.data
        }
        return ResponseAPDU(data: data, statusWord: response.statusWord)
    }
}

/// The limits of a reader for one command APDU.
public struct APDULimits: Sendable, Hashable {
    /// Whether commands with length fields of two bytes are supported (ISO/IEC 7816-4, extended length).
    public let allowsExtendedLength: Bool
    /// The most command data, in bytes: Lc.
    public let commandData: Int
    /// The most response data, in bytes: Le.
    public let responseData: Int

    /// Creates limits; they are clamped to 1…255 bytes, or 1…65,535 with extended length.
    public init(allowsExtendedLength: Bool = false, commandData: Int = 65_535, responseData: Int = 65_535) {
        let most = allowsExtendedLength ? 65_535 : 255
        self.allowsExtendedLength = allowsExtendedLength
        self.commandData = min(max(commandData, 1), most)
        self.responseData = min(max(responseData, 1), most)
    }

    /// The limits that every reader supports: 255 bytes each way.
    public static let short = APDULimits()
}
