import NDEF

/// Why there is no answer; as JSON `{"ok":false,"error":{"code":…,"message":…}}`, a fixed interface.
struct Refusal: Error, Encodable, Equatable {
    let code: String
    let message: String

    private enum CodingKeys: String, CodingKey {
        case ok, error
    }

    private enum ErrorKeys: String, CodingKey {
        case code, message
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(false, forKey: .ok)
        var error = object.nestedContainer(keyedBy: ErrorKeys.self, forKey: .error)
        try error.encode(code, forKey: .code)
        try error.encode(message, forKey: .message)
    }
}

extension Refusal {
    static let lineTooLong = Refusal(
        code: NDEFError.Code.limitExceeded.rawValue, message: "the line is longer than any message may be")
}

extension Refusal: CustomStringConvertible {
    /// The sentence and the code, for people.
    var description: String { "\(message) (\(code))" }
}
