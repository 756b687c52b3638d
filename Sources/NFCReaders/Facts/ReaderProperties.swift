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
