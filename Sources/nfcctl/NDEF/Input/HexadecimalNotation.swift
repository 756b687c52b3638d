/// Hexadecimal as people and programs write it: between the bytes there may be white space, colons, dashes and commas, and
/// a byte may have `0x` in front.
enum HexadecimalNotation {
    static func bytes(of text: ArraySlice<UInt8>) throws(NotationError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        var position = text.startIndex
        while position < text.endIndex {
            if high == nil, isPrefix(text, at: position) {
                position += 2
                continue
            }
            guard let digit = text[position].hexadecimalDigit else {
                guard isSeparator(text[position]) else { throw strange(text, position) }
                if high != nil { throw half(text, position) }
                position += 1
                continue
            }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
            position += 1
        }
        if high != nil { throw half(text, position) }
        return bytes
    }

    /// Whether there is nothing in the text that hexadecimal cannot have.
    static func mayBe(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.allSatisfy { position in
            let isX = text[position] | 0x20 == UInt8(ascii: "x")
            return text[position].hexadecimalDigit != nil || isSeparator(text[position])
                || isX && position > text.startIndex && isPrefix(text, at: position - 1)
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte.isWhiteSpace || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",")
    }

    private static func isPrefix(_ text: ArraySlice<UInt8>, at position: Int) -> Bool {
        position + 1 < text.endIndex && text[position] == UInt8(ascii: "0")
            && text[position + 1] | 0x20 == UInt8(ascii: "x")
    }

    private static func strange(_ text: ArraySlice<UInt8>, _ position: Int) -> NotationError {
        let place = TextPlace(position, in: text)
        let reason = "\(place): \(place.found) is no hexadecimal digit"
        return NotationError(
            code: NotationError.notHexadecimal, message: "\(reason); --base64 or --binary if the input is one of these")
    }

    private static func half(_ text: ArraySlice<UInt8>, _ position: Int) -> NotationError {
        let place = TextPlace(position - 1, in: text)
        let reason = "\(place): \(place.found) stands alone, but a byte has two digits"
        return NotationError(code: NotationError.notHexadecimal, message: "\(reason); is one missing?")
    }
}
