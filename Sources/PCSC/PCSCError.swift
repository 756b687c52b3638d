/// A failed PC/SC call and its result code.
public struct PCSCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The PC/SC result code.
    public let code: PCSCCode
    /// The C function that failed, for example `SCardConnect`.
    public let operation: String

    /// Creates an error from a result code and a C function.
    public init(code: PCSCCode, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// The function, the reason and the code.
    public var description: String { "\(operation): \(code)" }
}

/// A result code of PC/SC (winscard.h, SCARD_*). Unknown codes keep their number.
public struct PCSCCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number of the code.
    public let rawValue: UInt32

    /// Creates a code from any number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// SCARD_S_SUCCESS.
    public static let success = PCSCCode(rawValue: 0)
    /// SCARD_E_CANCELLED.
    public static let cancelled = PCSCCode(rawValue: 0x8010_0002)
    /// SCARD_E_INVALID_HANDLE.
    public static let invalidHandle = PCSCCode(rawValue: 0x8010_0003)
    /// SCARD_E_INVALID_PARAMETER.
    public static let invalidParameter = PCSCCode(rawValue: 0x8010_0004)
    /// SCARD_E_INSUFFICIENT_BUFFER.
    public static let insufficientBuffer = PCSCCode(rawValue: 0x8010_0008)
    /// SCARD_E_UNKNOWN_READER.
    public static let unknownReader = PCSCCode(rawValue: 0x8010_0009)
    /// SCARD_E_TIMEOUT.
    public static let timeout = PCSCCode(rawValue: 0x8010_000A)
    /// SCARD_E_SHARING_VIOLATION.
    public static let sharingViolation = PCSCCode(rawValue: 0x8010_000B)
    /// SCARD_E_NO_SMARTCARD.
    public static let noSmartcard = PCSCCode(rawValue: 0x8010_000C)
    /// SCARD_E_PROTO_MISMATCH.
    public static let protocolMismatch = PCSCCode(rawValue: 0x8010_000F)
    /// SCARD_E_INVALID_VALUE.
    public static let invalidValue = PCSCCode(rawValue: 0x8010_0011)
    /// SCARD_F_COMM_ERROR.
    public static let communicationError = PCSCCode(rawValue: 0x8010_0013)
    /// SCARD_E_NOT_TRANSACTED.
    public static let notTransacted = PCSCCode(rawValue: 0x8010_0016)
    /// SCARD_E_READER_UNAVAILABLE.
    public static let readerUnavailable = PCSCCode(rawValue: 0x8010_0017)
    /// SCARD_E_NO_SERVICE.
    public static let noService = PCSCCode(rawValue: 0x8010_001D)
    /// SCARD_E_SERVICE_STOPPED.
    public static let serviceStopped = PCSCCode(rawValue: 0x8010_001E)
    /// SCARD_E_UNSUPPORTED_FEATURE.
    public static let unsupportedFeature = PCSCCode(rawValue: 0x8010_001F)
    /// SCARD_E_NO_READERS_AVAILABLE.
    public static let noReadersAvailable = PCSCCode(rawValue: 0x8010_002E)
    /// SCARD_E_COMM_DATA_LOST.
    public static let communicationDataLost = PCSCCode(rawValue: 0x8010_002F)
    /// SCARD_W_UNRESPONSIVE_CARD.
    public static let unresponsiveCard = PCSCCode(rawValue: 0x8010_0066)
    /// SCARD_W_UNPOWERED_CARD.
    public static let unpoweredCard = PCSCCode(rawValue: 0x8010_0067)
    /// SCARD_W_RESET_CARD.
    public static let resetCard = PCSCCode(rawValue: 0x8010_0068)
    /// SCARD_W_REMOVED_CARD.
    public static let removedCard = PCSCCode(rawValue: 0x8010_0069)
    /// SCARD_W_SECURITY_VIOLATION.
    public static let securityViolation = PCSCCode(rawValue: 0x8010_006A)

    /// How a caller reacts to a code.
    public enum Kind: Sendable {
        /// The card left the reader.
        case tagLost
        /// Another program reset the card, which lost its state.
        case tagReset
        /// The reader was unplugged.
        case readerLost
        /// pcscd ended, and every context is invalid.
        case serviceLost
        /// Another program holds the card or the reader.
        case busy
        /// pcscd's policy (polkit) denies access.
        case refused
        /// Any other code.
        case other
    }

    /// The kind of the code.
    public var kind: Kind {
        switch self {
        case .removedCard, .noSmartcard, .unpoweredCard, .unresponsiveCard, .communicationDataLost: .tagLost
        case .resetCard: .tagReset
        case .readerUnavailable, .unknownReader: .readerLost
        case .communicationError, .noService, .serviceStopped, .invalidHandle: .serviceLost
        case .sharingViolation: .busy
        case .securityViolation: .refused
        default: .other
        }
    }

    /// The reason, then PC/SC's name and number of the code.
    public var description: String {
        let number = "0x" + String(rawValue, radix: 16, uppercase: true)
        guard let (name, words) = Self.names[self] else { return "PC/SC error \(number)" }
        return "\(words) (\(name), \(number))"
    }

    private static let names: [PCSCCode: (name: String, words: String)] = [
        .success: ("SCARD_S_SUCCESS", "done"),
        .cancelled: ("SCARD_E_CANCELLED", "the wait was cancelled"),
        .invalidHandle: ("SCARD_E_INVALID_HANDLE", "the connection to the PC/SC service is no longer valid"),
        .invalidParameter: ("SCARD_E_INVALID_PARAMETER", "invalid parameter"),
        .insufficientBuffer: ("SCARD_E_INSUFFICIENT_BUFFER", "the answer is longer than the buffer"),
        .unknownReader: ("SCARD_E_UNKNOWN_READER", "no reader has that name"),
        .timeout: ("SCARD_E_TIMEOUT", "the timeout expired"),
        .sharingViolation: (
            "SCARD_E_SHARING_VIOLATION", "another program holds the card, perhaps scdaemon or gsd-smartcard"
        ),
        .noSmartcard: ("SCARD_E_NO_SMARTCARD", "no card on the reader"),
        .protocolMismatch: ("SCARD_E_PROTO_MISMATCH", "the card offers neither T=0 nor T=1"),
        .invalidValue: ("SCARD_E_INVALID_VALUE", "a value is out of range"),
        .communicationError: ("SCARD_F_COMM_ERROR", "the connection to the PC/SC service was lost"),
        .notTransacted: ("SCARD_E_NOT_TRANSACTED", "the exchange with the card failed"),
        .readerUnavailable: ("SCARD_E_READER_UNAVAILABLE", "the reader was unplugged"),
        .noService: ("SCARD_E_NO_SERVICE", "the PC/SC service is not running"),
        .serviceStopped: (
            "SCARD_E_SERVICE_STOPPED", "the PC/SC service stopped, or uses another protocol version"
        ),
        .unsupportedFeature: ("SCARD_E_UNSUPPORTED_FEATURE", "the reader does not support this function"),
        .noReadersAvailable: ("SCARD_E_NO_READERS_AVAILABLE", "no reader is plugged in"),
        .communicationDataLost: ("SCARD_E_COMM_DATA_LOST", "the card was lost during an exchange"),
        .unresponsiveCard: ("SCARD_W_UNRESPONSIVE_CARD", "the card does not answer"),
        .unpoweredCard: ("SCARD_W_UNPOWERED_CARD", "the card lost its power"),
        .resetCard: ("SCARD_W_RESET_CARD", "another program reset the card"),
        .removedCard: ("SCARD_W_REMOVED_CARD", "the card was removed"),
        .securityViolation: (
            "SCARD_W_SECURITY_VIOLATION",
            "the PC/SC service denies access; check the polkit rules for org.debian.pcsc-lite"
        ),
    ]
}
