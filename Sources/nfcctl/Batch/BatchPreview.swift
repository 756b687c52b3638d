import NDEF

/// The rows of a batch as `--dry-run` prints them.
struct BatchPreview {
    let rows: [BatchRow]
    let json: Bool

    private struct Row: Encodable {
        let event = "row"
        let number: Int
        let bytes: Int
        let hasPassword: Bool
        let message: NDEFMessage
    }

    /// Prints each row, and the size of the largest message.
    func print() throws {
        for row in rows {
            let message = row.bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: row.bytes)
            if json {
                Terminal.print(
                    json: Row(
                        number: row.number, bytes: row.bytes.count, hasPassword: row.password != nil, message: message))
            } else {
                let content = row.bytes.isEmpty ? "no message" : message.records.summary
                Terminal.print("number \(row.number): \(content); \(counted(row.bytes.count, "byte"))")
            }
        }
        let largest = rows.map(\.bytes.count).max() ?? 0
        Terminal.error("\(counted(rows.count, "row")), at most \(largest) bytes each. Nothing was written.")
    }
}
