import NDEF

/// A table of text without borders.
struct TextTable {
    let rows: [[String]]

    private static let gap = 2
    /// The minimum width of a column that is truncated.
    private static let minimumWidth = 8

    /// The lines of the table.
    ///
    /// - Parameter width: the maximum line width. The widest columns are truncated until the lines fit. Nil: no limit.
    func lines(width: Int? = nil) -> [String] {
        let widths = fitted(naturalWidths, to: width)
        return rows.map { row in
            zip(row, widths).enumerated().map { index, cell in
                let text = width == nil ? cell.0 : TextLines.cut(cell.0, to: cell.1)
                return index + 1 < row.count ? TextLines.pad(text, to: cell.1) : text
            }.joined(separator: String(repeating: " ", count: Self.gap))
        }
    }

    private var naturalWidths: [Int] {
        let columns = rows.map(\.count).max() ?? 0
        return (0..<columns).map { column in
            rows.map { $0.dropFirst(column).first.map(TextLines.columns) ?? 0 }.max() ?? 0
        }
    }

    /// Reduces the widest column until the lines fit.
    private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
        guard let width else { return natural }
        var widths = natural
        var excess = natural.reduce(0, +) + Self.gap * max(0, natural.count - 1) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.minimumWidth
        {
            // Down to the second widest column in one step.
            let next = widths.enumerated().filter { $0.offset != widest }.map(\.element).max() ?? 0
            let step = min(excess, max(1, widths[widest] - max(next, Self.minimumWidth)))
            widths[widest] -= step
            excess -= step
        }
        return widths
    }
}

/// Wraps, truncates and pads text by its width on a terminal.
enum TextLines {
    /// The text in lines of at most `width` columns, broken at spaces if possible.
    static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let length = columns(word)
            if index > 0, used + 1 + length <= width {
                line += " "
                used += 1
            } else if index > 0 {
                lines.append(line)
                (line, used) = ("", 0)
            }
            for character in word {
                if used + columns(of: character) > width, used > 0 {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += columns(of: character)
            }
        }
        return lines + [line]
    }

    /// The text, truncated to at most `width` columns.
    static func cut(_ text: String, to width: Int) -> String {
        var used = 0
        let fitting = text.prefix { character in
            used += columns(of: character)
            return used <= width
        }
        guard fitting.endIndex < text.endIndex else { return text }
        return fitting.dropLast() + "…"
    }

    /// The text, padded with spaces to `width` columns.
    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - columns(text)))
    }

    /// The number of terminal columns that a text occupies.
    static func columns(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// East Asian characters and most emoji occupy two columns.
    private static func columns(of character: Character) -> Int {
        !character.isASCII && character.unicodeScalars.contains(where: isWide) ? 2 : 1
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// Bytes as text: hexadecimal pairs and ASCII characters.
enum HexDump {
    private static let bytesPerLine = 16

    /// The lines of a dump: offset, bytes and characters. Long dumps are truncated after four lines, unless `isFull`.
    ///
    /// - Parameter offset: the offset of the first byte.
    static func lines(_ bytes: ArraySlice<UInt8>, from offset: Int = 0, isFull: Bool) -> [String] {
        // Truncating a single line would save nothing.
        let shown = isFull || bytes.count <= 5 * bytesPerLine ? bytes : bytes.prefix(4 * bytesPerLine)
        let digits = max(4, String(offset + bytes.count, radix: 16).count)
        var lines = stride(from: 0, to: shown.count, by: bytesPerLine).map { start in
            let line = shown.dropFirst(start).prefix(bytesPerLine)
            return "\(hexadecimal(offset + start, digits: digits))  \(columns(line)) \(characters(line))"
        }
        if shown.count < bytes.count { lines.append("… \(bytes.count - shown.count) more bytes; --full shows them") }
        return lines
    }

    /// Two digits for each byte, separated by spaces or another text.
    static func pairs(_ bytes: some Sequence<UInt8>, separator: String = " ") -> String {
        bytes.map { hexadecimal(Int($0), digits: 2) }.joined(separator: separator)
    }

    /// The ASCII characters of bytes; a dot for each byte that is not printable.
    static func characters(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }

    /// A number in upper-case hexadecimal, with at least the given number of digits.
    static func hexadecimal(_ value: Int, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func columns(_ line: ArraySlice<UInt8>) -> String {
        let half = bytesPerLine / 2
        let groups = line.count > half ? "\(pairs(line.prefix(half)))  \(pairs(line.dropFirst(half)))" : pairs(line)
        return TextLines.pad(groups, to: 3 * bytesPerLine + 1)
    }
}

extension StringProtocol {
    /// The text without leading and trailing white space.
    var trimmed: SubSequence {
        let start = self.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...end]
    }
}

extension String {
    /// The text without anything that could drive a terminal. Unlike in `escaped`, quotation marks and backslashes stay, so
    /// that what a message quotes can be copied.
    var printable: String {
        String(unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\($0)" : "\($0)".escaped }.joined())
    }

    /// The text, quoted for a POSIX shell if necessary.
    var shellQuoted: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.unquoted.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }

    private static let unquoted = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:,@%".utf8)
}
