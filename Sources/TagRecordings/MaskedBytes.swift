/// Bytes of which some are not known: they were masked before they were written. The text form is hexadecimal, with `**` for a
/// masked byte, so that the length stays visible.
public struct MaskedBytes: Sendable, Hashable, CustomStringConvertible {
    /// The bytes; nil for a masked one.
    public let bytes: [UInt8?]
    /// A hash of the bytes. A card's state has commands of up to 64 KiB, and is looked up for every line of a recording.
    private let digest: Int

    /// Bytes that are all known.
    public init(_ bytes: [UInt8]) { self.init(masking: bytes) }

    /// Bytes with masked ones.
    public init(masking bytes: [UInt8?]) {
        self.bytes = bytes
        digest = Self.digest(of: bytes)
    }

    /// The bytes of a text; nil for an odd number of characters, or any that is neither a digit nor part of `**`.
    public init?(_ text: String) {
        let characters = text.utf8.span
        guard characters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8?] = []
        bytes.reserveCapacity(characters.count / 2)
        for index in stride(from: 0, to: characters.count, by: 2) {
            switch (characters[index], characters[index + 1]) {
            case (Self.mask, Self.mask): bytes.append(nil)
            case let (high, low):
                guard let high = Self.value(high), let low = Self.value(low) else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        self.init(masking: bytes)
    }

    /// Compares the hashes first, so that bytes are compared where they are most likely the same.
    public static func == (one: MaskedBytes, other: MaskedBytes) -> Bool {
        one.digest == other.digest && one.bytes == other.bytes
    }

    /// Hashes the bytes, however many they are, in constant time.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Whether a byte is masked.
    public var isMasked: Bool { bytes.contains(nil) }

    /// The bytes, with 00 for a masked one.
    public var filled: [UInt8] { bytes.map { $0 ?? 0 } }

    /// Whether these are the bytes, as far as they are known: the length is the same, and so is every byte that is not masked.
    public func matches(_ actual: [UInt8]) -> Bool {
        bytes.count == actual.count && zip(bytes, actual).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// Whether it comes before other bytes in the order of their texts.
    func precedes(_ other: MaskedBytes) -> Bool {
        bytes.lexicographicallyPrecedes(other.bytes) { one, other in
            guard let other else { return false }
            return one.map { $0 < other } ?? true
        }
    }

    /// Digits, upper case, and `**` for masked bytes.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            guard let byte else {
                text += [Self.mask, Self.mask]
                continue
            }
            text += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 0x0F)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digest(of bytes: [UInt8?]) -> Int {
        var hasher = Hasher()
        var content = [UInt8](repeating: 0, count: bytes.count)
        for (index, byte) in bytes.enumerated() {
            guard let byte else {
                hasher.combine(index)
                continue
            }
            content[index] = byte
        }
        content.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private static let mask = UInt8(ascii: "*")
    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension MaskedBytes: Codable {
    /// Decodes the text form.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let bytes = MaskedBytes(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected hexadecimal digits, with ** for a masked byte")
        }
        self = bytes
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}
