/// The flags of an ISO 15693 request (ISO/IEC 15693-3, request flags).
///
/// CoreNFC sets ``address`` by itself and sends the UID, unless ``select`` is there.
public struct NFCISO15693RequestFlag: OptionSet, Sendable {
    /// The flag byte.
    public let rawValue: UInt8

    /// Flags of that byte.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The tag answers with two subcarriers.
    public static let dualSubCarriers = NFCISO15693RequestFlag(rawValue: 0x01)
    /// The tag answers at the high data rate.
    public static let highDataRate = NFCISO15693RequestFlag(rawValue: 0x02)
    /// The request has an extended format.
    public static let protocolExtension = NFCISO15693RequestFlag(rawValue: 0x08)
    /// Only the selected tag answers; no UID is sent.
    public static let select = NFCISO15693RequestFlag(rawValue: 0x10)
    /// Only the tag with the UID answers.
    public static let address = NFCISO15693RequestFlag(rawValue: 0x20)
    /// Depends on the command. On reads: the security status comes before each block.
    public static let option = NFCISO15693RequestFlag(rawValue: 0x40)
    /// Depends on the command.
    public static let commandSpecificBit8 = NFCISO15693RequestFlag(rawValue: 0x80)
}

/// The flags of an ISO 15693 reply (ISO/IEC 15693-3, response flags).
public struct NFCISO15693ResponseFlag: OptionSet, Sendable {
    /// The flag byte.
    public let rawValue: UInt8

    /// Flags of that byte.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The reply is an error; its code follows.
    public static let error = NFCISO15693ResponseFlag(rawValue: 0x01)
    /// The response buffer of the tag is valid.
    public static let responseBufferValid = NFCISO15693ResponseFlag(rawValue: 0x02)
    /// The reply is the last one of an in-process command.
    public static let finalResponse = NFCISO15693ResponseFlag(rawValue: 0x04)
    /// The reply has an extended format.
    public static let protocolExtension = NFCISO15693ResponseFlag(rawValue: 0x08)
    /// Bit 5 of the block security status.
    public static let blockSecurityStatusBit5 = NFCISO15693ResponseFlag(rawValue: 0x10)
    /// Bit 6 of the block security status.
    public static let blockSecurityStatusBit6 = NFCISO15693ResponseFlag(rawValue: 0x20)
    /// The tag asks for more time.
    public static let waitTimeExtension = NFCISO15693ResponseFlag(rawValue: 0x40)
}
