/// Where a Lock Control or Memory Control TLV says that lock bytes or reserved bytes lie (NFC Forum Type 2 Tag).
enum ControlTLV {
    /// The byte range that a control TLV's value of 3 bytes names; `nil` for any other length or type.
    ///
    /// Byte 0: position, page number in the high and byte offset in the low nibble. Byte 1: size in bits (lock) or
    /// bytes (memory), 00 for 256. Byte 2: low nibble log2 of the bytes per page that the position counts in.
    static func area(of type: TLVType, value: [UInt8]) -> Range<Int>? {
        guard type.isControl, value.count == 3 else { return nil }
        let page = Int(value[0] >> 4)
        let offset = Int(value[0] & 0x0F)
        let start = page << Int(value[2] & 0x0F) + offset
        let size = value[1] == 0 ? 256 : Int(value[1])
        let bytes = type == .lockControl ? (size + 7) / 8 : size
        return start..<start + bytes
    }
}
