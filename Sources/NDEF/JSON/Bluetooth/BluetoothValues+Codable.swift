extension BluetoothAddress: Codable {
    /// Reads text such as `01:BF:88:80:07:03`, in either case.
    public init(from decoder: any Decoder) throws {
        self = try decoder.losslessText("not an address such as 01:BF:88:80:07:03")
    }

    /// Writes text such as `01:BF:88:80:07:03`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension BluetoothUUID: Codable {
    /// Reads text such as `1118`, `0000110A` or `0000110A-0000-1000-8000-00805F9B34FB`, in either case.
    public init(from decoder: any Decoder) throws {
        self = try decoder.losslessText("not a UUID such as 110A or 0000110A-0000-1000-8000-00805F9B34FB")
    }

    /// Writes text such as `1118`, `0000110A` or `0000110A-0000-1000-8000-00805F9B34FB`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension BluetoothLEAddress: Codable {
    private enum CodingKeys: String, CodingKey {
        case address, isRandom
    }

    /// Reads `address`, and `isRandom` (false where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(BluetoothAddress.self, forKey: .address),
            isRandom: try container.decodeIfPresent(Bool.self, forKey: .isRandom) ?? false)
    }

    /// Writes `address` and `isRandom`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(address, forKey: .address)
        try container.encode(isRandom, forKey: .isRandom)
    }
}

extension BluetoothLERole: NamedNumber {
    static let names: [UInt8: String] = [
        0: "peripheralOnly", 1: "centralOnly", 2: "peripheralPreferred", 3: "centralPreferred",
    ]
}

extension Decoder {
    fileprivate func losslessText<Value: LosslessStringConvertible>(_ reason: String) throws -> Value {
        let container = try singleValueContainer()
        guard let value = Value(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
        return value
    }
}
