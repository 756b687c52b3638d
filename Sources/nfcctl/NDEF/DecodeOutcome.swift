import NDEF

/// What decoding one line of hexadecimal gave; as JSON, a fixed interface.
enum DecodeOutcome: Encodable {
    case success(NDEFMessage, warnings: [NDEFWarning])
    case failure(code: String, message: String)

    /// A line that is longer than any message.
    static let lineTooLong = DecodeOutcome.failure(
        code: NDEFError.Code.limitExceeded.rawValue, message: "the line is longer than any message may be")

    private enum CodingKeys: String, CodingKey {
        case ok, records, warnings, error
    }

    private struct Failure: Encodable {
        let code: String
        let message: String
    }

    /// Decodes digits, either case.
    init(hexadecimal digits: [UInt8]) {
        guard let bytes = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self)) else {
            self = .failure(
                code: "NOT_HEXADECIMAL", message: "expected an even number of hexadecimal digits, and nothing else")
            return
        }
        do throws(NDEFError) {
            let decoding = try NDEFMessage.decode(bytes)
            self = .success(decoding.message, warnings: decoding.warnings + decoding.message.payloadWarnings)
        } catch {
            self = .failure(code: error.code.rawValue, message: error.message)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .success(let message, let warnings):
            try object.encode(true, forKey: .ok)
            try object.encode(message.records, forKey: .records)
            try object.encode(warnings.map(\.code.rawValue), forKey: .warnings)
        case .failure(let code, let message):
            try object.encode(false, forKey: .ok)
            try object.encode(Failure(code: code, message: message), forKey: .error)
        }
    }
}
