/// Bytes for people: sixteen a line, with the offset in front and their ASCII characters behind.
enum Hexdump {
    static let bytesPerLine = 16

    /// The lines; of many only the first four and how much is missing, unless `isFull`.
    ///
    /// - Parameter offset: the number of the first byte.
    static func lines(_ bytes: ArraySlice<UInt8>, from offset: Int = 0, isFull: Bool) -> [String] {
        // A note in place of a single line would save nothing.
        let shown = isFull || bytes.count <= 5 * bytesPerLine ? bytes : bytes.prefix(4 * bytesPerLine)
        let digits = String(offset + bytes.count, radix: 16).count
        var lines = stride(from: 0, to: shown.count, by: bytesPerLine).map { start in
            let line = shown.dropFirst(start).prefix(bytesPerLine)
            return "\(number(offset + start, digits: max(4, digits)))  \(columns(line)) \(characters(line))"
        }
        if shown.count < bytes.count { lines.append("… \(bytes.count - shown.count) more bytes; --full shows them") }
        return lines
    }

    private static func columns(_ line: ArraySlice<UInt8>) -> String {
        var text = ""
        for (index, byte) in line.enumerated() {
            text += index == bytesPerLine / 2 ? " " : ""
            text += "\(number(Int(byte), digits: 2)) "
        }
        return TextLines.pad(text, to: 3 * bytesPerLine + 1)
    }

    private static func characters(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }

    private static func number(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
