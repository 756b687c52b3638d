import NFCTypes

// Text for people, and text from bytes.

extension String {
    /// The text on one line, with everything that could drive a terminal or disguise what is shown made visible:
    /// control characters, line and paragraph separators and changes of writing direction as `\u{1B}`; backslash and
    /// quotation mark with a backslash in front.
    package var escaped: String {
        guard unicodeScalars.contains(where: \.needsEscaping) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar == "\\" || scalar == "\"" {
                result += "\\\(scalar)"
            } else if scalar.needsEscaping {
                result += scalar.escapeSequence
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var needsEscaping: Bool {
        isUnprintable || self == "\\" || self == "\""
    }
}

/// A number and what it counts, as people write it: `1 byte`, `12 bytes`.
package func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

extension String {
    /// The text in these bytes, or nil where they are not well-formed UTF-8.
    init?(utf8 bytes: ArraySlice<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}

extension String {
    /// The text with LF at line ends instead of CRLF or CR.
    var withLineFeeds: String {
        guard utf8.contains(UInt8(ascii: "\r")) else { return self }
        var bytes: [UInt8] = []
        var previous: UInt8 = 0
        for byte in utf8 {
            let isSecondHalf = byte == UInt8(ascii: "\n") && previous == UInt8(ascii: "\r")
            if !isSecondHalf { bytes.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte) }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
