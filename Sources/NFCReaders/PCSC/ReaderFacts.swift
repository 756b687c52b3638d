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

/// What a driver says it can do beyond exchanges with a card: the answer to CM_IOCTL_GET_FEATURE_REQUEST (PC/SC Part 10,
/// 2.2), a list of tag, length 4 and a control code, most significant byte first. A value: no I/O.
struct ReaderFeatures: Sendable, Hashable {
    /// The control code that asks for the features, as Linux numbers it: 42000000 + 3400.
    static let request: UInt32 = 0x4200_0D48

    /// The features that matter here (PC/SC Part 10, 2.3).
    enum Feature: UInt8 {
        /// FEATURE_GET_TLV_PROPERTIES.
        case properties = 0x12
        /// FEATURE_CCID_ESC_COMMAND; a driver lists it only where it lets such commands pass.
        case escape = 0x13
    }

    private var codes: [UInt8: UInt32] = [:]

    /// Takes an answer; entries that are no control code are left out, and what does not fit ends the list. Of a feature
    /// that is listed twice the first counts.
    init(_ answer: [UInt8]) {
        for entry in TagLengthValues(answer) where entry.value.count == 4 {
            guard codes[entry.tag] == nil else { continue }
            codes[entry.tag] = entry.value.reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The control code of a feature, nil where the driver does not have it.
    func code(_ feature: Feature) -> UInt32? { codes[feature.rawValue] }
}

/// The answer to FEATURE_GET_TLV_PROPERTIES (PC/SC Part 10, 2.6): numbers least significant byte first. A value: no I/O.
struct ReaderProperties: Sendable, Hashable {
    /// PCSCv2_PART10_PROPERTY_wIdVendor.
    private(set) var vendorID: UInt16?
    /// PCSCv2_PART10_PROPERTY_wIdProduct.
    private(set) var productID: UInt16?
    /// PCSCv2_PART10_PROPERTY_sFirmwareID.
    private(set) var firmware: String?
    /// PCSCv2_PART10_PROPERTY_dwMaxAPDUDataSize: 0 where only short APDUs pass.
    private(set) var maximumAPDU: Int?

    /// Takes an answer; a property of a wrong length is left out.
    init(_ answer: [UInt8]) {
        for (tag, value) in TagLengthValues(answer) {
            switch tag {
            case 0x08: firmware = printable(value)
            case 0x0A: maximumAPDU = number(value, bytes: 4).map { Int($0) }
            case 0x0B: vendorID = number(value, bytes: 2).map { UInt16(truncatingIfNeeded: $0) }
            case 0x0C: productID = number(value, bytes: 2).map { UInt16(truncatingIfNeeded: $0) }
            default: break
            }
        }
    }

    private func number(_ value: [UInt8], bytes: Int) -> UInt32? {
        guard value.count == bytes else { return nil }
        return value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Text from a reader: up to a NUL, printable ASCII only; nil where nothing is left.
func printable(_ bytes: [UInt8]) -> String? {
    let text = bytes.prefix { $0 != 0 }.filter { (0x20...0x7E).contains($0) }
    let trimmed = String(decoding: text, as: UTF8.self).split(separator: " ").joined(separator: " ")
    return trimmed.isEmpty ? nil : trimmed
}

/// One byte of tag, one of length, the value, over and over: what drivers answer with. A length that runs over the end
/// ends the walk.
struct TagLengthValues: Sequence, IteratorProtocol {
    /// No driver says more; the rest of a longer answer is not looked at.
    static let longest = 4096

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes.prefix(Self.longest)
    }

    mutating func next() -> (tag: UInt8, value: [UInt8])? {
        guard let tag = rest.popFirst(), let length = rest.popFirst(), rest.count >= Int(length) else {
            rest = []
            return nil
        }
        defer { rest = rest.dropFirst(Int(length)) }
        return (tag, Array(rest.prefix(Int(length))))
    }
}
