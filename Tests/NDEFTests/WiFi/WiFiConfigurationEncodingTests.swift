import NDEF
import Testing

@Suite("Wi-Fi configuration records, written")
struct WiFiConfigurationEncodingTests {
    @Test func `a network is written in one call`() throws {
        let record = try NDEFRecord.wifi(ssid: "Home", key: "secret123", identifier: [0x30])
        #expect(record.typeNameFormat == .media)
        #expect(record.type == Array("application/vnd.wfa.wsc".utf8))
        #expect(record.identifier == [0x30])
        #expect(try record.payload == bytes(WiFiSamples.home))
        #expect(record.description == #"Wi-Fi "Home" (wpa2Personal)"#)
    }

    @Test func `an open network has an empty key`() throws {
        let open =
            "100E 0027 1026 0001 01 1045 0004 486F6D65 1003 0002 0001 100F 0002 0001 1027 0000 1020 0006 FFFFFFFFFFFF"
            + "1049 0006 00372A 00 01 20"
        #expect(try NDEFRecord.wifi(ssid: "Home").payload == bytes(open))
    }

    @Test func `all fields are written`() throws {
        let credential = try WiFiCredential(
            ssid: [0xFF], key: [1], authentication: .wpa3Personal, encryption: .aes, macAddress: [1, 2, 3, 4, 5, 6],
            networkIndex: 9, keyProvidedAutomatically: false, otherAttributes: [WiFiAttribute(type: 0x1062, data: [1])])
        let record = try WiFiConfigurationRecord(
            credentials: [credential],
            oobDevicePassword: WiFiDevicePassword(publicKeyHash: bytes(WiFiSamples.hash), passwordID: 7),
            version: .v1_0,
            version2: WiFiVersion(rawValue: 0x21), otherAttributes: [WiFiAttribute(type: 0x1047, data: [0xAA])])
        let expected =
            "104A 0001 10 100E 002F 1026 0001 09 1045 0001 FF 1003 0002 0040 100F 0002 0008 1027 0001 01"
            + "1020 0006 010203040506 1061 0001 00 1062 0001 01 102C 0016 \(WiFiSamples.hash) 0007 1049 0006 00372A 00 01 21"
            + "1047 0001 AA"
        #expect(try record.payload == bytes(expected))
        #expect(record.description == "Wi-Fi FF (wpa3Personal)")
        try checkRoundTrips(record)
    }

    @Test(
        arguments: [
            ("", "secret123", "WSC_SSID_LENGTH"),
            (String(repeating: "é", count: 17), nil, "WSC_SSID_LENGTH"),
            ("a", "", "WSC_PASSPHRASE_LENGTH"),
            ("a", "1234567", "WSC_PASSPHRASE_LENGTH"),
            ("a", String(repeating: "g", count: 64), "WSC_PASSPHRASE_LENGTH"),
            ("a", String(repeating: "0", count: 65), "WSC_PASSPHRASE_LENGTH"),
        ] as [(String, String?, String)])
    func `a network that cannot be is refused`(_ ssid: String, _ key: String?, _ code: String) throws {
        let error = try #require(throws: NDEFPayloadError.self) { try WiFiCredential(ssid: ssid, key: key) }
        #expect(error.code.rawValue == code)
    }

    @Test(arguments: ["12345678", String(repeating: "g", count: 63), String(repeating: "aF", count: 32)])
    func `a passphrase of 8 to 63 characters and a key of 64 digits are taken`(_ key: String) throws {
        #expect(try WiFiCredential(ssid: "a", key: key).keyText == key)
    }

    @Test func `fields that cannot be encoded are refused`() throws {
        func code(_ make: () throws(NDEFPayloadError) -> some Any) throws -> String {
            try #require(throws: NDEFPayloadError.self) { try make() }.code.rawValue
        }
        let bytes33 = [UInt8](repeating: 0x61, count: 33)
        #expect(try code { () throws(NDEFPayloadError) in try WiFiCredential(ssid: bytes33) } == "WSC_SSID_LENGTH")
        #expect(
            try code { () throws(NDEFPayloadError) in try WiFiCredential(ssid: [1], key: bytes33 + bytes33) }
                == "WSC_KEY_LENGTH")
        #expect(
            try code { () throws(NDEFPayloadError) in try WiFiCredential(ssid: [1], macAddress: [1]) }
                == "WSC_MAC_LENGTH")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try WiFiAttribute(type: 1, data: Array(repeating: 0, count: 65_536))
            } == "WSC_ATTR_TOO_LONG")
        let large = try WiFiAttribute(type: 1, data: Array(repeating: 0, count: 65_535))
        #expect(
            try code { () throws(NDEFPayloadError) in try WiFiCredential(ssid: [1], otherAttributes: [large]) }
                == "WSC_ATTR_TOO_LONG")
        #expect(
            try code { () throws(NDEFPayloadError) in try WiFiDevicePassword(publicKeyHash: [1], passwordID: 1) }
                == "WSC_PASSWORD_LENGTH")
        #expect(
            try code { () throws(NDEFPayloadError) in
                try WiFiDevicePassword(
                    publicKeyHash: Array(repeating: 0, count: 20), passwordID: 1, password: bytes33)
            } == "WSC_PASSWORD_LENGTH")
    }

    @Test func `an attribute that has a field is not one of the others`() throws {
        let version = try WiFiAttribute(type: 0x104A, data: [0x10])
        let name = try WiFiAttribute(type: 0x1045, data: [0x61])
        let provided = try WiFiAttribute(type: 0x1061, data: [1])
        let error = NDEFPayloadError.Code.wifiAttributeMisplaced
        let credential = try WiFiCredential(ssid: "a")
        #expect(throws: (any Error).self) {
            try WiFiConfigurationRecord(credentials: [credential], otherAttributes: [version])
        }
        let thrown = try #require(throws: NDEFPayloadError.self) {
            try WiFiConfigurationRecord(credentials: [], otherAttributes: [name])
        }
        #expect(thrown.code == error)
        #expect(throws: NDEFPayloadError.self) { try WiFiCredential(ssid: [1], otherAttributes: [provided]) }
        // Where the field is taken, it is a repetition.
        #expect(try WiFiCredential(ssid: [1], otherAttributes: [name]).otherAttributes == [name])
    }

    @Test(arguments: [
        ("\u{1B}[2J", #"Wi-Fi "\u{1B}[2J" (open)"#), ("a\"\n", #"Wi-Fi "a\"\u{A}" (open)"#),
    ])
    func `a name cannot drive the terminal`(_ ssid: String, _ line: String) throws {
        #expect(try NDEFRecord.wifi(ssid: ssid).description == line)
    }

    @Test func `the line shows all networks, and no key`() throws {
        let (record, _) = try decoded(
            WiFiConfigurationRecord.self, "100E 0005 1045 0001 61 100E 000B 1045 0001 62 1003 0002 0100")
        #expect(record.description == #"Wi-Fi "a", "b" (0100)"#)
        #expect(try decoded(WiFiConfigurationRecord.self, "").payload.description == "Wi-Fi")
    }
}
