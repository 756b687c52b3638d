import NDEF
import Testing

@Suite("Bluetooth easy pairing records")
struct BluetoothEasyPairingRecordTests {
    // Length 26, address 06:05:04:03:02:01, class 240404, UUIDs 110B and 110E, name "Hi!".
    private static let full = "1A 00 01 02 03 04 05 06 04 0D 04 04 24 05 03 0B 11 0E 11 04 09 48 69 21 01 FF"

    @Test func `all fields are decoded`() throws {
        let (pairing, warnings) = try decoded(BluetoothEasyPairingRecord.self, Self.full)
        #expect(pairing.address.description == "06:05:04:03:02:01")
        #expect(pairing.data.classOfDevice == 0x240404)
        #expect(pairing.data.serviceClassUUIDs.map(\.description) == ["110B", "110E"])
        #expect(pairing.data.name == "Hi!")
        #expect(try pairing.data.other == [BluetoothDataStructure(type: 0xFF, data: [])])
        #expect(warnings.isEmpty)
        #expect(pairing.description == "Bluetooth \"Hi!\" 06:05:04:03:02:01")
    }

    @Test(arguments: [
        ("08 00 01 02 03 04 05 06", 0, []),
        ("0A 00 01 02 03 04 05 06 00 00", 0, ["EIR_PADDING"]),
        ("0D 00 01 02 03 04 05 06 02 0A 05 00 00", 1, ["EIR_PADDING"]),
        ("0B 00 01 02 03 04 05 06 00 01 09", 0, ["EIR_DATA_AFTER_END"]),
        ("0C 00 01 02 03 04 05 06 03 0D 01 02", 1, ["EIR_MALFORMED"]),
        // The device identification of BR/EDR shares its type with a key of Low Energy.
        ("12 00 01 02 03 04 05 06 09 10 01 02 03 04 05 06 07 08", 1, []),
    ])
    func `what is odd is forgiven`(_ payload: String, _ count: Int, _ codes: [String]) throws {
        let (pairing, warnings) = try decoded(BluetoothEasyPairingRecord.self, payload)
        #expect(pairing.data.structures.count == count)
        #expect(warnings == codes)
        try checkRoundTrips(pairing)
    }

    @Test(arguments: [
        ("", "BTEP_SHORT"),
        ("08", "BTEP_SHORT"),
        ("07 00 01 02 03 04 05", "BTEP_SHORT"),
        ("00 00 01 02 03 04 05 06", "BTEP_OOB_LENGTH"),
        ("07 00 01 02 03 04 05 06", "BTEP_OOB_LENGTH"),
        ("09 00 01 02 03 04 05 06", "BTEP_OOB_LENGTH"),
        ("08 01 01 02 03 04 05 06", "BTEP_OOB_LENGTH"),
        ("00 08 01 02 03 04 05 06", "BTEP_OOB_LENGTH"),
        ("08 00 01 02 03 04 05 06 00", "BTEP_OOB_LENGTH"),
        ("09 00 01 02 03 04 05 06 01", "EIR_OVERRUN"),
        ("0B 00 01 02 03 04 05 06 03 09 61", "EIR_OVERRUN"),
        ("0B 00 01 02 03 04 05 06 01 09 01", "EIR_OVERRUN"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(BluetoothEasyPairingRecord.self, payload) == code)
    }

    @Test(arguments: [
        ("07", "the pairing data has 1 byte, but length and address take 8"),
        ("09 00 01 02 03 04 05 06", "the pairing data says it has 9 bytes, but has 8"),
        (
            "0B 00 01 02 03 04 05 06 05 09 61",
            "structure of 5 bytes runs past the end of the payload (2 bytes left)"
        ),
    ])
    func `the error says what is missing`(_ payload: String, _ message: String) throws {
        let input = try bytes(payload)
        let error = try #require(throws: NDEFPayloadError.self) { try BluetoothEasyPairingRecord(payload: input) }
        #expect(error.message == message)
    }

    @Test func `pairing data is encoded`() throws {
        let pairing = try BluetoothEasyPairingRecord(
            address: #require(BluetoothAddress("06:05:04:03:02:01")),
            data: BluetoothData(
                name: "Hi!", classOfDevice: 0x240404,
                serviceClassUUIDs: [#require(BluetoothUUID("110B")), #require(BluetoothUUID("110e"))],
                other: [BluetoothDataStructure(type: 0xFF, data: [])]))
        #expect(try pairing.payload == bytes(Self.full))
        let record = NDEFRecord(pairing, identifier: [0x30])
        #expect(record.typeNameFormat == .media)
        #expect(record.type == Array("application/vnd.bluetooth.ep.oob".utf8))
        #expect(record.decoded == .bluetoothEasyPairing(pairing))
    }

    @Test func `an address alone is enough`() throws {
        let address = try #require(BluetoothAddress(bytes: [1, 2, 3, 4, 5, 6]))
        let pairing = BluetoothEasyPairingRecord(address: address)
        #expect(try pairing.payload == bytes("08 00 06 05 04 03 02 01"))
        #expect(pairing.description == "Bluetooth 01:02:03:04:05:06")
    }

    @Test func `the length has 16 bits`() throws {
        let address = try #require(BluetoothAddress(bytes: [1, 2, 3, 4, 5, 6]))
        let long = try BluetoothDataStructure(type: 0xFF, data: [UInt8](repeating: 7, count: 254))
        let filler = try BluetoothDataStructure(type: 0xFF, data: [UInt8](repeating: 7, count: 245))
        let structures = [BluetoothDataStructure](repeating: long, count: 255)
        let largest = try BluetoothEasyPairingRecord(
            address: address, data: BluetoothData(structures: structures + [filler]))
        #expect(largest.payload.count == 65_535)
        #expect(largest.payload.prefix(2) == [0xFF, 0xFF])
        try checkRoundTrips(largest)
        let error = try #require(throws: NDEFPayloadError.self) {
            try BluetoothData(structures: structures + [filler, BluetoothDataStructure(type: 0xFF, data: [])])
        }
        #expect(error.code.rawValue == "EIR_TOO_LONG")
    }

    @Test func `a name cannot drive the terminal`() throws {
        let pairing = try BluetoothEasyPairingRecord(payload: bytes("0D 00 01 02 03 04 05 06 04 08 1B 22 0A"))
        #expect(pairing.description == #"Bluetooth "\u{1B}\"\u{A}" 06:05:04:03:02:01"#)
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(BluetoothEasyPairingRecord(payload: bytes(Self.full)))
                == #"{"address":"06:05:04:03:02:01","classOfDevice":"240404","kind":"bluetoothEasyPairing","name":"Hi!","#
                + #""other":[{"data":"","type":"FF"}],"serviceClassUUIDs":["110B","110E"]}"#)
        let plain: BluetoothEasyPairingRecord = try content(
            ofDecoded: #"{"kind":"bluetoothEasyPairing","address":"0a:0b:0c:0d:0e:0f"}"#)
        #expect(try plain.payload == bytes("08 00 0F 0E 0D 0C 0B 0A"))
    }

    @Test(arguments: [
        (#"{"kind":"bluetoothEasyPairing"}"#, "address"),
        (#"{"kind":"bluetoothEasyPairing","address":"01:02:03:04:05"}"#, "address"),
        (#"{"kind":"bluetoothEasyPairing","address":"010203040506"}"#, "address"),
        (#"{"kind":"bluetoothEasyPairing","address":"01:02:03:04:05:06","name":7}"#, "name"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `data that is too long is refused in JSON`() throws {
        let structure = #"{"type":"FF","data":""# + String(repeating: "00", count: 254) + #""}"#
        let shorter = [String](repeating: structure, count: 255).joined(separator: ",") + #",{"type":"FF","data":""#
        let start = #"{"kind":"bluetoothEasyPairing","address":"01:02:03:04:05:06","other":["# + shorter
        let fits = start + String(repeating: "00", count: 245) + #""}]}"#
        let pairing: BluetoothEasyPairingRecord = try content(ofDecoded: fits)
        #expect(pairing.payload.count == 65_535)
        #expect(try rejectedField(ofDecoded: start + String(repeating: "00", count: 246) + #""}]}"#) == "other")
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(BluetoothEasyPairingRecord.self, Self.full)
        try checkRandomPayloads(
            BluetoothEasyPairingRecord.self, startingWith: "14 00 01 02 03 04 05 06", seed: 8)
    }
}
