import TagTable
import VirtualTags

/// `tag-bench`: how many APDUs each operation takes for every virtual tag on every reader model that sees it, as a table.
@main
enum TagBench {
    static func main() async {
        let operations = TableOperation.allCases
        row("tag", "reader", operations.map(\.rawValue))
        for place in TagTable.places {
            var cells: [String] = []
            for operation in operations {
                cells.append(await cell(operation, place))
            }
            row(place.model.name, place.reader.name, cells)
        }
    }

    /// The number of exchanges; `-` for what this tag or reader cannot do, the error's number where it fails.
    private static func cell(_ operation: TableOperation, _ place: TagTable.Place) async -> String {
        do {
            return try await operation.perform(at: place)?.exchanges.map(String.init) ?? "-"
        } catch {
            return "\(error)"
        }
    }

    private static func row(_ tag: String, _ reader: String, _ cells: [String]) {
        print(([pad(tag, 20), pad(reader, 14)] + cells.map { padLeft($0, 12) }).joined())
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
