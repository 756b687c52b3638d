/// Bytes as people and protocols write them.
package enum Hexadecimal {
    private static let digits: [Character] = Array("0123456789ABCDEF")

    /// Two upper-case digits.
    package static func string(_ byte: UInt8) -> String {
        String([digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]])
    }

    /// Upper-case digits without separators, the empty string for no bytes.
    package static func string(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes { text += string(byte) }
        return text
    }
}
