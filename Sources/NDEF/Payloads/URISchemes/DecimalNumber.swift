/// Decimal numbers as URIs have them (`num` and `pnum` of RFC 5870, §3.3): digits, and a point between digits.
enum DecimalNumber {
    /// The number; nil for anything else that a number may be written as, such as `1e5`, `.5`, `inf` or `0x1`.
    static func parse(_ text: ArraySlice<UInt8>) -> Double? {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.count <= longest, parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
            let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }

    /// The shortest digits that give the number again, without an exponent.
    static func text(_ number: Double) -> String {
        let parts = number.magnitude.description.split(separator: "e")
        let mantissa = parts.first.map { $0.split(separator: ".") } ?? []
        var whole = mantissa.first.map(String.init) ?? "0"
        var fraction = mantissa.count == 2 && mantissa[1] != "0" ? String(mantissa[1]) : ""
        let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
        if exponent < 0 {
            fraction = String(repeating: "0", count: -exponent - 1) + whole + fraction
            whole = "0"
        } else {
            let moved = fraction.prefix(exponent)
            whole += moved + String(repeating: "0", count: exponent - moved.count)
            fraction.removeFirst(moved.count)
        }
        let sign = number.sign == .minus ? "-" : ""
        return fraction.isEmpty ? sign + whole : "\(sign)\(whole).\(fraction)"
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// No number that is written here takes more bytes.
    private static let longest = 400
}
