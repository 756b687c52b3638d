import NDEF
import Testing

/// Elements of device information.
private enum Part {
    static let vendor = "00 04 53 6F 6E 79"
    static let model = "01 07 52 43 2D 53 33 38 30"
    static let name = "02 04 44 6F 6F 72"
    static let uuid = "03 10 63 61 AE 18 D5 B0 11 EA 9D 08 40 A3 CC FD 09 57"
    static let firmware = "04 05 31 2E 30 2E 30"
    static let own = "FF 02 CA FE"
    static let both = vendor + model
    static let all = both + name + uuid + firmware + own
}

private func full() throws -> DeviceInformationRecord {
    try DeviceInformationRecord(
        vendorName: "Sony", modelName: "RC-S380", uniqueName: "Door", uuid: bytes("6361AE18D5B011EA9D0840A3CCFD0957"),
        firmwareVersion: "1.0.0", other: [.init(type: 0xFF, data: [0xCA, 0xFE])])
}

@Suite("Device information records")
struct DeviceInformationRecordTests {
    @Test func `every field is decoded`() throws {
        let (device, warnings) = try decoded(DeviceInformationRecord.self, Part.all)
        #expect(device.vendorName == "Sony")
        #expect(device.modelName == "RC-S380")
        #expect(device.uniqueName == "Door")
        #expect(try device.uuid == bytes("6361AE18D5B011EA9D0840A3CCFD0957"))
        #expect(device.uuidString == "6361ae18-d5b0-11ea-9d08-40a3ccfd0957")
        #expect(device.firmwareVersion == "1.0.0")
        #expect(device.other == [.init(type: 0xFF, data: [0xCA, 0xFE])])
        #expect(warnings.isEmpty)
        #expect(try device == full())
    }

    @Test func `only vendor and model are needed, in any order`() throws {
        let (device, warnings) = try decoded(DeviceInformationRecord.self, "\(Part.model) \(Part.vendor)")
        #expect(try device == DeviceInformationRecord(vendorName: "Sony", modelName: "RC-S380"))
        #expect(device.uniqueName == nil && device.uuid == nil && device.uuidString == nil)
        #expect(device.firmwareVersion == nil && device.other.isEmpty && warnings.isEmpty)
        #expect(try device.payload == bytes(Part.both))
    }

    @Test(arguments: [
        ("\(Part.both) 00 01 58", ["DI_REPEATED"], 1),
        // Of repeated elements the first counts, whatever the second says.
        ("\(Part.both) \(Part.uuid) 03 01 00 03 00", ["DI_REPEATED", "DI_REPEATED"], 2),
        ("\(Part.both) \(Part.name) 02 01 FF", ["DI_REPEATED"], 1),
        ("00 00 \(Part.model)", ["DI_NAME_EMPTY"], 0),
        ("01 00 00 00", ["DI_NAME_EMPTY"], 0),
        ("\(Part.both) 02 00 04 00", [], 0),
        // Elements of unknown types are kept, repeated or not.
        ("\(Part.both) 05 00 FE 01 00 05 00 FF 00", [], 4),
    ])
    func `an oddity is forgiven`(_ payload: String, _ codes: [String], _ otherCount: Int) throws {
        let (device, warnings) = try decoded(DeviceInformationRecord.self, payload)
        #expect(warnings == codes)
        #expect(device.other.count == otherCount)
        try checkRoundTrips(device)
    }

    @Test(arguments: [
        ("", "DI_MANDATORY_MISSING"),
        (Part.vendor, "DI_MANDATORY_MISSING"),
        ("\(Part.model) \(Part.uuid)", "DI_MANDATORY_MISSING"),
        ("00", "DI_SHORT"),
        ("00 01", "DI_SHORT"),
        ("\(Part.both) FF", "DI_SHORT"),
        ("\(Part.both) FF 01", "DI_SHORT"),
        ("\(Part.both) FF FF 00", "DI_SHORT"),
        ("00 01 FF \(Part.model)", "DI_NOT_UTF8"),
        ("\(Part.vendor) 01 01 C3", "DI_NOT_UTF8"),
        ("\(Part.both) 02 01 80", "DI_NOT_UTF8"),
        ("\(Part.both) 04 02 C0 80", "DI_NOT_UTF8"),
        ("\(Part.both) 03 00", "DI_UUID_LEN"),
        ("\(Part.both) 03 0F 000102030405060708090A0B0C0D0E", "DI_UUID_LEN"),
        ("\(Part.both) 03 11 000102030405060708090A0B0C0D0E0F10", "DI_UUID_LEN"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(DeviceInformationRecord.self, payload) == code)
    }

    @Test func `damage never stops the program, and what is read survives`() throws {
        try checkDamage(DeviceInformationRecord.self, Part.all)
    }

    @Test func `the fields are written in the order of their types`() throws {
        #expect(try full().payload == bytes(Part.all))
        let shuffled = "\(Part.own) \(Part.firmware) \(Part.uuid) \(Part.name) \(Part.model) \(Part.vendor)"
        #expect(try decoded(DeviceInformationRecord.self, shuffled).payload.payload == bytes(Part.all))
        try checkRoundTrips(full())
    }

    @Test func `a value takes at most 255 bytes`() throws {
        let longest = String(repeating: "é", count: 127) + "x"
        try checkRoundTrips(DeviceInformationRecord(vendorName: longest, modelName: longest, uniqueName: longest))
        let long = longest + "x"
        #expect(try refusalCode { try DeviceInformationRecord(vendorName: long, modelName: "") } == "DI_TOO_LONG")
        #expect(try refusalCode { try DeviceInformationRecord(vendorName: "", modelName: long) } == "DI_TOO_LONG")
        #expect(try refusal(uniqueName: long) == "DI_TOO_LONG")
        #expect(try refusal(firmwareVersion: long) == "DI_TOO_LONG")
        #expect(try refusal(other: [.init(type: 7, data: [UInt8](repeating: 0, count: 256))]) == "DI_TOO_LONG")
    }

    @Test func `what cannot be written is refused`() throws {
        #expect(try refusal(uuid: []) == "DI_UUID_LEN")
        #expect(try refusal(uuid: [UInt8](repeating: 0, count: 17)) == "DI_UUID_LEN")
        #expect(try refusal(other: [.init(type: 2, data: [])]) == "DI_OTHER")
        #expect(
            try refusal(uniqueName: "x", other: [.init(type: 2, data: []), .init(type: 3, data: [])]) == "DI_OTHER")
        // What repeats a field is not a danger to it.
        try checkRoundTrips(
            DeviceInformationRecord(vendorName: "a", modelName: "b", other: [.init(type: 0, data: [0xFF])]))
    }

    private func refusal(
        uniqueName: String? = nil, uuid: [UInt8]? = nil, firmwareVersion: String? = nil,
        other: [DeviceInformationRecord.Element] = []
    ) throws -> String {
        try refusalCode {
            try DeviceInformationRecord(
                vendorName: "a", modelName: "b", uniqueName: uniqueName, uuid: uuid, firmwareVersion: firmwareVersion,
                other: other)
        }
    }

    @Test func `the description has everything on one line`() throws {
        #expect(
            try full().description
                == "Device \"Sony\" \"RC-S380\", name \"Door\", UUID 6361ae18-d5b0-11ea-9d08-40a3ccfd0957, "
                + "firmware \"1.0.0\", 1 other element")
        #expect(try DeviceInformationRecord(vendorName: "a", modelName: "b").description == "Device \"a\" \"b\"")
    }

    @Test func `hostile text is escaped`() throws {
        let device = try DeviceInformationRecord(
            vendorName: "a\n", modelName: "\u{1B}[2J", uniqueName: "\u{202E}", firmwareVersion: "\"")
        #expect(
            device.description == #"Device "a\u{A}" "\u{1B}[2J", name "\u{202E}", firmware "\"""#)
    }
}

@Suite("Device information records in JSON")
struct DeviceInformationJSONTests {
    @Test func `every field is written`() throws {
        #expect(
            try decodedJSON(full())
                == #"{"firmwareVersion":"1.0.0","kind":"deviceInformation","modelName":"RC-S380","#
                + #""other":[{"data":"CAFE","type":255}],"uniqueName":"Door","#
                + #""uuid":"6361ae18-d5b0-11ea-9d08-40a3ccfd0957","vendorName":"Sony"}"#)
        #expect(
            try decodedJSON(DeviceInformationRecord(vendorName: "a", modelName: "b"))
                == #"{"kind":"deviceInformation","modelName":"b","vendorName":"a"}"#)
    }

    @Test(arguments: [
        (#"{"kind":"deviceInformation","vendorName":"Sony","modelName":"RC-S380"}"#, Part.both),
        (#"{"kind":"deviceInformation","vendorName":"Sony","modelName":"RC-S380","uuid":null,"other":[]}"#, Part.both),
        (
            #"{"kind":"deviceInformation","vendorName":"Sony","modelName":"RC-S380","#
                + #""uuid":"6361AE18D5B011EA9D0840A3CCFD0957"}"#, "\(Part.both) \(Part.uuid)"
        ),
        (
            #"{"kind":"deviceInformation","vendorName":"Sony","modelName":"RC-S380","other":[{"type":9}]}"#,
            "\(Part.both) 09 00"
        ),
    ])
    func `an object is read`(_ json: String, _ payload: String) throws {
        #expect(try record(ofDecoded: json).payload == bytes(payload))
    }

    @Test(arguments: [
        (#""modelName":"b""#, "vendorName"),
        (#""vendorName":"a""#, "modelName"),
        (#""vendorName":"a","modelName":1"#, "modelName"),
        (#""vendorName":"a","modelName":"b","uuid":"63-61""#, "uuid"),
        (#""vendorName":"a","modelName":"b","uuid":"6361ae18-d5b0-11ea-9d08-40a3ccfd095g""#, "uuid"),
        (#""vendorName":"a","modelName":"b","other":[{"data":"00"}]"#, "other.0.type"),
        (#""vendorName":"a","modelName":"b","other":[{"type":256}]"#, "other.0.type"),
        (#""vendorName":"a","modelName":"b","other":[{"type":9,"data":"x"}]"#, "other.0.data"),
        (#""vendorName":"a","modelName":"b","other":[{"type":4,"data":"00"}]"#, "other"),
    ])
    func `an error names the field`(_ fields: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: #"{"kind":"deviceInformation",\#(fields)}"#) == field)
    }

    @Test(arguments: ["vendorName", "modelName", "uniqueName", "firmwareVersion"])
    func `a text that is too long is named`(_ field: String) throws {
        var fields = ["vendorName": "a", "modelName": "b"]
        fields[field] = String(repeating: "x", count: 256)
        let json = fields.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
        #expect(try rejectedField(ofDecoded: #"{"kind":"deviceInformation",\#(json)}"#) == field)
    }
}
