import NDEF
import Testing

@Suite("Bluetooth Low Energy records")
struct BluetoothLowEnergyRecordTests {
    // Random address C6:05:04:03:02:01, peripheral only, key, appearance 0340, flags 06, name "Hi!".
    private static let full =
        "08 1B 01 02 03 04 05 C6 01 02 1C 00 11 10 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F "
        + "03 19 40 03 02 01 06 04 09 48 69 21"

    @Test func `all fields are decoded`() throws {
        let (pairing, warnings) = try decoded(BluetoothLowEnergyRecord.self, Self.full)
        #expect(pairing.data.leAddress?.address.description == "C6:05:04:03:02:01")
        #expect(pairing.data.leAddress?.isRandom == true)
        #expect(pairing.data.leRole == .peripheralOnly)
        #expect(pairing.data.securityManagerTK == (0..<16).map { UInt8($0) })
        #expect(pairing.data.appearance == 0x0340)
        #expect(pairing.data.flags == [.leGeneralDiscoverable, .brEDRNotSupported])
        #expect(pairing.data.name == "Hi!")
        #expect(pairing.data.other.isEmpty)
        #expect(warnings.isEmpty)
        #expect(pairing.description == "Bluetooth LE \"Hi!\" C6:05:04:03:02:01")
    }

    @Test(arguments: [
        ("08 1B 01 02 03 04 05 06 00 02 1C 03", []),
        ("", ["BTLE_ADDRESS_MISSING", "BTLE_ROLE_MISSING"]),
        ("02 1C 01", ["BTLE_ADDRESS_MISSING"]),
        ("08 1B 01 02 03 04 05 06 00", ["BTLE_ROLE_MISSING"]),
        ("08 1B 01 02 03 04 05 06 02 02 1C 00", ["EIR_MALFORMED", "BTLE_ADDRESS_MISSING"]),
        ("02 1C 09 08 1B 01 02 03 04 05 06 00 00", ["EIR_PADDING"]),
    ])
    func `what is odd is forgiven`(_ payload: String, _ codes: [String]) throws {
        let (pairing, warnings) = try decoded(BluetoothLowEnergyRecord.self, payload)
        #expect(warnings == codes)
        try checkRoundTrips(pairing)
    }

    @Test(arguments: [
        ("01", "EIR_OVERRUN"), ("FF 09", "EIR_OVERRUN"), ("02 1C 00 04 09 61", "EIR_OVERRUN"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(BluetoothLowEnergyRecord.self, payload) == code)
    }

    @Test func `the structures take 65,527 bytes at most`() throws {
        let error = try #require(throws: NDEFPayloadError.self) {
            try BluetoothLowEnergyRecord(payload: [UInt8](repeating: 0, count: 65_528))
        }
        #expect(error.code.rawValue == "EIR_TOO_LONG")
        #expect(try BluetoothLowEnergyRecord(payload: [UInt8](repeating: 0, count: 65_527)).data == BluetoothData())
    }

    @Test func `pairing data is encoded`() throws {
        let address = try #require(BluetoothAddress("c6:05:04:03:02:01"))
        let pairing = try BluetoothLowEnergyRecord(
            data: BluetoothData(
                name: "Hi!", leAddress: BluetoothLEAddress(address, isRandom: true), leRole: .peripheralOnly,
                securityManagerTK: (0..<16).map { UInt8($0) }, appearance: 0x0340,
                flags: [.leGeneralDiscoverable, .brEDRNotSupported]))
        #expect(try pairing.payload == bytes(Self.full))
        #expect(NDEFRecord(pairing).type == Array("application/vnd.bluetooth.le.oob".utf8))
        #expect(NDEFRecord(pairing).decoded == .bluetoothLowEnergy(pairing))
        #expect(BluetoothLowEnergyRecord(data: BluetoothData()).description == "Bluetooth LE without address")
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(BluetoothLowEnergyRecord(payload: bytes(Self.full)))
                == #"{"appearance":832,"flags":["leGeneralDiscoverable","brEDRNotSupported"],"#
                + #""kind":"bluetoothLowEnergy","leAddress":{"address":"C6:05:04:03:02:01","isRandom":true},"#
                + #""leRole":"peripheralOnly","name":"Hi!","securityManagerTK":"000102030405060708090A0B0C0D0E0F"}"#)
        let plain: BluetoothLowEnergyRecord = try content(
            ofDecoded:
                #"{"kind":"bluetoothLowEnergy","leAddress":{"address":"01:02:03:04:05:06"},"leRole":"centralOnly"}"#)
        #expect(try plain.payload == bytes("08 1B 06 05 04 03 02 01 00 02 1C 01"))
    }

    @Test(arguments: [
        (#"{"kind":"bluetoothLowEnergy","leAddress":{}}"#, "leAddress.address"),
        (#"{"kind":"bluetoothLowEnergy","leAddress":{"address":"01:02:03:04:05:6"}}"#, "leAddress.address"),
        (#"{"kind":"bluetoothLowEnergy","leAddress":"01:02:03:04:05:06"}"#, "leAddress"),
        (#"{"kind":"bluetoothLowEnergy","leRole":"peripheral"}"#, "leRole"),
        (#"{"kind":"bluetoothLowEnergy","leRole":256}"#, "leRole"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(BluetoothLowEnergyRecord.self, Self.full)
        try checkRandomPayloads(BluetoothLowEnergyRecord.self, startingWith: "02 1C 00", seed: 9)
        try checkRandomPayloads(BluetoothLowEnergyRecord.self, startingWith: "09", seed: 10)
    }
}
