extension String {
    /// The text with LF at line ends in place of CRLF or CR.
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
