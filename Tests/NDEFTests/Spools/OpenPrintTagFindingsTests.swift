import Foundation
import Testing

@testable import NDEF

@Suite("OpenPrintTag, findings")
struct OpenPrintTagFindingsTests {
    /// A record with these fields of main, and an aux region of 16 bytes.
    private static func record(_ fields: [String: String]) throws -> OpenPrintTagRecord {
        let layout = try OpenPrintTagLayout(size: 304, auxSize: 16)
        return try fields.reduce(layout.record) { record, field in
            let known = try #require(OpenPrintTagSection.main.field(named: field.key))
            return try record.changing(.main, [field.key: .set(#require(known.value(ofText: field.value)))])
        }
    }

    private static func findings(_ record: OpenPrintTagRecord) -> OpenPrintTagFindings {
        // No hash is needed: the UUIDs are not compared here.
        OpenPrintTagFindings(record, uuids: OpenPrintTagUUIDs(of: record, tagIdentifier: nil) { $0 })
    }

    /// Fields in the order in which they may not fall.
    private static let ascending = [
        ["nominal_netto_full_weight", "actual_netto_full_weight"], ["nominal_full_length", "actual_full_length"],
        ["preheat_temperature", "min_print_temperature"], ["preheat_temperature", "max_print_temperature"],
        ["min_print_temperature", "max_print_temperature"], ["min_bed_temperature", "max_bed_temperature"],
        ["min_chamber_temperature", "chamber_temperature"], ["min_chamber_temperature", "max_chamber_temperature"],
        ["chamber_temperature", "max_chamber_temperature"], ["container_hole_diameter", "container_inner_diameter"],
        ["container_hole_diameter", "container_outer_diameter"],
        ["container_inner_diameter", "container_outer_diameter"],
    ]

    @Test(arguments: ascending) func `a field above one that it may not be above is an error`(names: [String]) throws {
        let required = ["material_class": "FFF"]
        for (one, other, isError) in [("10", "9", true), ("10", "10", false), ("9", "10", false)] {
            let fields = required.merging([names[0]: one, names[1]: other]) { $1 }
            let found = try Self.findings(Self.record(fields))
            #expect(found.errors == (isError ? ["\(names[0]), 10, is above \(names[1]), 9"] : []))
        }
    }

    @Test func `a required field that is missing is an error, and recommended ones are a warning`() throws {
        let found = try Self.findings(Self.record([:]))
        #expect(found.errors == ["material_class is missing"])
        #expect(found.warnings.contains { $0.contains("gtin") && $0.contains("material_name") })
        #expect(found.notes == [])
    }

    @Test func `what is missing is among the warnings, and known as such`() throws {
        let found = try Self.findings(
            Self.record(["material_class": "FFF", "brand_name": "x", "tags": "contains_carbon_fiber"]))
        #expect(found.missingFields.contains("gtin") && !found.missingFields.contains("brand_name"))
        #expect(found.omissions.count == 2)
        #expect(found.warnings.filter(found.omissions.contains) == found.omissions)
        #expect(found.warnings.contains("the tag contains_carbon_fiber implies contains_carbon"))
        #expect(!found.omissions.contains("the tag contains_carbon_fiber implies contains_carbon"))
        let rest = try found.without(Self.findings(Self.record(["material_class": "FFF", "gtin": "1"])))
        #expect(rest.missingFields == ["gtin"])
        let form = try JSONSerialization.jsonObject(with: JSONEncoder().encode(found)) as? [String: Any]
        #expect(form?.keys.sorted() == ["errors", "notes", "warnings"])
    }

    @Test(
        arguments: [
            ("contains_carbon_fiber", ["the tag contains_carbon_fiber implies contains_carbon"], []),
            ("contains_carbon_fiber,contains_carbon", [], []), ("31,30", [], []),
            ("contains_metal", [], ["with the tag contains_metal, consider abrasive"]), ("9429", [], []),
            ("matte", [], []),
        ] as [(String, [String], [String])])
    func `tags imply others, and suggest some`(tags: String, warnings: [String], notes: [String]) throws {
        let found = try Self.findings(Self.record(["material_class": "FFF", "tags": tags]))
        #expect(found.warnings.filter { $0.hasPrefix("the tag") } == warnings)
        #expect(found.notes == notes)
    }

    @Test func `a small aux region, none, and unknown fields are warnings`() throws {
        func warnings(_ digits: String) throws -> [String] {
            let record = try OpenPrintTagRecord(payload: bytes(digits))
            return Self.findings(record).warnings
        }
        #expect(try warnings("A0 BF 08 00 FF").contains { $0.contains("no aux section") })
        #expect(try warnings("A1 02 07 BF 08 00 FF A0 00").contains { $0.contains("2 bytes only") })
        #expect(try warnings("A0 BF 08 00 19FFFF 01 FF").contains { $0.contains("does not have") })
    }

    @Test func `only what a change brings is left`() throws {
        let old = try Self.findings(Self.record(["min_bed_temperature": "10", "max_bed_temperature": "9"]))
        let fields = ["min_bed_temperature": "10", "max_bed_temperature": "9", "preheat_temperature": "3"]
        let new = try Self.findings(Self.record(fields.merging(["min_print_temperature": "2"]) { $1 }))
        #expect(new.without(old).errors == ["preheat_temperature, 3, is above min_print_temperature, 2"])
    }

    @Test(
        arguments: [(868, "https://example.com/s/1"), (868, nil), (4096, nil), (600, nil), (308, nil)]
            as [(Int, String?)])
    func `no layout has a region above 512 bytes`(capacity: Int, uri: String?) throws {
        for auxSize in [16, 32, 64, 500] where auxSize + 80 < capacity {
            let layout = try OpenPrintTagLayout(capacity: capacity, auxSize: auxSize, uri: uri)
            for region in layout.record.regions { #expect(region.bytes.count <= 512, "\(region.section)") }
            #expect(layout.message.encodedLength <= capacity)
        }
    }
}
