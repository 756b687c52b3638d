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
