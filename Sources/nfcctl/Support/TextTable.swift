/// Rows of text in columns; the last column is as wide as it comes.
struct TextTable {
    let rows: [[String]]

    /// The lines, without a border.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.dropFirst(column).first?.count ?? 0 }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { index, cell in
                let space = index + 1 < row.count ? String(repeating: " ", count: max(0, cell.1 - cell.0.count)) : ""
                return cell.0 + space
            }.joined(separator: "  ")
        }
    }
}
