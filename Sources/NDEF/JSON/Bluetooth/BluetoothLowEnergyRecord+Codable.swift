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
