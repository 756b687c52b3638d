extension TagImage {
    /// The most that is read of a file, in bytes: 1 MiB.
    public static let largestFile = 1 << 20

    /// The most blocks of an ISO/IEC 15693 tag or a FeliCa card that are taken.
    static let largestBlockCount = 4096

    /// Reads a dump file; its content tells the format: Flipper `.nfc`, JSON of the proxmark3 or of
    /// ``jsonFile()``, or raw memory.
    ///
    /// - Throws: ``DumpError`` with line and field.
    public init(dump bytes: [UInt8]) throws(DumpError) {
        guard bytes.count <= Self.largestFile else { throw DumpError(.tooLarge(bytes.count)) }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        if content.starts(with: Array("Filetype: Flipper NFC device".utf8)) {
            self = try FlipperDump(content).image()
        } else if content.first(where: { !JSONReader.isSpace($0) }) == UInt8(ascii: "{") {
            self = try ProxmarkDump(content).image()
        } else {
            self = try RawDump.image(bytes)
        }
    }
}
