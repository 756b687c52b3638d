import NDEF
import TestSupport
import Testing

@Suite("Bluetooth data in JSON")
struct BluetoothDataJSONTests {
    @Test(arguments: [
        ("04 0D 80 06 04", #""classOfDevice":"040680","kind""#),
        ("02 0A FC", #""txPowerLevel":-4"#),
        ("02 01 E1", #""flags":["leLimitedDiscoverable",5,6,7],"kind""#),
        ("02 01 1E", #"["leGeneralDiscoverable","brEDRNotSupported","simultaneousController","simultaneousHost"]"#),
        ("02 01 00", #""flags":[]"#),
        ("02 1C 02", #""leRole":"peripheralPreferred""#),
        ("02 1C 07", #""leRole":7"#),
        ("03 02 0B 11 05 03 0B 11 0E 11", #""incompleteServiceClassUUIDs":["110B"]"#),
        ("02 08 48 02 09 C3", #""other":[{"data":"C3","type":"09"}],"shortenedName":"H""#),
        // The order is told where it is not the usual one.
        ("02 09 41 02 0A 00", #""order":"090A","txPowerLevel""#),
        ("02 FF 01 02 0A 00", #""order":"FF0A""#),
        ("02 09 41 02 09 42 02 08 43", #""order":"090908""#),
    ])
    func `a field is written`(_ digits: String, _ part: String) throws {
        let pairing = try BluetoothLowEnergyRecord(payload: bytes(digits))
        let json = try decodedJSON(pairing)
        #expect(json.contains(part), "\(json)")
        try checkRoundTrips(pairing)
    }

    @Test(arguments: [
        ("02 0A 00 02 09 41", "the usual order"), ("02 09 41 02 09 42", "a second name"),
        ("02 09 FF 02 09 42", "a fault"),
    ])
    func `the usual order is not told`(_ digits: String, _ what: String) throws {
        let pairing = try BluetoothLowEnergyRecord(payload: bytes(digits))
        #expect(try !decodedJSON(pairing).contains("order"), "\(what)")
        try checkRoundTrips(pairing)
    }

    @Test(arguments: [
        (#""flags":["brEDRNotSupported",1]"#, "02 01 06"),
        (#""flags":[0,0,7]"#, "02 01 81"),
        (#""flags":[]"#, "02 01 00"),
        (#""leRole":1"#, "02 1C 01"),
        (#""leRole":200"#, "02 1C C8"),
        (#""leRole":null,"name":null,"flags":null"#, ""),
        (#""classOfDevice":"24040c""#, "04 0D 0C 04 24"),
        (
            #""serviceClassUUIDs":["0000110a-0000-1000-8000-00805f9b34fb","110b"]"#,
            "03 03 0B 11 11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 0A 11 00 00"
        ),
        (#""serviceClassUUIDs":[]"#, ""),
        (#""other":[{"type":"ff"},{"type":"16","data":"0102"}]"#, "01 FF 03 16 01 02"),
        (#""name":"A","other":[{"type":"FF"}],"order":"FF09""#, "01 FF 02 09 41"),
        (#""name":"A","other":[{"type":"09","data":"42"}],"order":"0909""#, "02 09 41 02 09 42"),
    ])
    func `fields make structures`(_ fields: String, _ payload: String) throws {
        let pairing: BluetoothLowEnergyRecord = try content(
            ofDecoded: #"{"kind":"bluetoothLowEnergy","# + fields + "}")
        #expect(try pairing.payload == bytes(payload))
    }

    @Test(arguments: [
        (#""classOfDevice":"0404""#, "classOfDevice"),
        (#""classOfDevice":1028"#, "classOfDevice"),
        (#""simplePairingHashC192":"00""#, "simplePairingHashC192"),
        (#""simplePairingRandomizerR192":"00""#, "simplePairingRandomizerR192"),
        (#""simplePairingHashC256":"00""#, "simplePairingHashC256"),
        (#""simplePairingRandomizerR256":"0""#, "simplePairingRandomizerR256"),
        (#""securityManagerTK":"00""#, "securityManagerTK"),
        (#""leSecureConnectionsConfirmation":"00""#, "leSecureConnectionsConfirmation"),
        (#""leSecureConnectionsRandom":"00""#, "leSecureConnectionsRandom"),
        (#""appearance":65536"#, "appearance"),
        (#""txPowerLevel":128"#, "txPowerLevel"),
        (#""flags":["fast"]"#, "flags.0"),
        (#""flags":[0,8]"#, "flags.1"),
        (#""flags":[0,256]"#, "flags.1"),
        (#""flags":6"#, "flags"),
        (#""serviceClassUUIDs":["110"]"#, "serviceClassUUIDs.0"),
        (#""incompleteServiceClassUUIDs":["110B",7]"#, "incompleteServiceClassUUIDs.1"),
        (#""other":[{"data":"00"}]"#, "other.0.type"),
        (#""other":[{"type":"0102"}]"#, "other.0.type"),
        (#""other":[{"type":1}]"#, "other.0.type"),
        (#""name":"A","order":"""#, "order"),
        (#""name":"A","order":"08""#, "order"),
        (#""name":"A","order":"0909""#, "order"),
        (#""name":"A","shortenedName":"B","order":"0909""#, "order"),
    ])
    func `an error names the field`(_ fields: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: #"{"kind":"bluetoothLowEnergy","# + fields + "}") == field)
    }

    @Test func `what is too long is named`() throws {
        let long = String(repeating: "a", count: 255)
        let start = #"{"kind":"bluetoothLowEnergy","#
        #expect(try rejectedField(ofDecoded: start + #""name":""# + long + #""}"#) == "name")
        #expect(try rejectedField(ofDecoded: start + #""shortenedName":""# + long + #""}"#) == "shortenedName")
        let list = [String](repeating: #""110B""#, count: 128).joined(separator: ",")
        #expect(try rejectedField(ofDecoded: start + #""serviceClassUUIDs":["# + list + "]}") == "serviceClassUUIDs")
        let data = String(repeating: "00", count: 255)
        #expect(
            try rejectedField(ofDecoded: start + #""other":[{"type":"FF","data":""# + data + #""}]}"#)
                == "other.0.data")
    }

    @Test(arguments: 800..<820 as Range<UInt64>)
    func `any list of structures survives`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let types: [UInt8] = [0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x0D, 0x0E, 0x10, 0x19, 0x1B, 0x1C, 0x22, 0xFF]
        for _ in 0..<50 {
            var structures: [BluetoothDataStructure] = []
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                let type = types.randomElement(using: &generator) ?? 0
                let length = [0, 1, 2, 3, 4, 7, 16].randomElement(using: &generator) ?? 0
                structures.append(try BluetoothDataStructure(type: type, data: generator.bytes(length...length)))
            }
            let data = try BluetoothData(structures: structures)
            try checkRoundTrips(BluetoothLowEnergyRecord(data: data))
            let address = try #require(BluetoothAddress(bytes: generator.bytes(6...6)))
            try checkRoundTrips(BluetoothEasyPairingRecord(address: address, data: data))
        }
    }
}
