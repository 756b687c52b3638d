package import Cryptography

/// A key of a tag. Its memory is locked where the limit allows it, not part of a core dump, and overwritten at the end.
///
/// No description shows it. Two keys are compared in a time that does not depend on them.
public struct TagKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Bytes of a key of AES-128.
    public static let length = 16

    package let secret: SecretBytes
    /// Whether the key, or the one that it was derived from, is known to everyone; see ``PublishedKeys``. It proves nothing.
    public let isPublished: Bool

    /// Copies the bytes, which the caller overwrites. Nil unless there are 16, or for DES 8 or 24.
    public init?(_ bytes: some Collection<UInt8>) {
        self.init(SecretBytes(bytes))
    }

    /// The key of 32 hexadecimal digits, or for DES 16 or 48; nil for any other text.
    public init?(hexadecimal: String) {
        var digits = Array(hexadecimal.utf8)
        defer { digits.wipe() }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var isValid = true
        let secret = SecretBytes(count: digits.count / 2) { memory in
            for index in memory.indices {
                let (high, low) = (Self.value(digits[2 * index]), Self.value(digits[2 * index + 1]))
                isValid = isValid && high | low < 16
                memory[index] = high << 4 | low & 15
            }
        }
        guard isValid else { return nil }
        self.init(secret)
    }

    /// A new random key of AES-128.
    public static func random() -> TagKey { TagKey(secret: SecretBytes(randomCount: length), isPublished: false) }

    package init?(_ secret: SecretBytes) {
        guard [8, 16, 24].contains(secret.count) else { return nil }
        self.init(secret: secret, isPublished: false)
    }

    /// A key; one that was derived from a published key is published as well.
    package init(secret: SecretBytes, isPublished: Bool) {
        self.secret = secret
        let isListed = PublishedKeys.contains(secret)
        self.isPublished = isPublished || isListed
    }

    private static func value(_ digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: 0xF0
        }
    }

    /// Whether two keys are the same.
    public func isEqual(to other: TagKey) -> Bool { secret.isEqual(other.secret) }

    /// Shows nothing of the key.
    public var description: String { "(key)" }
    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
