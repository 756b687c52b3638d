import ISO7816

/// The status byte of DESFire's native commands, SW2 behind 91 (MIFARE DESFire data sheets), open.
public struct DESFireStatus: RawRepresentable, Sendable, Hashable {
    /// The byte.
    public let rawValue: UInt8

    /// Any byte is carried.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 00: done.
    public static let operationOK = DESFireStatus(rawValue: 0x00)
    /// 1C: no such command.
    public static let illegalCommandCode = DESFireStatus(rawValue: 0x1C)
    /// 40: no such key.
    public static let noSuchKey = DESFireStatus(rawValue: 0x40)
    /// 7E: the command has the wrong length.
    public static let lengthError = DESFireStatus(rawValue: 0x7E)
    /// 9D: the configuration does not permit the command.
    public static let permissionDenied = DESFireStatus(rawValue: 0x9D)
    /// 9E: a parameter has a wrong value.
    public static let parameterError = DESFireStatus(rawValue: 0x9E)
    /// A0: no such application.
    public static let applicationNotFound = DESFireStatus(rawValue: 0xA0)
    /// AE: not authenticated, or with the wrong key.
    public static let authenticationError = DESFireStatus(rawValue: 0xAE)
    /// AF: another frame follows or is expected.
    public static let additionalFrame = DESFireStatus(rawValue: 0xAF)
    /// BE: beyond the limits of the file.
    public static let boundaryError = DESFireStatus(rawValue: 0xBE)
    /// CA: the previous command was not finished.
    public static let commandAborted = DESFireStatus(rawValue: 0xCA)
    /// F0: no such file.
    public static let fileNotFound = DESFireStatus(rawValue: 0xF0)
}

extension DESFireStatus: CustomStringConvertible {
    /// The byte and its name in the data sheets, for example `AE AUTHENTICATION_ERROR`.
    public var description: String {
        let digits = Hexadecimal.string(rawValue)
        return Self.names[rawValue].map { "\(digits) \($0)" } ?? digits
    }

    private static let names: [UInt8: String] = [
        0x00: "OPERATION_OK", 0x0C: "NO_CHANGES", 0x0E: "OUT_OF_EEPROM_ERROR", 0x1C: "ILLEGAL_COMMAND_CODE",
        0x1E: "INTEGRITY_ERROR", 0x40: "NO_SUCH_KEY", 0x7E: "LENGTH_ERROR", 0x9D: "PERMISSION_DENIED",
        0x9E: "PARAMETER_ERROR", 0xA0: "APPLICATION_NOT_FOUND", 0xA1: "APPL_INTEGRITY_ERROR",
        0xAD: "AUTHENTICATION_DELAY", 0xAE: "AUTHENTICATION_ERROR", 0xAF: "ADDITIONAL_FRAME",
        0xBE: "BOUNDARY_ERROR", 0xC1: "PICC_INTEGRITY_ERROR", 0xCA: "COMMAND_ABORTED",
        0xCD: "PICC_DISABLED_ERROR", 0xCE: "COUNT_ERROR", 0xDE: "DUPLICATE_ERROR", 0xEE: "EEPROM_ERROR",
        0xF0: "FILE_NOT_FOUND", 0xF1: "FILE_INTEGRITY_ERROR",
    ]
}
