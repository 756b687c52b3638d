/// A status of CTAP other than 00 (CTAP 2.1, §8.2).
enum CTAPError: UInt8, Error {
    case invalidCommand = 0x01
    case invalidParameter = 0x02
    case invalidLength = 0x03
    case unexpectedType = 0x11
    case invalidCBOR = 0x12
    case missingParameter = 0x14
    case limitExceeded = 0x15
    case credentialExcluded = 0x19
    case unsupportedAlgorithm = 0x26
    case operationDenied = 0x27
    case storeFull = 0x28
    case invalidOption = 0x2C
    case cancelled = 0x2D
    case noCredentials = 0x2E
    case notAllowed = 0x30
    case pinInvalid = 0x31
    case pinBlocked = 0x32
    case pinAuthInvalid = 0x33
    case pinAuthBlocked = 0x34
    case pinNotSet = 0x35
    case pinRequired = 0x36
    case pinPolicy = 0x37
    case requestTooLarge = 0x39
    case invalidSubcommand = 0x3E
    case unauthorizedPermission = 0x40
}

extension CBORValue? {
    /// A parameter that a command requires, of a type.
    func required<Value>(_ type: (CBORValue) -> Value?) throws(CTAPError) -> Value {
        guard let self else { throw .missingParameter }
        guard let value = type(self) else { throw .unexpectedType }
        return value
    }

    /// A parameter that may be missing, of a type.
    func optional<Value>(_ type: (CBORValue) -> Value?) throws(CTAPError) -> Value? {
        guard let self else { return nil }
        guard let value = type(self) else { throw .unexpectedType }
        return value
    }
}
