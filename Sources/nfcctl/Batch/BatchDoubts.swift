import NDEF

/// What a person should know about the rows of a batch before the first tag: rows that write the same message, and values of a
/// column of serial numbers that occur twice.
struct BatchDoubts {
    /// The most doubts that are printed.
    private static let limit = 5
    private static let serialNames: Set<String> = [
        "serial", "serialnumber", "serialno", "sn", "id", "uid", "number", "no", "code",
    ]

    private let rows: [BatchRow]

    init(_ rows: [BatchRow]) { self.rows = rows }

    /// A sentence for each, and one that says how many are left out.
    var sentences: [String] {
        let messages = groups { $0.bytes.isEmpty ? nil : $0.bytes }.map {
            "numbers \(Self.list($0)) have the same message"
        }
        let all = messages + serials
        let rest = all.count - Self.limit
        return all.prefix(Self.limit) + (rest > 0 ? ["\(rest) more values occur twice"] : [])
    }

    private var serials: [String] {
        let names = Set(rows.flatMap(\.columns.keys)).filter {
            Self.serialNames.contains($0.lowercased().filter { $0.isLetter })
        }
        return names.sorted().flatMap { name in
            groups { row in row.columns[name].flatMap { $0.isEmpty ? nil : $0 } }.map { found in
                let value = (found.first?.columns[name] ?? "").escaped
                return "numbers \(Self.list(found)) have the same \(name.escaped): \(value)"
            }
        }
    }

    /// The rows that share a value, in order.
    private func groups<Value: Hashable>(_ value: (BatchRow) -> Value?) -> [[BatchRow]] {
        var groups: [Value: [BatchRow]] = [:]
        for row in rows { if let value = value(row) { groups[value, default: []].append(row) } }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0].number < $1[0].number }
    }

    private static func list(_ rows: [BatchRow]) -> String {
        let numbers = rows.prefix(4).map { "\($0.number)" }.joined(separator: ", ")
        return rows.count > 4 ? "\(numbers) and \(rows.count - 4) more" : numbers
    }
}
