import Foundation
import TestSupport
import Testing

@testable import NDEF

/// The bytes of hexadecimal digits, which may be in groups.
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

// What the tests of the typed payloads have in common.

// MARK: - Bytes

/// What these hexadecimal digits say, and the codes of what was forgiven.
func decoded<Payload: NDEFTypedPayload>(
    _: Payload.Type, _ digits: String
) throws -> (payload: Payload, warnings: [String]) {
    var warnings: [NDEFWarning.Code] = []
    let payload = try Payload(payload: bytes(digits), warnings: &warnings)
    #expect(warnings.allSatisfy { $0.sentence != $0.rawValue })
    return (payload, warnings.map(\.rawValue))
}

/// The code of the error that decoding these hexadecimal digits gives.
func payloadErrorCode<Payload: NDEFTypedPayload>(_: Payload.Type, _ digits: String) throws -> String {
    let input = try bytes(digits)
    return try #require(throws: NDEFPayloadError.self) { try Payload(payload: input) }.code.rawValue
}

/// The code of the error that making a record gives.
func refusalCode(_ make: () throws -> some NDEFTypedPayload) throws -> String {
    try #require(throws: NDEFPayloadError.self) { _ = try make() }.code.rawValue
}

// MARK: - JSON

/// The `decoded` object of this content, keys sorted. It is checked to be what its kind describes.
func decodedJSON(_ content: any NDEFContent) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(DecodedForm(content: content)), as: UTF8.self)
    try checkForm(json, isWritten: true)
    return json
}

/// The record that a `decoded` object alone makes. The object is checked to be what its kind describes.
func record(ofDecoded json: String) throws -> NDEFRecord {
    let record = try JSONDecoder().decode(NDEFRecord.self, from: Data(#"{"decoded":\#(json)}"#.utf8))
    try checkForm(json, isWritten: false)
    return record
}

/// What a `decoded` object says.
func content<Content: NDEFContent>(ofDecoded json: String) throws -> Content {
    let form = try JSONDecoder().decode(DecodedForm.self, from: Data(json.utf8))
    try checkForm(json, isWritten: false)
    return try #require(form.content as? Content)
}

/// The dotted path to the field that makes this `decoded` object refused.
func rejectedField(ofDecoded json: String) throws -> String {
    let error = try #require(throws: DecodingError.self) { try record(ofDecoded: json) }
    let keys: [any CodingKey] =
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        case .keyNotFound(let key, let context): context.codingPath + [key]
        @unknown default: []
        }
    return keys.dropFirst().map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
}

// MARK: - Promises

/// Checks that a payload is the same after a way through bytes, and through JSON, and that it cannot drive a terminal.
func checkRoundTrips<Payload: NDEFTypedPayload>(_ payload: Payload) throws {
    #expect(try Payload(payload: payload.payload) == payload)
    #expect(try record(ofDecoded: decodedJSON(payload)) == NDEFRecord(payload))
    #expect(NDEFRecord(payload).decoded.content as? Payload == payload)
    #expect(!payload.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
}

/// Checks that a sample that is cut off at any byte, has any byte changed, or is followed by more, is refused or read, and that what is
/// read survives.
func checkDamage<Payload: NDEFTypedPayload>(_ type: Payload.Type, _ digits: String) throws {
    try checkDamage(type, bytes(digits))
}

/// As above, with the sample in bytes.
func checkDamage<Payload: NDEFTypedPayload>(_: Payload.Type, _ sample: [UInt8]) throws {
    for length in 0...sample.count { try checkIfReadable(Payload.self, Array(sample.prefix(length))) }
    for index in sample.indices {
        for byte: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF, sample[index] ^ 0x40, sample[index] &+ 1, sample[index] &- 1]
        {
            var damaged = sample
            damaged[index] = byte
            try checkIfReadable(Payload.self, damaged)
        }
    }
    for end: [UInt8] in [[0], [0, 0], [1], [0xFF], [0, 1]] { try checkIfReadable(Payload.self, sample + end) }
}

/// Checks random payloads that start like the sample.
func checkRandomPayloads<Payload: NDEFTypedPayload>(
    _ type: Payload.Type, startingWith digits: String = "", seed: UInt64
) throws {
    var generator = SplitMix(seed: seed)
    let start = try bytes(digits)
    for _ in 0..<500 { try checkIfReadable(type, start + generator.bytes(0...24)) }
}

private func checkIfReadable<Payload: NDEFTypedPayload>(_: Payload.Type, _ input: [UInt8]) throws {
    if let payload = try? Payload(payload: input) { try checkRoundTrips(payload) }
}
