/// Base64 (RFC 4648) with the standard or the URL-safe alphabet; white space is skipped, and padding may be left out.
enum Base64Notation {
    static func bytes(of text: ArraySlice<UInt8>) throws(NotationError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var symbols = 0
        var padding = 0
        var last = text.startIndex
        for position in text.indices where !text[position].isWhiteSpace {
            last = position
            if text[position] == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: text[position]) else { throw strange(text, position, padding) }
            bits = bits << 6 | UInt32(value)
            symbols += 1
            // Each symbol but the first of four completes a byte.
            let spare = (4 - symbols % 4) % 4 * 2
            if symbols % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(spare))) }
        }
        try checkEnd(symbols: symbols, padding: padding, bits: bits, TextPlace(last, in: text))
        return bytes
    }

    /// The bytes as base64 with the standard alphabet and padding.
    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for symbol in 0..<4 {
                let value = Int(bits >> (18 - 6 * UInt32(symbol)) & 0x3F)
                text.append(symbol <= group.count ? alphabet[value] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func checkEnd(symbols: Int, padding: Int, bits: UInt32, _ end: TextPlace) throws(NotationError) {
        if symbols % 4 == 1 { throw error("\(end): the text breaks off after \(end.found)") }
        if padding > 0, padding > 2 || (symbols + padding) % 4 != 0 {
            throw error("\(end): there are \(padding) padding characters (=), which does not fit the length")
        }
        let unused: UInt32 = [0, 0, 0x0F, 0x03][symbols % 4]
        if bits & unused != 0 {
            throw error("\(end): the last bits belong to no byte; the text breaks off or is wrong")
        }
    }

    private static func strange(_ text: ArraySlice<UInt8>, _ position: Int, _ padding: Int) -> NotationError {
        let place = TextPlace(position, in: text)
        if padding > 0 { return error("\(place): \(place.found) follows the padding (=), which ends the text") }
        return error(
            "\(place): \(place.found) is neither hexadecimal nor base64; --binary if the input is bytes, not text")
    }

    private static func error(_ message: String) -> NotationError {
        NotationError(code: NotationError.notBase64, message: message)
    }

    private static func value(of symbol: UInt8) -> UInt8? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): symbol - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): symbol - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
