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

    @Test func `keys and hashes are kept as they are`() throws {
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
    func `a structure that is not of the form of its type is kept with a warning`(_ digits: String) throws {
        let (data, warnings) = try decode(digits)
        #expect(data.other == data.structures)
        #expect(warnings == ["EIR_MALFORMED"])
    }

    @Test(arguments: [
        "01 01", "03 01 06 00", "01 03", "01 02", "01 07", "01 FF", "03 16 00 00", "09 10 01 02 03 04 05 06 07 08",
    ])
    func `what has no field but is no fault is kept`(_ digits: String) throws {
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
    func `other texts are no addresses`(_ text: String) {
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
    func `other texts are no UUIDs`(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}
