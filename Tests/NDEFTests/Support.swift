import NDEF
import TestSupport
import Testing

/// The bytes of hexadecimal digits, which may stand in groups.
func bytes(_ digits: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: digits.filter { $0 != " " }), "not hexadecimal: \(digits)")
}

/// The error that decoding these digits gives.
func decodingError(_ digits: String, limits: NDEFLimits = .default) throws -> NDEFError {
    let input = try bytes(digits)
    return try #require(throws: NDEFError.self) { try NDEFMessage.decode(input, limits: limits) }
}

/// The error that encoding this message gives.
func encodingError(_ records: NDEFRecord...) throws -> NDEFError {
    try #require(throws: NDEFError.self) { try NDEFMessage(records: records).encoded() }
}

/// A record that holds this payload, given in hexadecimal digits, under a well-known type.
func wellKnown(_ type: String, _ payload: String) throws -> NDEFRecord {
    NDEFRecord(typeNameFormat: .nfcWellKnown, type: Array(type.utf8), payload: try bytes(payload))
}

extension SplitMix {
    mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
        let count = Int.random(in: counts, using: &self)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// A record that can be encoded.
    mutating func record() -> NDEFRecord {
        let formats: [TypeNameFormat] = [
            .empty, .nfcWellKnown, .media, .absoluteURI, .nfcExternal, .unknown, .reserved,
        ]
        let format = formats.randomElement(using: &self) ?? .empty
        guard format != .empty else { return NDEFRecord(typeNameFormat: .empty) }
        return NDEFRecord(
            typeNameFormat: format,
            type: format == .unknown ? [] : bytes(0...255),
            identifier: Bool.random(using: &self) ? bytes(0...255) : [],
            payload: bytes(Bool.random(using: &self) ? 0...10 : 0...600))
    }

    mutating func message() -> NDEFMessage {
        NDEFMessage(records: (0..<Int.random(in: 1...6, using: &self)).map { _ in record() })
    }

    /// Characters from all planes, with a liking for those that matter to the encodings.
    mutating func text() -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x00...0x1F, 0xA0...0x2FF, 0x0A00...0x0A01, 0x3000...0x31FF, 0xE000...0xE010, 0xFEFF...0xFEFF,
            0xFFF0...0xFFFF, 0x1F600...0x1F64F,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...8, using: &self) {
            let range = ranges.randomElement(using: &self) ?? 0x20...0x7E
            guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) else { continue }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
