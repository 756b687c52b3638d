import NDEF
import Testing

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
