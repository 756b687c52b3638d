import Testing

@testable import NDEF

@Suite("Numbers of Spoolman in a text")
struct SpoolmanNumbersTests {
    @Test(
        arguments: [
            ("SPOOL:3", 3, nil), ("FILAMENT:2", nil, 2), ("SPOOL:3\nFILAMENT:2", 3, 2),
            ("FILAMENT:2\r\nSPOOL:3\r\n", 3, 2),
            ("hello\nSPOOL:42", 42, nil), ("SPOOL:0", 0, nil), ("SPOOL:999999999", 999_999_999, nil),
            // Another form of a line counts as none.
            ("SPOOL: 3\nFILAMENT:2", nil, 2), ("SPOOL:x\nFILAMENT:2", nil, 2), ("SPOOL:\nFILAMENT:2", nil, 2),
        ] as [(String, Int?, Int?)])
    func `lines name a spool and a filament`(_ text: String, _ spool: Int?, _ filament: Int?) throws {
        let record = try TextRecord(text)
        let numbers = try #require(record.spoolman)
        #expect(numbers.spool == spool)
        #expect(numbers.filament == filament)
        try checkRoundTrips(record)
    }

    @Test(arguments: [
        "", "hello", "spool:3", " SPOOL:3", "SPOOL:-3", "SPOOL:3.5", "SPOOL:1234567890", "SPOOL:３", "MY SPOOL:3",
        "SPOOL:3" + String(repeating: "\n", count: 300),
    ])
    func `other texts name none`(_ text: String) throws {
        #expect(try TextRecord(text).spoolman == nil)
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("nfc2klipper.message"))
    func `the shared vectors are read as nfc2klipper reads them`(_ row: SpoolRow) throws {
        let record = try #require(NDEFMessage(decoding: row.givenBytes("message")).records.first)
        guard case .text(let text) = record.decoded else { throw NotText() }
        // That reader takes more than digits.
        #expect(text.spoolman?.spool == row.expect["spool"]?.string.flatMap { Int($0) })
        #expect(text.spoolman?.filament == row.expect["filament"]?.string.flatMap { Int($0) })
    }

    private struct NotText: Error {}
}
