/// Rows of text in columns, without a border.
struct TextTable {
    let rows: [[String]]

    private static let gap = 2
    /// A column is not made narrower than this for another's sake.
    private static let narrowest = 8

    /// The lines.
    ///
    /// - Parameter width: the most columns of a line; the widest cells are cut with … until it fits. Nil: nothing is cut.
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

    /// The widest column gives way until the line fits.
    private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
        guard let width else { return natural }
        var widths = natural
        var excess = natural.reduce(0, +) + Self.gap * max(0, natural.count - 1) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.narrowest
        {
            // Down to the next widest at once, not column by column.
            let next = widths.enumerated().filter { $0.offset != widest }.map(\.element).max() ?? 0
            let step = min(excess, max(1, widths[widest] - max(next, Self.narrowest)))
            widths[widest] -= step
            excess -= step
        }
        return widths
    }
}

/// Fits text into columns.
enum TextLines {
    /// The text on lines of at most `width` columns, broken at spaces where that is possible.
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

    /// The text, cut to one line of at most `width` columns.
    static func cut(_ text: String, to width: Int) -> String {
        var used = 0
        let fitting = text.prefix { character in
            used += columns(of: character)
            return used <= width
        }
        guard fitting.endIndex < text.endIndex else { return text }
        return fitting.dropLast() + "…"
    }

    /// The text with spaces after it, to make columns line up.
    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - columns(text)))
    }

    /// How many columns of a terminal a text takes.
    static func columns(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// East Asian characters and most pictures take two columns of a terminal.
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
