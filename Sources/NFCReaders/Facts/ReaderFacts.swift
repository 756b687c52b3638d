/// What a reader and its driver say of themselves, as far as they do.
public struct ReaderFacts: Sendable, Hashable {
    /// The USB vendor number.
    public var vendorID: UInt16?
    /// The USB product number.
    public var productID: UInt16?
    /// The firmware, in the driver's words.
    public var firmware: String?
    /// The serial number.
    public var serial: String?
    /// The most data an APDU may carry, in bytes; 0 where only short APDUs pass.
    public var maximumAPDU: Int?
    /// The control code for escape commands; nil where the driver lets none pass.
    public var escapeCode: UInt32?

    /// Nothing known.
    public init() {}
}

extension ReaderFacts {
    /// The facts in a driver's answers.
    init(features: ReaderFeatures, properties: ReaderProperties, serial: [UInt8]) {
        vendorID = properties.vendorID
        productID = properties.productID
        firmware = properties.firmware
        maximumAPDU = properties.maximumAPDU
        escapeCode = features.code(.escape)
        self.serial = printable(serial)
    }
}
