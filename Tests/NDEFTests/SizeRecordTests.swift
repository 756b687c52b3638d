import NDEF
import Testing

@Suite("Size records")
struct SizeRecordTests {
    @Test(
        arguments: [
            ("00 00 00 00", 0), ("00 00 27 10", 10_000), ("01 02 03 04", 16_909_060), ("FF FF FF FF", .max),
        ] as [(String, UInt32)])
    func `four bytes are a size`(_ payload: String, _ size: UInt32) throws {
        let (record, warnings) = try decoded(SizeRecord.self, payload)
        #expect(record == SizeRecord(size))
        #expect(warnings.isEmpty)
        #expect(record.description == "Size \(size)")
        #expect(try decodedJSON(record) == #"{"kind":"size","size":\#(size)}"#)
        #expect(try SizeRecord(size).payload == bytes(payload))
        try checkRoundTrips(record)
    }

    @Test(arguments: ["", "00", "00 00 00", "00 00 00 00 00"])
    func `another length is refused`(_ payload: String) throws {
        #expect(try payloadErrorCode(SizeRecord.self, payload) == "SIZE_LENGTH")
    }

    @Test(arguments: [
        #"{"kind":"size"}"#, #"{"kind":"size","size":-1}"#, #"{"kind":"size","size":4294967296}"#,
        #"{"kind":"size","size":1.5}"#, #"{"kind":"size","size":"1"}"#,
    ])
    func `an error names the field`(_ json: String) throws {
        #expect(try rejectedField(ofDecoded: json) == "size")
    }
}
