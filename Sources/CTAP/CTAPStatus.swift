/// The status byte of a CTAP answer (CTAP 2.1, §8.2): one byte, known or not.
public struct CTAPStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The byte.
    public let rawValue: UInt8

    /// Creates a status from its byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The command succeeded.
    public static let ok = CTAPStatus(rawValue: 0x00)
    /// The command is not known.
    public static let invalidCommand = CTAPStatus(rawValue: 0x01)
    /// The user did not act in time.
    public static let userActionTimeout = CTAPStatus(rawValue: 0x2F)
    /// The program cancelled the command.
    public static let keepAliveCancel = CTAPStatus(rawValue: 0x2D)
    /// The command is not possible now.
    public static let notAllowed = CTAPStatus(rawValue: 0x30)
    /// The PIN or its token is not valid.
    public static let pinAuthInvalid = CTAPStatus(rawValue: 0x33)
    /// The request is longer than the card takes.
    public static let requestTooLarge = CTAPStatus(rawValue: 0x39)

    /// The byte in hexadecimal.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
