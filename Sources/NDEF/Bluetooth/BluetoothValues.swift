/// A Bluetooth device address: six bytes (Bluetooth Core Specification, Vol 2, Part B, §1.2).
public struct BluetoothAddress: Sendable, Hashable {
    /// The six bytes, the most significant first, as the address is written for people.
    public let bytes: [UInt8]

    /// The address of these bytes, the most significant first; nil where they are not six.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
    }
}

extension BluetoothAddress: LosslessStringConvertible {
    /// Such as `01:BF:88:80:07:03`.
    public var description: String { bytes.map { [$0].hexadecimal }.joined(separator: ":") }

    /// The address in this text: six pairs of hexadecimal digits of either case with colons between; otherwise nil.
    public init?(_ description: String) {
        let pairs = description.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.allSatisfy({ $0.utf8.count == 2 }), let bytes = [UInt8](hexadecimal: pairs.joined()) else {
            return nil
        }
        self.init(bytes: bytes)
    }
}

extension BluetoothAddress: Codable {
    /// A regular expression for the text.
    static let pattern = "^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$"

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

/// The address of a Bluetooth Low Energy device (data type 1B; Bluetooth CSS, Part A, §1.16).
public struct BluetoothLEAddress: Sendable, Hashable {
    /// The address.
    public let address: BluetoothAddress
    /// Whether the address is a random one; otherwise it is a public one.
    public let isRandom: Bool

    /// An address, public unless said otherwise.
    public init(_ address: BluetoothAddress, isRandom: Bool = false) {
        self.address = address
        self.isRandom = isRandom
    }
}

extension BluetoothLEAddress: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
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

extension BluetoothLEAddress: JSONDescribed {
    package static var jsonSummary: String { "The address of a Bluetooth Low Energy device." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .address:
                .required(
                    .pattern(BluetoothAddress.pattern),
                    "The address, the most significant byte first, such as `C6:05:04:03:02:01`.")
            case .isRandom:
                .written(.boolean, usual: .boolean(false), "Whether the address is a random one, and not a public one.")
            }
        }
    }
}

/// A UUID of a Bluetooth service in its full form of 128 bits, or shortened to 32 or 16 (Bluetooth Core Specification,
/// Vol 3, Part B, §2.5.1).
public struct BluetoothUUID: Sendable, Hashable {
    /// The 2, 4 or 16 bytes, the most significant first, as the UUID is written for people.
    public let bytes: [UInt8]

    /// The UUID of these bytes, the most significant first; nil where they are not 2, 4 or 16.
    public init?(bytes: [UInt8]) {
        guard [2, 4, 16].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

extension BluetoothUUID: LosslessStringConvertible {
    /// Such as `1118`, `0000110A` or `0000110A-0000-1000-8000-00805F9B34FB`.
    public var description: String {
        guard bytes.count == 16 else { return bytes.hexadecimal }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Array(bytes[$0]).hexadecimal }.joined(separator: "-")
    }

    /// The UUID in this text: 4 or 8 hexadecimal digits of either case, or 32 in groups of 8, 4, 4, 4 and 12 with hyphens
    /// between; otherwise nil.
    public init?(_ description: String) {
        let groups = description.split(separator: "-", omittingEmptySubsequences: false)
        let isShaped = [[4], [8], [8, 4, 4, 4, 12]].contains(groups.map { $0.utf8.count })
        guard isShaped, let bytes = [UInt8](hexadecimal: groups.joined()) else { return nil }
        self.init(bytes: bytes)
    }
}

extension BluetoothUUID: Codable {
    /// A regular expression for the text.
    static let pattern = "^[0-9A-Fa-f]{4}([0-9A-Fa-f]{4}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{4})?$"

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

/// Which roles a Bluetooth Low Energy device takes (data type 1C; Bluetooth CSS, Part A, §1.17).
public struct BluetoothLERole: RawRepresentable, Sendable, Hashable {
    /// The number of the role; 4 and above are reserved.
    public let rawValue: UInt8

    /// The role of that number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The peripheral's role only.
    public static let peripheralOnly = Self(rawValue: 0)
    /// The central's role only.
    public static let centralOnly = Self(rawValue: 1)
    /// Either role, preferably the peripheral's.
    public static let peripheralPreferred = Self(rawValue: 2)
    /// Either role, preferably the central's.
    public static let centralPreferred = Self(rawValue: 3)
}

extension BluetoothLERole: NamedNumber {
    static let names: [UInt8: String] = [
        0: "peripheralOnly", 1: "centralOnly", 2: "peripheralPreferred", 3: "centralPreferred",
    ]
}

/// What a Bluetooth device is capable of (data type 01; Bluetooth CSS, Part A, §1.3).
public struct BluetoothFlags: OptionSet, Sendable, Hashable {
    /// The bits; 5 to 7 are reserved.
    public let rawValue: UInt8

    /// The flags of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Limited discoverable mode.
    public static let leLimitedDiscoverable = Self(rawValue: 1)
    /// General discoverable mode.
    public static let leGeneralDiscoverable = Self(rawValue: 2)
    /// No BR/EDR, that is, Low Energy only.
    public static let brEDRNotSupported = Self(rawValue: 4)
    /// Low Energy and BR/EDR at the same time, by the controller.
    public static let simultaneousController = Self(rawValue: 8)
    /// Low Energy and BR/EDR at the same time, by the host.
    public static let simultaneousHost = Self(rawValue: 16)
}

extension BluetoothFlags: Codable {
    /// The names of the bits, from the lowest.
    static let names = [
        "leLimitedDiscoverable", "leGeneralDiscoverable", "brEDRNotSupported", "simultaneousController",
        "simultaneousHost",
    ]

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

    private static let names = BluetoothFlags.names

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

extension Decoder {
    fileprivate func losslessText<Value: LosslessStringConvertible>(_ reason: String) throws -> Value {
        let container = try singleValueContainer()
        guard let value = Value(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
        return value
    }
}
