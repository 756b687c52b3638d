import NDEF
import Testing

enum WiFiSamples {
    /// A credential for "Home" with the passphrase "secret123", and the extension for version 2.0.
    static let home =
        "100E 0030 1026 0001 01 1045 0004 486F6D65 1003 0002 0020 100F 0002 0008 1027 0009 736563726574313233"
        + "1020 0006 FFFFFFFFFFFF 1049 0006 00372A 00 01 20"
    /// A hash of a public key.
    static let hash = "000102030405060708090A0B0C0D0E0F10111213"
}

@Suite("Wi-Fi configuration records, read")
struct WiFiConfigurationDecodingTests {
    @Test func `a credential is decoded with all fields`() throws {
        let (record, warnings) = try decoded(
            WiFiConfigurationRecord.self,
            "104A 0001 10 100E 003E 1026 0001 01 1045 0004 486F6D65 1003 0002 0022 100F 0002 000C 1027 0003 6B6579"
                + "1020 0006 C4F081830A14 1061 0001 01 1049 0006 00372A 02 01 01 1062 0001 00 1049 0006 00372A 00 01 21"
        )
        let credential = try #require(record.credentials.first)
        #expect(record.credentials.count == 1)
        #expect(credential.networkIndex == 1)
        #expect(credential.ssid == [0x48, 0x6F, 0x6D, 0x65])
        #expect(credential.ssidText == "Home")
        #expect(credential.authentication == .wpaWPA2Personal)
        #expect(credential.encryption == .aesTKIP)
        #expect(credential.keyText == "key")
        #expect(credential.macAddress == [0xC4, 0xF0, 0x81, 0x83, 0x0A, 0x14])
        #expect(credential.keyProvidedAutomatically == true)
        #expect(
            try credential.otherAttributes == [
                WiFiAttribute(type: 0x1049, data: bytes("00372A 02 01 01")), WiFiAttribute(type: 0x1062, data: [0]),
            ])
        #expect(record.version == .v1_0)
        #expect(record.version2?.description == "2.1")
        #expect(record.oobDevicePassword == nil)
        #expect(record.otherAttributes.isEmpty)
        #expect(warnings.isEmpty)
        try checkRoundTrips(record)
    }

    @Test func `several credentials are decoded, each with what it has`() throws {
        let (record, warnings) = try decoded(
            WiFiConfigurationRecord.self,
            "100E 000A 1026 0001 02 1045 0001 61 100E 0010 1045 0001 62 1003 0002 8001 1027 0001 FF")
        #expect(warnings.isEmpty)
        #expect(record.credentials.map(\.ssidText) == ["a", "b"])
        #expect(record.credentials.map(\.networkIndex) == [2, nil])
        #expect(record.credentials.map(\.authentication) == [nil, WiFiAuthentication(rawValue: 0x8001)])
        #expect(record.credentials.map(\.encryption) == [nil, nil])
        #expect(record.credentials.map(\.macAddress) == [nil, nil])
        #expect(record.credentials.map(\.key) == [[], [0xFF]])
        #expect(record.credentials.last?.keyText == nil)
        try checkRoundTrips(record)
    }

    @Test func `a password token is decoded`() throws {
        let (record, warnings) = try decoded(
            WiFiConfigurationRecord.self,
            "102C 0026 \(WiFiSamples.hash) 0010 A0A1A2A3A4A5A6A7A8A9AAABACADAEAF 1045 0001 61 1049 0009 00372A 01 01 07 00 01 20"
                + "1047 0002 0102")
        let password = try #require(record.oobDevicePassword)
        #expect(password.publicKeyHash == (0..<20).map { UInt8($0) })
        #expect(password.passwordID == 0x10)
        #expect(try password.password == bytes("A0A1A2A3A4A5A6A7A8A9AAABACADAEAF"))
        #expect(record.credentials.isEmpty)
        #expect(record.version2 == .v2_0)
        // The name belongs to the token, and what else the extension holds remains.
        #expect(
            try record.otherAttributes == [
                WiFiAttribute(type: 0x1045, data: [0x61]), WiFiAttribute(type: 0x1049, data: bytes("00372A 01 01 07")),
                WiFiAttribute(type: 0x1047, data: [1, 2]),
            ])
        #expect(warnings.isEmpty)
        #expect(record.description == "Wi-Fi device password 16")
        try checkRoundTrips(record)
    }

    @Test(arguments: [
        // Not wrapped in a credential.
        ("1045 0001 61 1003 0002 0001", ["WSC_UNWRAPPED"]),
        // The length of the row in front.
        ("000D 100E 0005 1045 0001 61 1046 0000", ["WSC_LENGTH_PREFIX"]),
        ("0005 1045 0001 61", ["WSC_LENGTH_PREFIX", "WSC_UNWRAPPED"]),
        // Twice the same attribute.
        ("100E 000A 1045 0001 61 1045 0001 62", ["WSC_ATTR_REPEATED"]),
        ("100E 0005 1045 0001 61 104A 0001 10 104A 0001 11", ["WSC_ATTR_REPEATED"]),
        // Fields of a wrong length or value.
        ("100E 000B 1045 0001 61 1026 0002 0001", ["WSC_ATTR_FORM"]),
        ("100E 000A 1045 0001 61 1003 0001 20", ["WSC_ATTR_FORM"]),
        ("100E 000A 1045 0001 61 100F 0001 08", ["WSC_ATTR_FORM"]),
        ("100E 000A 1045 0001 61 1020 0001 FF", ["WSC_ATTR_FORM"]),
        ("100E 000A 1045 0001 61 1061 0001 02", ["WSC_ATTR_FORM"]),
        ("100E 0005 1045 0001 61 104A 0000", ["WSC_ATTR_FORM"]),
        ("100E 0005 1045 0001 61 1049 0006 00372A 00 02 20", ["WSC_ATTR_FORM"]),
        ("102C 0015 \(WiFiSamples.hash) 00", ["WSC_ATTR_FORM", "WSC_NO_CREDENTIAL"]),
        ("100E 0000", ["WSC_SSID_MISSING"]),
        ("", ["WSC_NO_CREDENTIAL"]),
        ("104A 0001 10", ["WSC_NO_CREDENTIAL"]),
    ])
    func `an oddity is forgiven with a warning`(_ payload: String, _ codes: [String]) throws {
        let (record, warnings) = try decoded(WiFiConfigurationRecord.self, payload)
        #expect(warnings == codes)
        try checkRoundTrips(record)
    }

    @Test func `what is alone becomes one credential, and is written as one`() throws {
        let (record, _) = try decoded(
            WiFiConfigurationRecord.self, "104A 0001 10 1045 0001 61 1003 0002 0022 1099 0000 1027 0001 62 1045 0001 63"
        )
        #expect(record.credentials.count == 1)
        #expect(record.credentials.first?.authentication == .wpaWPA2Personal)
        #expect(try record.otherAttributes == [WiFiAttribute(type: 0x1099, data: [])])
        #expect(
            try record.payload
                == bytes(
                    "104A 0001 10 100E 0015 1045 0001 61 1003 0002 0022 1027 0001 62 1045 0001 63 1099 0000"))
    }

    @Test func `nothing that is known is taken from beside a credential`() throws {
        let (record, warnings) = try decoded(
            WiFiConfigurationRecord.self, "100E 0005 1045 0001 61 1045 0001 62 1027 0001 63")
        #expect(record.credentials.map(\.ssidText) == ["a"])
        #expect(record.otherAttributes.map(\.type) == [0x1045, 0x1027])
        #expect(warnings.isEmpty)
        try checkRoundTrips(record)
    }

    @Test(
        arguments: [
            ("1049 0006 00372A 00 01 20", "2.0", []),
            // Other elements, before and behind; another vendor's extension in front; a second version.
            ("1049 000B 00372A 01 01 FF 00 01 20 02 00", "2.0", ["00372A0101FF0200"]),
            ("1049 0006 00372B 00 01 20 1049 0006 00372A 00 01 11", "1.1", ["00372B000120"]),
            ("1049 0009 00372A 00 01 20 00 01 21", "2.0", ["00372A000121"]),
            ("1049 0007 00372A 00 02 20 20", nil, ["00372A00022020"]),
            ("1049 0003 00372A", nil, ["00372A"]),
            ("1049 0001 00", nil, ["00"]),
        ] as [(String, String?, [String])])
    func `the version from 2.0 on is in an extension`(
        _ attributes: String, _ version: String?, _ others: [String]
    ) throws {
        let (record, _) = try decoded(WiFiConfigurationRecord.self, "100E 0005 1045 0001 61" + attributes)
        #expect(record.version2?.description == version)
        #expect(record.otherAttributes.map(\.data.hexadecimal) == others)
        try checkRoundTrips(record)
    }

    @Test(arguments: [
        ("10", "WSC_TRUNCATED_ATTR"),
        ("10 0E 00", "WSC_TRUNCATED_ATTR"),
        ("1045 0001 61 1003", "WSC_TRUNCATED_ATTR"),
        ("100E 0003 1045 00", "WSC_TRUNCATED_ATTR"),
        ("1045 0002 61", "WSC_ATTR_OVERRUN"),
        ("100E 0006 1045 0001 61", "WSC_ATTR_OVERRUN"),
        ("100E 0005 1045 0002 61", "WSC_ATTR_OVERRUN"),
        ("1045 FFFF", "WSC_ATTR_OVERRUN"),
        // The length in front does not fit, or what follows is not a row.
        ("0004 1045 0001 61", "WSC_ATTR_OVERRUN"),
        ("0005 1045 0002 61", "WSC_ATTR_OVERRUN"),
        ("100E 0025 1045 0021" + String(repeating: "61", count: 33), "WSC_SSID_LENGTH"),
        ("1045 0021" + String(repeating: "61", count: 33), "WSC_SSID_LENGTH"),
        ("100E 004A 1045 0001 61 1027 0041" + String(repeating: "61", count: 65), "WSC_KEY_LENGTH"),
        // Name and key, both empty, have to be added, and there is no room.
        ("100E FFFF 1099 FFFB" + String(repeating: "00", count: 0xFFFB), "WSC_ATTR_TOO_LONG"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        let input = try bytes(payload)
        let error = try #require(throws: NDEFPayloadError.self) { try WiFiConfigurationRecord(payload: input) }
        #expect(error.code.rawValue == code)
    }

    @Test func `an error names the place and the length`() throws {
        let input = try bytes("1045 0009 61")
        let error = try #require(throws: NDEFPayloadError.self) { try WiFiConfigurationRecord(payload: input) }
        #expect(error.message == "attribute 1045 of 9 bytes runs past the end (1 byte left)")
    }

    @Test(
        arguments: [
            WiFiSamples.home, "104A 0001 10" + WiFiSamples.home + WiFiSamples.home, "003E" + WiFiSamples.home,
            "102C 0017 \(WiFiSamples.hash) 0007 61 1049 0009 00372A 000120 010101",
        ])
    func `no payload stops the program`(_ sample: String) throws {
        try checkDamage(WiFiConfigurationRecord.self, bytes(sample))
    }

    @Test func `many attributes take little time`() throws {
        let attribute = try bytes("1049 0000")
        let row = Array(repeating: attribute, count: 200_000).flatMap { $0 }
        #expect(try WiFiConfigurationRecord(payload: row).otherAttributes.count == 200_000)
    }
}

@Suite("Wi-Fi configuration records in JSON")
struct WiFiConfigurationJSONTests {
    @Test func `a network is written with readable names`() throws {
        #expect(
            try decodedJSON(decoded(WiFiConfigurationRecord.self, WiFiSamples.home).payload)
                == #"{"credentials":[{"authentication":"wpa2Personal","encryption":"aes","key":"secret123","#
                + #""macAddress":"FFFFFFFFFFFF","networkIndex":1,"ssid":"Home"}],"kind":"wifi","version2":"2.0"}"#)
    }

    @Test func `what the tag does not say is null`() throws {
        let payload =
            "100E 0019 1045 0001 FF 1003 0002 0100 1027 0001 80 1061 0001 01 1049 0000 104A 0001 10 1001 0001 2A"
        #expect(
            try decodedJSON(decoded(WiFiConfigurationRecord.self, payload).payload)
                == #"{"credentials":[{"authentication":256,"encryption":null,"keyBytes":"80","#
                + #""keyProvidedAutomatically":true,"macAddress":null,"networkIndex":null,"#
                + #""otherAttributes":[{"data":"","type":"1049"}],"ssidBytes":"FF"}],"kind":"wifi","#
                + #""otherAttributes":[{"data":"2A","type":"1001"}],"version":"1.0","version2":null}"#)
    }

    @Test func `a device password is written`() throws {
        #expect(
            try decodedJSON(decoded(WiFiConfigurationRecord.self, "102C 0018 \(WiFiSamples.hash) 0010 A0A1").payload)
                == #"{"credentials":[],"kind":"wifi","oobDevicePassword":{"password":"A0A1","passwordID":16,"#
                + #""publicKeyHash":"\#(WiFiSamples.hash)"},"version2":null}"#)
    }

    @Test(arguments: [
        (#"{"kind":"wifi","credentials":[{"ssid":"Home","key":"secret123"}]}"#, WiFiSamples.home),
        (
            #"{"kind":"wifi","credentials":[{"ssid":"Home","key":"secret123","authentication":32,"encryption":8}]}"#,
            WiFiSamples.home
        ),
        (
            #"{"kind":"wifi","credentials":[{"ssidBytes":"486f6d65","keyBytes":"736563726574313233"}],"version2":"2.0"}"#,
            WiFiSamples.home
        ),
        (
            #"{"kind":"wifi","credentials":[{"ssid":"a","key":null,"authentication":null,"encryption":null,"macAddress":null,"#
                + #""networkIndex":null}],"version2":null}"#,
            "100E 0009 1045 0001 61 1027 0000"
        ),
        (#"{"kind":"wifi","version2":null}"#, ""),
        (
            #"{"kind":"wifi","version2":"1.15","oobDevicePassword":{"publicKeyHash":"\#(WiFiSamples.hash)","passwordID":7}}"#,
            "102C 0016 \(WiFiSamples.hash) 0007 1049 0006 00372A 00 01 1F"
        ),
    ])
    func `fields make a payload, and what is missing is as usual`(_ json: String, _ payload: String) throws {
        #expect(try record(ofDecoded: json).payload == bytes(payload))
    }

    @Test(arguments: [
        (#"{"kind":"wifi","credentials":[{}]}"#, "credentials.0.ssid"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","ssidBytes":"61"}]}"#, "credentials.0.ssidBytes"),
        (#"{"kind":"wifi","credentials":[{"ssid":"123456789012345678901234567890123"}]}"#, "credentials.0.ssid"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","key":"short"}]}"#, "credentials.0.key"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","authentication":"wep"}]}"#, "credentials.0.authentication"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","authentication":65536}]}"#, "credentials.0.authentication"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","encryption":"AES"}]}"#, "credentials.0.encryption"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","macAddress":"01"}]}"#, "credentials.0.macAddress"),
        (#"{"kind":"wifi","credentials":[{"ssid":"a","networkIndex":"1"}]}"#, "credentials.0.networkIndex"),
        (
            #"{"kind":"wifi","credentials":[{"ssid":"a","otherAttributes":[{"type":"1061","data":"01"}]}]}"#,
            "credentials.0.otherAttributes"
        ),
        (#"{"kind":"wifi","otherAttributes":[{"type":"10","data":"01"}]}"#, "otherAttributes.0.type"),
        (#"{"kind":"wifi","otherAttributes":[{"type":"104A","data":"01"}]}"#, "otherAttributes"),
        (#"{"kind":"wifi","version2":"2"}"#, "version2"),
        (#"{"kind":"wifi","version":"2.16"}"#, "version"),
        (
            #"{"kind":"wifi","oobDevicePassword":{"publicKeyHash":"00","passwordID":7}}"#,
            "oobDevicePassword.publicKeyHash"
        ),
    ])
    func `an error names the field`(_ json: String, _ path: String) throws {
        #expect(try rejectedField(ofDecoded: json) == path)
    }

    @Test(
        arguments: [
            ("open", 0x0001), ("wpaPersonal", 0x0002), ("shared", 0x0004), ("wpaEnterprise", 0x0008),
            ("wpa2Enterprise", 0x0010), ("wpaWPA2Enterprise", 0x0018), ("wpa2Personal", 0x0020),
            ("wpaWPA2Personal", 0x0022), ("wpa3Personal", 0x0040), ("wpa2WPA3Personal", 0x0060),
        ] as [(String, UInt16)])
    func `authentication has names`(_ name: String, _ value: UInt16) throws {
        let json = #"{"kind":"wifi","credentials":[{"ssid":"a","authentication":"\#(name)"}]}"#
        guard case .wifi(let wifi) = try record(ofDecoded: json).decoded else { throw UnexpectedForm() }
        #expect(wifi.credentials.first?.authentication?.rawValue == value)
        #expect(try decodedJSON(wifi).contains(#""authentication":"\#(name)""#))
    }

    @Test(
        arguments: [("none", 0x0001), ("wep", 0x0002), ("tkip", 0x0004), ("aes", 0x0008), ("aesTKIP", 0x000C)]
            as [(String, UInt16)])
    func `encryption has names`(_ name: String, _ value: UInt16) throws {
        let json = #"{"kind":"wifi","credentials":[{"ssid":"a","encryption":"\#(name)"}]}"#
        guard case .wifi(let wifi) = try record(ofDecoded: json).decoded else { throw UnexpectedForm() }
        #expect(wifi.credentials.first?.encryption?.rawValue == value)
        #expect(try decodedJSON(wifi).contains(#""encryption":"\#(name)""#))
    }
}

private struct UnexpectedForm: Error {}
