/// What is needed to pair with a Bluetooth Low Energy device: media type `application/vnd.bluetooth.le.oob` (Bluetooth
/// Secure Simple Pairing Using NFC).
///
/// The payload is a list of AD structures; the standard asks for the address and the role.
public struct BluetoothLowEnergyRecord: NDEFTypedPayload {
    /// Data about the device.
    public let data: BluetoothData

    /// Pairing data to be written.
    public init(data: BluetoothData) {
        self.data = data
    }

    /// Media type `application/vnd.bluetooth.le.oob`.
    public static let recordTypes = [NDEFRecordType.media("application/vnd.bluetooth.le.oob")]
    /// `bluetoothLowEnergy`.
    public static let kind = "bluetoothLowEnergy"

    /// Decodes a payload. A missing address or role, padding, and structures that are not of the form of their type are
    /// tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `EIR_OVERRUN` or `EIR_TOO_LONG`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        data = try BluetoothData(decoding: payload[...], warnings: &warnings)
        if data.leAddress == nil { warnings.append(.bluetoothLEAddressMissing) }
        if data.leRole == nil { warnings.append(.bluetoothLERoleMissing) }
    }

    /// The structures.
    public var payload: [UInt8] { data.bytes }

    /// Such as `Bluetooth LE "Sensor" 01:BF:88:80:07:03`.
    public var description: String {
        let address = data.leAddress.map { "\($0.address)" } ?? "without address"
        return "Bluetooth LE \(data.quotedName)\(address)"
    }
}

extension BluetoothLowEnergyRecord {
    /// Writes the fields of ``BluetoothData/encode(to:)``.
    public func encode(to encoder: any Encoder) throws {
        try data.encode(to: encoder)
    }

    /// Reads the fields of ``BluetoothData/init(from:)``, all of which may be missing.
    public init(from decoder: any Decoder) throws {
        self.init(data: try BluetoothData(from: decoder))
    }
}

extension NDEFWarning.Code {
    /// Bluetooth Low Energy pairing data has no address.
    public static let bluetoothLEAddressMissing = Self(
        "BTLE_ADDRESS_MISSING", "the Bluetooth Low Energy pairing data has no address")
    /// Bluetooth Low Energy pairing data has no role.
    public static let bluetoothLERoleMissing = Self(
        "BTLE_ROLE_MISSING", "the Bluetooth Low Energy pairing data has no role")
}

extension BluetoothLowEnergyRecord: JSONDescribed {
    package static var jsonSummary: String {
        "What is needed to pair with a Bluetooth Low Energy device (media type `application/vnd.bluetooth.le.oob`)."
    }
    package static var jsonFields: [JSONField] { BluetoothData.jsonFields }
}
