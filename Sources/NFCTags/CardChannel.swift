import ISO7816

/// A powered tag behind a reader: one command APDU out, the whole response (data and status word) back.
public protocol CardChannel: Sendable {
    /// Sends one encoded command APDU and returns the raw response: data, SW1, SW2.
    ///
    /// Runs on the caller's executor. A status word other than 9000 is a response, not an error.
    /// - Throws: ``CardChannelError`` when there is no response at all.
    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8]
}

/// Why a command brought no response.
public enum CardChannelError: Error, Sendable, Hashable {
    /// The tag left the field, or was reset by another program.
    case tagLost
    /// Nothing came back in time.
    case timedOut
    /// The reader or the service behind it is gone or stopped working.
    case readerFailed
    /// Another program holds the card.
    case busy
    /// Any other failure, with the transport's own code and words.
    case transport(code: UInt32, message: String)
}

extension CardChannelError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .tagLost: "the tag left the field"
        case .timedOut: "the tag did not answer in time"
        case .readerFailed: "the reader stopped working"
        case .busy: "another program holds the reader; 'sudo nfcctl doctor' shows which"
        case .transport(let code, let message): "\(message) (0x\(Hexadecimal.string(code)))"
        }
    }
}

extension CardChannel {
    /// Sends a command and returns its response; every failure becomes a ``TagError``.
    func exchange(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        try await exchange(raw: command.bytes)
    }

    /// The same for bytes that are not a well-formed command, as the obsolete form of a few pseudo-APDUs.
    func exchange(raw command: [UInt8]) async throws(TagError) -> ResponseAPDU {
        let raw: [UInt8]
        do throws(CardChannelError) {
            raw = try await transmit(command)
        } catch {
            throw TagError(error.code, "no answer to \(CommandText.apdu(command)): \(error)")
        }
        do throws(ResponseAPDUError) {
            return try ResponseAPDU(bytes: raw)
        } catch {
            throw TagError(.tagResponseError, "answer to \(CommandText.apdu(command)): \(error)", response: raw)
        }
    }
}

/// A command in the text of an error: what it is, never the data that it carries.
///
/// Data may be a password or a key, in the clear or exclusive-or a number that the tag sends openly. Which commands carry one depends on
/// the tag and on the reader's wrapper around its frames. So no data is shown of any command, and a new driver or reader has nothing to
/// mark. Every error that names a command takes its text from here.
enum CommandText {
    /// Class, instruction, P1, P2 and the length of the data, or Le.
    private static let headerSize = 5
    /// The code, and what it is about: a page, or the code behind a byte of flags or length.
    private static let frameSize = 2
    /// PWD_AUTH, in which the password follows the code at once.
    private static let passwordCode: UInt8 = 0x1B

    /// The text of a command APDU, or of bytes that a reader takes as one: `FFD6002C04…`.
    static func apdu(_ command: [UInt8]) -> String { text(command, to: headerSize) }

    /// The text of a frame: `A22C…`, or `1B…` for PWD_AUTH.
    static func frame(_ frame: some Collection<UInt8>) -> String {
        text(Array(frame), to: frame.first == passwordCode ? 1 : frameSize)
    }

    private static func text(_ bytes: [UInt8], to size: Int) -> String {
        Hexadecimal.string(Array(bytes.prefix(size))) + (bytes.count > size ? "…" : "")
    }
}

extension CardChannelError {
    /// What it means to a client (CoreNFC's codes 100, 102, 202 and 203).
    public var code: NFCErrorCode {
        switch self {
        case .tagLost: .tagConnectionLost
        case .timedOut, .transport: .tagResponseError
        case .readerFailed: .sessionTerminatedUnexpectedly
        case .busy: .systemIsBusy
        }
    }
}

extension CommandAPDU {
    /// `FF 00 00 00 Lc data`, the direct transmit of ACS readers.
    static func passThrough(_ data: [UInt8], limit: Int) throws(TagError) -> CommandAPDU {
        try native(ins: 0x00, p1: 0x00, p2: 0x00, data, limit: limit)
    }

    /// A command of class FF with data, whose size the reader limits.
    static func native(
        ins: UInt8, p1: UInt8, p2: UInt8, _ data: [UInt8], limit: Int, expectedLength: Int? = nil
    ) throws(TagError) -> CommandAPDU {
        guard !data.isEmpty, data.count <= limit else {
            throw TagError(
                .packetTooLong, "a frame for this reader has 1 to \(limit) bytes, this one has \(data.count)")
        }
        do throws(CommandAPDUError) {
            return try CommandAPDU(cla: 0xFF, ins: ins, p1: p1, p2: p2, data: data, expectedLength: expectedLength)
        } catch {
            throw TagError(.packetTooLong, "\(error)")
        }
    }
}

extension StatusWord {
    /// Whether the command is not supported.
    var isUnknownCommand: Bool { self == .instructionNotSupported || self == .functionNotSupported }
}

/// How a driver reconnects to a card that is halted, which happens after every wrong key.
public struct CardReconnection: Sendable {
    /// The identifier of the card, to detect that it was replaced.
    public let identifier: [UInt8]
    /// Resets the connection and selects the card again.
    public let perform: @Sendable () async throws(CardChannelError) -> Void

    /// Creates a reconnection to the card with this identifier.
    public init(
        identifier: [UInt8], perform: @escaping @Sendable () async throws(CardChannelError) -> Void
    ) {
        self.identifier = identifier
        self.perform = perform
    }
}

extension CardReconnection {
    /// What resets the connection, see ``select(over:technology:)``.
    func resetting(
        _ channel: some CardChannel, _ technology: TagTechnology
    ) -> @Sendable () async throws(TagError) -> Void {
        { @Sendable () async throws(TagError) in try await self.select(over: channel, technology: technology) }
    }

    /// Resets the connection, and makes sure that the same card answers.
    ///
    /// - Throws: ``TagError`` 100 if another card answers, others when the reset fails.
    func select(
        over channel: any CardChannel, technology: TagTechnology = .type2
    ) async throws(TagError) {
        do throws(CardChannelError) {
            try await perform()
        } catch {
            throw TagError(error.code, "the tag refused a command and could not be selected again: \(error)")
        }
        let found = try await IdentifierReader(channel: channel, technology: technology).read()
        guard identifier.isEmpty || found.isEmpty || found == identifier else {
            throw TagError(.tagConnectionLost, "another tag answered after the connection was reset", response: found)
        }
    }
}
