import NDEF

/// How much is read of what comes from outside.
enum InputLimits {
    /// Of a message, with room for the headers of its records.
    static let message = NDEFLimits.default.maximumPayloadLength + 1_048_576

    /// Of a message written in hexadecimal with nothing between the digits.
    static let hexadecimalLine = 2 * message

    /// Of a message in any notation: `0xD1, ` takes six characters for a byte.
    static let text = 6 * message

    /// Of the JSON form of a message: a payload in hexadecimal, and decoded with each character escaped.
    static let json = 8 * message
}
