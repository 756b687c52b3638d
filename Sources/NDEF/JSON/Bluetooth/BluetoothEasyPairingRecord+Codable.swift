extension BluetoothEasyPairingRecord {
    private enum CodingKeys: String, CodingKey {
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
