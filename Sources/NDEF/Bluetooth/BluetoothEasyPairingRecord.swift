/// What is needed to pair with a Bluetooth BR/EDR device: media type `application/vnd.bluetooth.ep.oob` (Bluetooth Secure
/// Simple Pairing Using NFC).
///
/// The payload is its own length in two bytes and the device address, both with the least significant byte first, and EIR
/// structures.
public struct BluetoothEasyPairingRecord: NDEFTypedPayload {
    /// The address of the device.
    public let address: BluetoothAddress
    /// Further data about the device.
    public let data: BluetoothData

    /// Pairing data to be written.
    public init(address: BluetoothAddress, data: BluetoothData = BluetoothData()) {
        self.address = address
        self.data = data
    }

    /// Media type `application/vnd.bluetooth.ep.oob`.
    public static let recordTypes = [NDEFRecordType.media("application/vnd.bluetooth.ep.oob")]
    /// `bluetoothEasyPairing`.
    public static let kind = "bluetoothEasyPairing"

    /// Decodes a payload. Padding and structures that are not of the form of their type are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `BTEP_SHORT`, `BTEP_OOB_LENGTH` or `EIR_OVERRUN`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var reader = ByteReader(payload)
        guard let length = reader.bytes(2),
            let address = reader.bytes(6).flatMap({ BluetoothAddress(bytes: $0.reversed()) })
        else {
            let found = counted(payload.count, "byte")
            let reason = "the pairing data has \(found), but length and address take \(Self.headerLength)"
            throw NDEFPayloadError(.bluetoothEasyPairingShort, reason)
        }
        let declared = length.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard declared == payload.count else {
            let reason = "the pairing data says it has \(counted(declared, "byte")), but has \(payload.count)"
            throw NDEFPayloadError(.bluetoothEasyPairingLength, reason)
        }
        self.address = address
        data = try BluetoothData(decoding: reader.rest, warnings: &warnings)
    }

    /// The length, the address and the structures.
    public var payload: [UInt8] {
        let length = UInt16(truncatingIfNeeded: Self.headerLength + data.encodedLength)
        return length.bigEndianBytes.reversed() + address.bytes.reversed() + data.bytes
    }

    /// Such as `Bluetooth "Headset" 01:BF:88:80:07:03`.
    public var description: String { "Bluetooth \(data.quotedName)\(address)" }

    /// Bytes of the length and the address.
    static let headerLength = 8
}

extension BluetoothData {
    /// The name in quotation marks and a space; nothing if there is no name.
    var quotedName: String {
        (name ?? shortenedName).map { "\"\($0.escaped)\" " } ?? ""
    }
}

extension NDEFPayloadError.Code {
    /// Pairing data ends within its length or the address.
    public static let bluetoothEasyPairingShort = Self(rawValue: "BTEP_SHORT")
    /// The length that pairing data gives is not that of the payload.
    public static let bluetoothEasyPairingLength = Self(rawValue: "BTEP_OOB_LENGTH")
}

extension BluetoothEasyPairingRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case address
    }

    /// Writes `address`, and the fields of ``BluetoothData/encode(to:)`` beside it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(address, forKey: .address)
        try data.encode(to: encoder)
    }

    /// Reads `address`, and the fields of ``BluetoothData/init(from:)``, all of which may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            address: try container.decode(BluetoothAddress.self, forKey: .address),
            data: try BluetoothData(from: decoder))
    }
}

extension BluetoothEasyPairingRecord: JSONDescribed {
    package static var jsonSummary: String {
        "What is needed to pair with a Bluetooth BR/EDR device (media type `application/vnd.bluetooth.ep.oob`)."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .address:
                .required(
                    .pattern(BluetoothAddress.pattern),
                    "The address of the device, the most significant byte first, such as `01:BF:88:80:07:03`.")
            }
        } + BluetoothData.jsonFields
    }
}
