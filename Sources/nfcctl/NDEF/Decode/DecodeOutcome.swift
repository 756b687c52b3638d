import NDEF

/// What decoding a message gave; as JSON, a fixed interface.
enum DecodeOutcome: Encodable {
    case success(NDEFMessage, warnings: [NDEFWarning])
    case failure(Refusal)

    private enum CodingKeys: String, CodingKey {
        case ok, records, warnings
    }

    init(_ bytes: [UInt8]) {
        do throws(NDEFError) {
            let decoding = try NDEFMessage.decode(bytes)
            self = .success(decoding.message, warnings: decoding.warnings + decoding.message.payloadWarnings)
        } catch {
            self = .failure(Refusal(code: error.code.rawValue, message: error.message))
        }
    }

    /// Decodes a line of digits of either case, with nothing between them.
    init(_ line: BoundedLineReader.Line) {
        switch line {
        case .tooLong: self = .failure(.lineTooLong)
        case .line(let digits):
            guard let bytes = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self)) else {
                let reason = "expected an even number of hexadecimal digits, and nothing else"
                self = .failure(Refusal(code: NotationError.notHexadecimal, message: reason))
                return
            }
            self.init(bytes)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .failure(let refusal): try refusal.encode(to: encoder)
        case .success(let message, let warnings):
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(true, forKey: .ok)
            try object.encode(message.records, forKey: .records)
            try object.encode(warnings.map(\.code.rawValue), forKey: .warnings)
        }
    }
}
