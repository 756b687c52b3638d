import Testing

@testable import NDEF

@Suite("OpenPrintTag, shared vectors", .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing))
struct OpenPrintTagVectorTests {
    @Test func `there are rows of each kind`() {
        #expect(SpoolVectors.rows("openprinttag.image").count > 10)
        #expect(SpoolVectors.rows("openprinttag.section").count > 20)
        #expect(SpoolVectors.rows("openprinttag.payload").count > 3)
        #expect(SpoolVectors.rows("openprinttag.update").count > 20)
        #expect(SpoolVectors.rows("openprinttag.tear").count > 5)
    }

    @Test(arguments: SpoolVectors.rows("openprinttag.image"))
    func `a factory tag and what the reference tools make is read as they read it`(_ row: SpoolRow) throws {
        let (payload, offset) = try row.imagePayload()
        let (record, warnings) = try decoded(OpenPrintTagRecord.self, payload.hexadecimal)
        #expect(warnings == [])
        let json = try jsonValue(record)
        #expect(json["data"] == row.expect["data"])
        #expect(json["unknown_fields"] == row.expect["unknown_fields"])
        #expect(try json["regions"] == regions(of: row, payloadAt: offset))
        let missing = "Missing required field 'material_class'"
        #expect(record.faults.contains { $0.kind == .missing } == row.errors.contains(missing))
        #expect(record.faults.allSatisfy { $0.kind == .missing })
        try checkRoundTrips(record)
    }

    @Test(arguments: SpoolVectors.rows("openprinttag.payload"))
    func `regions are where meta says`(_ row: SpoolRow) throws {
        let record = try OpenPrintTagRecord(payload: row.givenBytes("payload"))
        guard row.expect["error"] == nil else { return }
        let json = try jsonValue(record)
        #expect(json["data"] == row.expect["data"])
        #expect(try json["regions"] == regions(of: row, payloadAt: 0))
        #expect(record.faults == [])
    }

    /// What the reference reader takes or refuses for other reasons than we do.
    private static let differing = [
        "opt-section-aux-negative", "opt-section-aux-text-weight", "opt-section-aux-bool", "opt-section-main-colour-2",
    ]

    @Test(arguments: SpoolVectors.rows("openprinttag.section"))
    func `a section is read as the reference reader reads it`(_ row: SpoolRow) throws {
        let section = try #require(OpenPrintTagSection(rawValue: String(row.kind.split(separator: ".")[2])))
        let region = OpenPrintTagRegion(section, offset: 0, bytes: try row.givenBytes("section"))
        if ["CBORDecodeEOF"].contains(row.expect["error"]?.string) {
            #expect(region.usedSize == nil)
            return
        }
        #expect(region.usedSize != nil)
        guard row.expect["error"] == nil, !Self.differing.contains(row.id) else { return }
        let record = try OpenPrintTagRecord(payload: region.inPayload)
        let json = try jsonValue(record)
        #expect(json["data"]?[section.rawValue] == row.expect["fields"])
        #expect(json["unknown_fields"]?[section.rawValue] == row.expect["unknown_fields"])
    }

    /// The regions that a row expects, without their places in the memory, which are checked here.
    private func regions(of row: SpoolRow, payloadAt offset: Int) throws -> VectorValue {
        guard case .object(let regions) = row.expect["regions"] else { return .null }
        for region in regions.values {
            guard case .number(let start)? = region["payload_offset"] else { continue }
            #expect(region["absolute_offset"] == .number(start + Double(offset)))
        }
        return VectorValue.object(regions).removing(Set(regions.keys.map { "\($0).absolute_offset" }))
    }
}

extension SpoolRow {
    /// The messages of the reference checker.
    fileprivate var errors: [String] {
        guard case .array(let errors)? = expect["errors"] else { return [] }
        return errors.compactMap(\.string)
    }
}

extension OpenPrintTagRegion {
    /// A payload with this section.
    var inPayload: [UInt8] {
        switch section {
        case .meta: bytes + [0xA0] + [UInt8](repeating: 0, count: 255)
        case .main: [0xA0] + bytes
        case .aux: [0xA2, 0x00, 0x05, 0x02, 0x06, 0xA0] + bytes
        }
    }
}
