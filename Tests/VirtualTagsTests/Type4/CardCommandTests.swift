import Testing

@testable import VirtualTags

/// The seven cases of a command APDU, as a card takes them apart.
@Suite struct CardCommandTests {
    static let rows: [(bytes: String, data: String, expected: Int?)] = [
        ("00A40400", "", nil), ("00B0000000", "", 256), ("00B000000F", "", 15),
        ("00D6000002ABCD", "ABCD", nil), ("00A4000C02E10300", "E103", 256), ("00A4000C02E1037F", "E103", 127),
        ("00B00000000400", "", 1024), ("00B00000000000", "", 65_536), ("00D60000000002ABCD", "ABCD", nil),
        ("00D60000000002ABCD0000", "ABCD", 65_536), ("00D60000000001AB0100", "AB", 256),
    ]

    @Test(arguments: rows) func `a command has data and an expected length`(
        bytes: String, data: String, expected: Int?
    ) throws {
        let command = try #require(CardCommand(hex(bytes)))
        #expect(hex(command.data) == data)
        #expect(command.expected == expected)
    }

    @Test(arguments: [
        "", "00", "00A404", "00D6000002AB", "00D6000002ABCD0000", "00D60000000002AB", "00B000000004",
        "00D6000000000000",
        "00D60000000001ABCD", "00D600000000000102",
    ]) func `contradicting lengths are no command`(bytes: String) {
        #expect(CardCommand(hex(bytes)) == nil)
    }
}
