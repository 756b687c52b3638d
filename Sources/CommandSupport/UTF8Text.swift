/// Text that is read exactly: bytes that are not UTF-8 are an error, never replaced by U+FFFD.
package enum UTF8Text {
    /// The offset of the first byte that is not UTF-8; nil if all are.
    package static func firstInvalid(in bytes: some Collection<UInt8>) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }

    /// The bytes as ASCII text with `\xFC` for every other byte, for messages.
    package static func shown(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { byte in
            (0x20..<0x7F).contains(byte) ? String(Unicode.Scalar(byte)) : #"\x"# + hexadecimal(byte)
        }.joined()
    }

    /// The two digits of a byte.
    package static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
