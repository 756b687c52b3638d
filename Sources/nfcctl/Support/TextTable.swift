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
