import Foundation
import NDEFProperties
import Testing

@testable import NDEF

@Suite("OpenPrintTag, changes in JSON and in words")
struct OpenPrintTagUpdateTests {
    private static func update(_ json: String) throws -> OpenPrintTagUpdate {
        try JSONDecoder().decode(OpenPrintTagUpdate.self, from: Data(json.utf8))
    }

    /// Meta, main of 60 bytes and aux of 40.
    private static func record() throws -> OpenPrintTagRecord {
        try OpenPrintTagRecord(
            payload: bytes("A1021840 A0") + [UInt8](repeating: 0, count: 59) + [0xA0] + [UInt8](repeating: 0, count: 39)
        )
    }

    @Test func `the JSON form of a record's fields makes them again`() throws {
        let sample = try #require(Seeds.payloads("openPrintTag")?.max { $0.count < $1.count })
        let full = try OpenPrintTagRecord(payload: sample)
        let update = try JSONDecoder().decode(OpenPrintTagUpdate.self, from: JSONEncoder().encode(full))
        #expect(update.changes[.main]?.count == 58)
        #expect(update.changes[.aux]?.count == 8)
        var blank = sample
        for region in [full.main, full.aux].compactMap({ $0 }) { blank[region.offset] = 0xA0 }
        let again = try OpenPrintTagRecord(payload: blank).applying(update)
        #expect(try jsonValue(again)["unknown_fields"] == jsonValue(full)["unknown_fields"])
        for section in [OpenPrintTagSection.main, .aux] {
            for field in section.fields {
                #expect(again.region(section)?[field.name] == full.region(section)?[field.name], "\(field.name)")
            }
        }
    }

    @Test func `fields are set and removed`() throws {
        let json =
            #"{"data":{"main":{"material_class":"FFF","tags":["glitter",999],"primary_color":null},"aux":{"consumed_weight":12.5}}}"#
        let record = try Self.record().applying(Self.update(json))
        #expect(record.main?.fields.map(\.field.name) == ["material_class", "primary_color", "tags"])
        #expect(record.main?["tags"] == .value(.items([23, 999])))
        #expect(record.main?["primary_color"] == .value(.noColor))
        #expect(record.aux?["consumed_weight"] == .value(.number(12.5)))
        let without = try record.applying(
            Self.update(#"{"remove":{"main":["tags"],"aux":["consumed_weight"]},"regions":{}}"#))
        #expect(without.main?.fields.map(\.field.name) == ["material_class", "primary_color"])
        #expect(without.aux?.fields.isEmpty == true)
    }

    @Test(arguments: [
        (#"{"data":{"main":{"materialclass":"FFF"}}}"#, "data.main.materialclass"),
        (#"{"data":{"main":{"material_class":"fff"}}}"#, "data.main.material_class"),
        (#"{"data":{"main":{"material_class":-1}}}"#, "data.main.material_class"),
        (#"{"data":{"main":{"density":"1.24"}}}"#, "data.main.density"),
        (#"{"data":{"main":{"density":null}}}"#, "data.main.density"),
        (#"{"data":{"main":{"primary_color":"3d3e3d"}}}"#, "data.main.primary_color"),
        (#"{"data":{"main":{"container_width":1.5}}}"#, "data.main.container_width"),
        (#"{"data":{"main":{"instance_uuid":"00"}}}"#, "data.main.instance_uuid"),
        (#"{"data":{"main":{"tags":"glitter"}}}"#, "data.main.tags"),
        (#"{"data":{"main":{"primary_color_lab":[1,2]}}}"#, "data.main.primary_color_lab"),
        (#"{"data":{"aux":{"consumed_weight":-1}}}"#, "data.aux.consumed_weight"),
        (#"{"data":{"aux":{"workgroup":"ninechars"}}}"#, "data.aux.workgroup"),
        (#"{"data":{"auxiliary":{}}}"#, "data.auxiliary"),
        (#"{"remove":{"x":[]}}"#, "remove"),
        (#"{"unknown_fields":{"main":{"08":"01"}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"main":{"1808":"01"}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"main":{"1841":"0101"}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"main":{"1841":"ff"}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"main":{"1841":""}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"main":{"18":"01"}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"main":{"x":"01"}}}"#, "unknown_fields"),
        (#"{"unknown_fields":{"x":{}}}"#, "unknown_fields"),
    ])
    func `an error names the field`(_ json: String, _ path: String) throws {
        let error = #expect(throws: DecodingError.self) { try Self.update(json) }
        let keys: [any CodingKey] =
            switch error {
            case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
                context.codingPath
            default: []
            }
        #expect(keys.map(\.stringValue).joined(separator: ".") == path)
    }

    @Test func `fields that the specification does not have are set, too`() throws {
        let json = #"{"data":{"aux":{"consumed_weight":5}},"unknown_fields":{"aux":{"19ff78":"6176","6161":"a0"}}}"#
        let record = try Self.record().applying(Self.update(json))
        #expect(record.payload.dropFirst(64).prefix(13) == (try bytes("BF 00 05 6161 A0 19FF78 6176 FF 00"))[...])
        let again = try record.applying(Self.update(#"{"unknown_fields":{"aux":{"6161":"01"},"meta":{"09":"01"}}}"#))
        #expect(again.payload.dropFirst(64).prefix(13) == (try bytes("BF 00 05 6161 01 19FF78 6176 FF 00"))[...])
    }

    @Test func `a file without changes changes nothing`() throws {
        for json in ["{}", #"{"data":{"meta":{"aux_region_offset":1},"main":{}},"unknown_fields":{"main":{}}}"#] {
            #expect(try Self.record().applying(Self.update(json)) == Self.record())
        }
    }

    @Test func `a field that does not exist cannot be removed`() throws {
        let update = try Self.update(#"{"remove":{"aux":["wokrgroup"]}}"#)
        #expect(try refusalCode { try Self.record().applying(update) } == "OPT_NO_FIELD")
    }

    @Test(
        arguments: [
            (OpenPrintTagSection.aux, "consumed_weight", "12.5", OpenPrintTagValue.number(12.5)),
            (.aux, "consumed_weight", "-1", nil), (.aux, "consumed_weight", "nan", nil),
            (.aux, "consumed_weight", "", nil),
            (.aux, "consumed_weight", "12,5", nil),
            (.aux, "workgroup", "home", .text("home")), (.aux, "workgroup", "", .text("")),
            (.aux, "workgroup", "ninechars", nil),
            (.aux, "purchase_time", "1739371290", .integer(1_739_371_290)), (.aux, "purchase_time", "-1", nil),
            (.main, "min_print_temperature", "-5", .integer(-5)), (.main, "min_print_temperature", "5.5", nil),
            (.main, "material_type", "PETG", .item(1)), (.main, "material_type", "999", .item(999)),
            (.main, "material_type", "petg", nil),
            (.main, "tags", "glitter,71", .items([23, 71])), (.main, "tags", "", .items([])),
            (.main, "tags", "glitter,", nil),
            (.main, "primary_color", "#3d3E3d", .color([0x3D, 0x3E, 0x3D])), (.main, "primary_color", "none", .noColor),
            (.main, "primary_color", "3d3e3d", nil), (.main, "primary_color", "#3d3e", nil),
            (.main, "primary_color_lab", "50,11.3,-3", .lab([50, 11.3, -3])),
            (.main, "primary_color_lab", "50,11.3", nil),
            (.main, "brand_uuid", "00010203-0405-0607-0809-0A0B0C0D0E0F", .uuid(Array(0...15))),
            (.main, "brand_uuid", "00", nil),
        ] as [(OpenPrintTagSection, String, String, OpenPrintTagValue?)])
    func `a value is read from words`(
        _ section: OpenPrintTagSection, _ field: String, _ text: String, _ value: OpenPrintTagValue?
    ) throws {
        #expect(try #require(section.field(named: field)).value(ofText: text) == value)
    }
}
