/// Text in ASCII only (RFC 2045, §6.7), as vCard 2.1 has it.
enum QuotedPrintable {
    /// The text in the charset, which is UTF-8 or ISO-8859-1; where neither is named, the one that makes sense.
    static func decode(_ encoded: ArraySlice<UInt8>, charset: String?) -> String {
        var reader = ByteReader(encoded)
        var decoded: [UInt8] = []
        while let byte = reader.uint8() {
            var ahead = reader
            if byte == UInt8(ascii: "="), let digits = ahead.bytes(2),
                let value = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self))?.first
            {
                decoded.append(value)
                reader = ahead
            } else if byte != UInt8(ascii: "=") || !reader.isAtEnd {
                decoded.append(byte)
            }
        }
        let isLatin = ["ISO-8859-1", "LATIN1"].contains(charset?.uppercased())
        let text = isLatin ? nil : String(utf8: decoded[...])
        return text ?? Latin1.decode(decoded)
    }
}

/// ISO-8859-1, whose bytes are the first characters of Unicode.
enum Latin1 {
    static func decode(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map(UInt16.init), as: UTF16.self)
    }

    /// The bytes of the text; nil where it has other characters.
    static func encode(_ text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }
}
