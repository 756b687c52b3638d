import TestSupport
import Testing

@testable import NDEF

/// Data of these structures, and the codes of what was forgiven.
private func decode(_ digits: String) throws -> (BluetoothData, [String]) {
    var warnings: [NDEFWarning.Code] = []
    let data = try BluetoothData(decoding: bytes(digits)[...], warnings: &warnings)
    return (data, warnings.map(\.rawValue))
}

/// Sixteen hexadecimal pairs, one after the other.
private let sixteen = "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"

@Suite("Fields of Bluetooth data")
struct BluetoothDataFieldTests {
    @Test func `names are UTF-8`() throws {
        #expect(try decode("03 09 C3 A9").0.name == "é")
        #expect(try decode("02 08 48").0.shortenedName == "H")
        #expect(try decode("01 09").0.name == "")
        let both = try decode("02 08 48 03 09 48 69").0
        #expect(both.name == "Hi")
        #expect(both.shortenedName == "H")
        #expect(both.quotedName == "\"Hi\" ")
        #expect(try decode("02 08 48").0.quotedName == "\"H\" ")
        let invalid = try decode("02 09 C3")
        #expect(invalid.0.name == nil)
        #expect(try invalid.0.other == [BluetoothDataStructure(type: 9, data: [0xC3])])
        #expect(invalid.1 == ["EIR_MALFORMED"])
    }

    @Test func `numbers have the least significant byte first`() throws {
        #expect(try decode("04 0D 80 06 04").0.classOfDevice == 0x040680)
        #expect(try decode("03 19 C1 03").0.appearance == 0x03C1)
        #expect(try decode("02 0A FC").0.txPowerLevel == -4)
        #expect(try decode("02 01 1F").0.flags?.rawValue == 0x1F)
    }

    @Test(arguments: [
        ("03 02 0B 11", false, ["110B"]),
        ("05 03 0B 11 0E 11", true, ["110B", "110E"]),
        ("05 04 78 56 34 12", false, ["12345678"]),
        ("05 05 78 56 34 12", true, ["12345678"]),
        ("11 06 \(sixteen)", false, ["FFEEDDCC-BBAA-9988-7766-554433221100"]),
        ("11 07 \(sixteen)", true, ["FFEEDDCC-BBAA-9988-7766-554433221100"]),
    ])
    func `service classes have 16, 32 or 128 bits`(_ digits: String, _ isComplete: Bool, _ uuids: [String]) throws {
        let (data, warnings) = try decode(digits)
        #expect(data.serviceClassUUIDs.map(\.description) == (isComplete ? uuids : []))
        #expect(data.incompleteServiceClassUUIDs.map(\.description) == (isComplete ? [] : uuids))
        #expect(warnings.isEmpty)
        #expect(data.other.isEmpty)
    }

    @Test func `keys and hashes are kept unchanged`() throws {
        let properties: [(String, (BluetoothData) -> [UInt8]?)] = [
            ("0E", { $0.simplePairingHashC192 }), ("0F", { $0.simplePairingRandomizerR192 }),
            ("1D", { $0.simplePairingHashC256 }), ("1E", { $0.simplePairingRandomizerR256 }),
            ("10", { $0.securityManagerTK }), ("22", { $0.leSecureConnectionsConfirmation }),
            ("23", { $0.leSecureConnectionsRandom }),
        ]
        for (type, property) in properties {
            #expect(try property(decode("11 \(type) \(sixteen)").0) == bytes(sixteen))
            let (short, warnings) = try decode("10 \(type) \(sixteen.dropLast(3))")
            #expect(property(short) == nil)
            #expect(short.other.count == 1)
            #expect(warnings == ["EIR_MALFORMED"])
        }
    }

    @Test(arguments: [
        ("00", BluetoothLERole.peripheralOnly), ("01", .centralOnly), ("02", .peripheralPreferred),
        ("03", .centralPreferred), ("04", BluetoothLERole(rawValue: 4)), ("FF", BluetoothLERole(rawValue: 255)),
    ])
    func `a role is a number`(_ digits: String, _ role: BluetoothLERole) throws {
        #expect(try decode("02 1C \(digits)").0.leRole == role)
    }

    @Test func `a Low Energy address is public or random`() throws {
        let address = try #require(BluetoothAddress("06:05:04:03:02:01"))
        #expect(try decode("08 1B 01 02 03 04 05 06 00").0.leAddress == BluetoothLEAddress(address))
        #expect(try decode("08 1B 01 02 03 04 05 06 01").0.leAddress == BluetoothLEAddress(address, isRandom: true))
    }

    @Test(arguments: [
        "03 0D 01 02", "05 0D 01 02 03 04", "02 19 01", "01 1C", "03 1C 00 00", "07 1B 01 02 03 04 05 06",
        "08 1B 01 02 03 04 05 06 80", "01 1B", "02 03 01", "04 05 01 02 03", "02 07 01", "03 0A 01 02",
    ])
    func `a structure without the format of its type is kept with a warning`(_ digits: String) throws {
        let (data, warnings) = try decode(digits)
        #expect(data.other == data.structures)
        #expect(warnings == ["EIR_MALFORMED"])
    }

    @Test(arguments: [
        "01 01", "03 01 06 00", "01 03", "01 02", "01 07", "01 FF", "03 16 00 00", "09 10 01 02 03 04 05 06 07 08",
    ])
    func `what has no field but is not a fault is kept`(_ digits: String) throws {
        let (data, warnings) = try decode(digits)
        #expect(data.other == data.structures)
        #expect(warnings.isEmpty)
    }

    @Test func `the first of two structures of a type counts`() throws {
        let (data, warnings) = try decode("02 09 41 02 09 42 02 FF 01 02 FF 02")
        #expect(data.name == "A")
        #expect(data.other.map(\.data) == [[0x42], [1], [2]])
        #expect(warnings == ["EIR_REPEATED"])
        let (malformed, codes) = try decode("02 09 FF 02 09 42")
        #expect(malformed.name == nil)
        #expect(codes == ["EIR_MALFORMED", "EIR_REPEATED"])
    }

    @Test(arguments: [
        ("02 0A 01 00", 1, ["EIR_PADDING"]), ("00", 0, ["EIR_PADDING"]), ("00 00 00", 0, ["EIR_PADDING"]),
        ("02 0A 01 00 02 0A 01", 1, ["EIR_DATA_AFTER_END"]), ("00 00 01", 0, ["EIR_DATA_AFTER_END"]),
        ("02 0A 01", 1, []), ("", 0, []),
    ])
    func `a length of 0 ends the list`(_ digits: String, _ count: Int, _ codes: [String]) throws {
        let (data, warnings) = try decode(digits)
        #expect(data.structures.count == count)
        #expect(warnings == codes)
    }
}

@Suite("Making Bluetooth data")
struct BluetoothDataBuildingTests {
    @Test func `fields are written in one order, whatever they are`() throws {
        let key = try bytes(sixteen)
        let address = try #require(BluetoothAddress("06:05:04:03:02:01"))
        let uuids = try ["110B", "12345678", "FFEEDDCC-BBAA-9988-7766-554433221100"].map {
            try #require(BluetoothUUID($0))
        }
        let data = try BluetoothData(
            name: "N", shortenedName: "S", classOfDevice: 0x010203, serviceClassUUIDs: uuids.reversed(),
            incompleteServiceClassUUIDs: uuids, simplePairingHashC192: key, simplePairingRandomizerR192: key,
            simplePairingHashC256: key, simplePairingRandomizerR256: key, leAddress: BluetoothLEAddress(address),
            leRole: .centralPreferred, securityManagerTK: key, leSecureConnectionsConfirmation: key,
            leSecureConnectionsRandom: key, appearance: 0x0102, flags: .leLimitedDiscoverable, txPowerLevel: -1,
            other: [BluetoothDataStructure(type: 0xFF, data: [9])])
        let expected =
            "04 0D 03 02 01 11 0E \(sixteen) 11 0F \(sixteen) 11 1D \(sixteen) 11 1E \(sixteen) "
            + "08 1B 01 02 03 04 05 06 00 02 1C 03 11 10 \(sixteen) 11 22 \(sixteen) 11 23 \(sixteen) 03 19 02 01 "
            + "02 01 01 02 0A FF 03 03 0B 11 03 02 0B 11 05 05 78 56 34 12 05 04 78 56 34 12 "
            + "11 07 \(sixteen) 11 06 \(sixteen) 02 09 4E 02 08 53 02 FF 09"
        #expect(try data.bytes == bytes(expected))
        #expect(data.structures == data.canonicalStructures)
        #expect(data.serviceClassUUIDs == uuids)
        try checkRoundTrips(BluetoothLowEnergyRecord(data: data))
    }

    @Test func `a value that does not fit is refused`() throws {
        let makers: [() throws -> BluetoothData] = [
            { try BluetoothData(classOfDevice: 0x1000000) },
            { try BluetoothData(simplePairingHashC192: [1]) },
            { try BluetoothData(simplePairingRandomizerR192: []) },
            { try BluetoothData(simplePairingHashC256: [UInt8](repeating: 0, count: 17)) },
            { try BluetoothData(simplePairingRandomizerR256: [1]) },
            { try BluetoothData(securityManagerTK: [1]) },
            { try BluetoothData(leSecureConnectionsConfirmation: [1]) },
            { try BluetoothData(leSecureConnectionsRandom: [1]) },
        ]
        for make in makers {
            #expect(try #require(throws: NDEFPayloadError.self) { try make() }.code.rawValue == "EIR_VALUE")
        }
    }

    @Test func `a structure holds 254 bytes of data`() throws {
        let uuid = try #require(BluetoothUUID("110B"))
        let name = String(repeating: "a", count: 254)
        let data = try BluetoothData(name: name, serviceClassUUIDs: [BluetoothUUID](repeating: uuid, count: 127))
        try checkRoundTrips(BluetoothLowEnergyRecord(data: data))
        let makers: [() throws -> Void] = [
            { _ = try BluetoothData(name: name + "a") },
            { _ = try BluetoothData(serviceClassUUIDs: [BluetoothUUID](repeating: uuid, count: 128)) },
            { _ = try BluetoothDataStructure(type: 1, data: [UInt8](repeating: 0, count: 255)) },
        ]
        for make in makers {
            #expect(try #require(throws: NDEFPayloadError.self) { try make() }.code.rawValue == "EIR_TOO_LONG")
        }
    }

    @Test func `all structures hold 65,527 bytes`() throws {
        let structure = try BluetoothDataStructure(type: 0xFF, data: [UInt8](repeating: 0, count: 254))
        let last = try BluetoothDataStructure(type: 0xFF, data: [UInt8](repeating: 0, count: 245))
        let most = [BluetoothDataStructure](repeating: structure, count: 255) + [last]
        #expect(try BluetoothData(structures: most).bytes.count == 65_527)
        let error = try #require(throws: NDEFPayloadError.self) {
            try BluetoothData(structures: most + [BluetoothDataStructure(type: 1, data: [])])
        }
        #expect(
            error.description == "EIR_TOO_LONG: the structures take 65529 bytes, more than the 65527 that there can be")
    }
}

@Suite("Bluetooth addresses and UUIDs")
struct BluetoothValueTests {
    @Test func `an address is read in either case and written in upper case`() throws {
        let address = try #require(BluetoothAddress("01:bF:88:80:07:0a"))
        #expect(address.bytes == [0x01, 0xBF, 0x88, 0x80, 0x07, 0x0A])
        #expect(address.description == "01:BF:88:80:07:0A")
        #expect(BluetoothAddress(bytes: [1, 2, 3, 4, 5]) == nil)
    }

    @Test(arguments: [
        "", "01", "01:02:03:04:05", "01:02:03:04:05:06:07", "01-02-03-04-05-06", "1:2:3:4:5:6", "01:02:03:04:05:0G",
        "01:02:03:04:05:06:", ":01:02:03:04:05:06", "001:2:03:04:05:06", "01:02:03:04:05:é",
    ])
    func `other texts are not addresses`(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func `a UUID is read in either case and written in upper case`() throws {
        #expect(BluetoothUUID("110b")?.bytes == [0x11, 0x0B])
        #expect(BluetoothUUID("0000110b")?.description == "0000110B")
        let long = "0000110A-0000-1000-8000-00805F9B34FB"
        #expect(BluetoothUUID(long.lowercased())?.description == long)
        #expect(BluetoothUUID(bytes: [1]) == nil)
    }

    @Test(arguments: [
        "", "110", "110B0", "0x110B", "110G", "0000110A00001000800000805F9B34FB", "0000110A-0000-1000-8000-00805F9B34F",
        "0000110A-00001-000-8000-00805F9B34FB", "110B-",
    ])
    func `other texts are not UUIDs`(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}

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
        // The order is written where it is not the usual one.
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
    func `the usual order is not written`(_ digits: String, _ what: String) throws {
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
