import NDEF
import Testing

@testable import nfcctl

/// The parts of a batch that need no reader.
@Suite struct `Parts of a batch` {
    // MARK: Placeholders

    @Test(arguments: [
        ("https://ex.am/{n}", "https://ex.am/7"), ("{n:05}", "00007"), ("{n:x}", "7"), ("{n:04X}", "0007"),
        ("{name}: {id}", "Ada: {1}"), ("{{n}} {{", "{n} {"), ("no placeholder", "no placeholder"), ("", ""),
        ("日本{n}", "日本7"),
    ])
    func `placeholders are replaced once`(text: String, filled: String) throws {
        #expect(try RowValues(number: 7, columns: ["name": "Ada", "id": "{1}"]).filling(text) == filled)
    }

    @Test(arguments: [
        ("{x}", "{x} has no value; there are {n}, {name}"), ("{n:5}", "{n:5} is not a format"),
        ("{n:}", "{n:} is not a format"),
        ("{", "has a single brace"), ("a}b", "has a single brace"), ("{n", "has a single brace"),
        ("{n:0100}", "is not a format"), ("{ n}", "{ n} has no value"),
    ])
    func `an invalid placeholder is an error that says what there is`(text: String, reason: String) {
        let error = #expect(throws: PlaceholderError.self) {
            try RowValues(number: 7, columns: ["name": "Ada"]).filling(text)
        }
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    // MARK: CSV (RFC 4180)

    @Test(arguments: [
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a\n\nb", [["a"], ["b"]]), ("", []), ("\n", []),
        ("\u{FEFF}a,\"b,c\"\n", [["a", "b,c"]]), ("\"x\"\"y\",\"\"\n", [["x\"y", ""]]), (",\n", [["", ""]]),
        ("\"a\nb\",c", [["a\nb", "c"]]), ("\"\"\n", [[""]]),
    ])
    func `CSV is read`(text: String, rows: [[String]]) throws {
        #expect(try CSVText.rows(text) == rows)
    }

    @Test(arguments: [("a\nb\"c", 2), ("\"a", 1), ("\"a\nb", 2), ("\"a\"b", 1)])
    func `CSV that is invalid names its line`(text: String, line: Int) {
        let error = #expect(throws: CSVError.self) { try CSVText.rows(text) }
        #expect(error?.line == line)
    }

    @Test func `CSV that is written is read again`() throws {
        let fields = ["plain", "", "a,b", "\"", "two\nlines", "\"quoted\"", "end\r"]
        #expect(try CSVText.rows(CSVText.line(fields)) == [fields])
    }

    // MARK: The plan

    private static let rows = (1...3).map { BatchRow(number: $0 + 10, bytes: [UInt8($0)]) }
    private static let tags: [[UInt8]] = (0..<5).map { [4, $0, 0, 0, 0, 0, 0] }

    @Test func `each tag gets the next row, once`() throws {
        var plan = BatchPlan(Self.rows)
        for (offset, row) in Self.rows.enumerated() {
            #expect(plan.verdict(on: Self.tags[offset]) == .usable)
            #expect(plan.row(for: Self.tags[offset], holding: nil) == row)
            plan.succeeded(row, on: Self.tags[offset])
            #expect(plan.verdict(on: Self.tags[offset]) == .written(number: row.number))
        }
        #expect(plan.isComplete && plan.next == nil && plan.row(for: Self.tags[4], holding: nil) == nil)
    }

    @Test func `a row that a tag may hold is kept for it`() {
        var plan = BatchPlan(Self.rows)
        plan.reserve(Self.rows[0], for: Self.tags[0])
        #expect(plan.row(for: Self.tags[1], holding: nil) == Self.rows[1])
        plan.succeeded(Self.rows[1], on: Self.tags[1])
        plan.succeeded(Self.rows[2], on: Self.tags[2])
        #expect(plan.row(for: Self.tags[3], holding: nil) == nil && !plan.isComplete)
        #expect(plan.reserved.map(\.tag) == [Self.tags[0]])
        #expect(plan.row(for: Self.tags[0], holding: nil) == Self.rows[0])
        plan.succeeded(Self.rows[0], on: Self.tags[0])
        #expect(plan.isComplete && plan.reserved.isEmpty)
    }

    @Test func `a tag that holds an open row keeps it`() {
        var plan = BatchPlan(Self.rows)
        #expect(plan.row(for: Self.tags[0], holding: [2]) == Self.rows[1])
        plan.succeeded(Self.rows[1], on: Self.tags[0])
        // The same content on another tag is a copy: it gets its own row.
        #expect(plan.row(for: Self.tags[1], holding: [2]) == Self.rows[0])
    }

    @Test func `tags without a fixed UID, and the original, get no row`() {
        let plan = BatchPlan(Self.rows, original: Self.tags[0])
        #expect(plan.verdict(on: []) == .notIdentifiable && plan.verdict(on: [8, 1, 2, 3]) == .notIdentifiable)
        #expect(plan.verdict(on: Self.tags[0]) == .original && plan.verdict(on: [4, 1, 2, 3]) == .usable)
    }

    /// Every order of what can happen to three tags, against the rules: no row on two tags, no tag with two rows.
    @Test func `no order of events gives a row to two tags`() {
        var seen = 0
        func explore(_ plan: BatchPlan, _ holders: [Int: Set<Int>], depth: Int) {
            seen += 1
            #expect(holders.values.allSatisfy { $0.count < 2 }, "\(holders)")
            guard depth > 0 else { return }
            for tag in 0..<3 {
                guard plan.verdict(on: Self.tags[tag]) == .usable,
                    let row = plan.row(for: Self.tags[tag], holding: nil)
                else { continue }
                for isSuccess in [true, false] {
                    var (next, holds) = (plan, holders)
                    // Also a tag that was removed too early may hold the row.
                    holds[row.number, default: []].insert(tag)
                    if isSuccess {
                        next.succeeded(row, on: Self.tags[tag])
                    } else {
                        next.reserve(row, for: Self.tags[tag])
                    }
                    explore(next, holds, depth: depth - 1)
                }
            }
        }
        explore(BatchPlan(Self.rows), [:], depth: 5)
        #expect(seen > 500)
    }
}
