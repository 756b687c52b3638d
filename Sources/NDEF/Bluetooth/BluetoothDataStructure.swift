/// One structure of extended inquiry response (EIR) or advertising (AD) data (Bluetooth Core Specification, Vol 3, Part C,
/// §8 and §11).
///
/// On the tag it is a length byte, which counts the type and the data, the type, and the data.
public struct BluetoothDataStructure: Sendable, Hashable {
    /// The data type, such as 09 for a name (Bluetooth Assigned Numbers).
    public let type: UInt8
    /// The content; at most 254 bytes. Its numbers have the least significant byte first.
    public let data: [UInt8]

    /// A structure to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `EIR_TOO_LONG` where the data has more than 254 bytes.
    public init(type: UInt8, data: [UInt8]) throws(NDEFPayloadError) {
        guard data.count <= 254 else {
            let reason = "data of \(data.count) bytes is longer than the 254 bytes that a structure can hold"
            throw NDEFPayloadError(.bluetoothDataTooLong, reason)
        }
        self.type = type
        self.data = data
    }

    /// The structure in the bytes that its length counts; nil if there are none, or more than a length can count.
    init?(body: ArraySlice<UInt8>) {
        guard let type = body.first, body.count <= 0xFF else { return nil }
        self.type = type
        data = Array(body.dropFirst())
    }

    /// Length on the tag, in bytes.
    var encodedLength: Int { data.count + 2 }
}

extension NDEFPayloadError.Code {
    /// The length of an EIR or AD structure runs past the end of the payload.
    public static let bluetoothDataOverrun = Self(rawValue: "EIR_OVERRUN")
    /// A structure is longer than 255 bytes, or all together are longer than 65,527.
    public static let bluetoothDataTooLong = Self(rawValue: "EIR_TOO_LONG")
    /// A value to be encoded does not fit its field.
    public static let bluetoothDataValue = Self(rawValue: "EIR_VALUE")
}

extension BluetoothDataStructure: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, data
    }

    /// Reads `type` (two hexadecimal digits), and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let typeBytes = try container.decodeHexadecimal(forKey: .type)
        guard let type = typeBytes.first, typeBytes.count == 1 else {
            throw container.rejection(forKey: .type, "not two hexadecimal digits")
        }
        let data = try container.decodeHexadecimalIfPresent(forKey: .data) ?? []
        self = try container.accepting(.data) { () throws(NDEFPayloadError) in
            try BluetoothDataStructure(type: type, data: data)
        }
    }

    /// Writes `type` and `data` (hexadecimal).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: [type], forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }
}

extension BluetoothDataStructure: JSONDescribed {
    package static var jsonSummary: String { "A structure without a field." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .type:
                .required(.bytes(1...1), "The type.")
            case .data:
                .written(.bytes, usual: .text(""), "The value.")
            }
        }
    }
}
