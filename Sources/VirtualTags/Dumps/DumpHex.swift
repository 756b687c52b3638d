/// Numbers and bytes in the text of dump files.
enum DumpHex {
    /// Bytes of two digits each; with blanks between them or not, `??` for one that is not known. Nil for anything
    /// else.
    static func bytes(_ text: String) -> [UInt8?]? {
        var result: [UInt8?] = []
        var rest = text.utf8[...]
        while let first = rest.popFirst() {
            if first == UInt8(ascii: " ") { continue }
            guard let second = rest.popFirst() else { return nil }
            if first == UInt8(ascii: "?"), second == first {
                result.append(nil)
            } else {
                guard let high = digit(first), let low = digit(second) else { return nil }
                result.append(high << 4 | low)
            }
        }
        return result
    }

    /// Bytes that are all known.
    static func known(_ text: String) -> [UInt8]? {
        guard let bytes = bytes(text) else { return nil }
        let known = bytes.compactMap { $0 }
        return known.count == bytes.count ? known : nil
    }

    /// Upper-case digits in pairs, blanks between them unless another separator is given.
    static func text(_ bytes: some Sequence<UInt8?>, separator: String = " ") -> String {
        bytes.map { byte in
            guard let byte else { return "??" }
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0" + digits : digits
        }.joined(separator: separator)
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
