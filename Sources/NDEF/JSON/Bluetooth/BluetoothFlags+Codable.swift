extension BluetoothFlags: Codable {
    /// Reads a list of names, such as `leGeneralDiscoverable`, and numbers of bits, 0 to 7.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var flags: BluetoothFlags = []
        while !container.isAtEnd {
            let bit = try container.decode(Bit.self)
            flags.insert(BluetoothFlags(rawValue: 1 << bit.number))
        }
        self = flags
    }

    /// Writes a list of names, such as `leGeneralDiscoverable`; of bits without a name their numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for number in UInt8(0)..<8 where rawValue & 1 << number != 0 {
            try container.encode(Bit(number: number))
        }
    }
}

/// One bit of the flags, as its name or its number.
private struct Bit: Codable {
    let number: UInt8

    private static let names = [
        "leLimitedDiscoverable", "leGeneralDiscoverable", "brEDRNotSupported", "simultaneousController",
        "simultaneousHost",
    ]

    init(number: UInt8) { self.number = number }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let named = (try? container.decode(String.self)).flatMap(Self.number(named:))
        guard let number = named ?? (try? container.decode(UInt8.self)), number < 8 else {
            let reason = "not a flag; there are \(Self.names.joined(separator: ", ")), and bits from 0 to 7"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
        self.number = number
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if Self.names.indices.contains(Int(number)) {
            try container.encode(Self.names[Int(number)])
        } else {
            try container.encode(number)
        }
    }

    private static func number(named name: String) -> UInt8? {
        names.firstIndex(of: name).flatMap { UInt8(exactly: $0) }
    }
}
