/// Dump files of tags with `https://a.b/c` on them, put together from the specifications of the tags.
enum DumpFiles {
    /// Message TLV and Terminator TLV.
    private static let content = bytes("030A D10106550461 2E622F63 FE")

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Bytes in upper-case digits, at least as many as `size`, zeros behind them.
    private static func text(_ bytes: [UInt8], size: Int = 0, separator: String = " ") -> String {
        (bytes + [UInt8](repeating: 0, count: max(size - bytes.count, 0))).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined(separator: separator)
    }

    /// Pages or blocks of this size.
    private static func units(_ memory: [UInt8], size: Int, count: Int) -> [[UInt8]] {
        (0..<count).map { number in
            let unit = Array(memory.dropFirst(number * size).prefix(size))
            return unit + [UInt8](repeating: 0, count: size - unit.count)
        }
    }

    static let flipperNTAG213: String = {
        let head = bytes("041122BF 33445580 A2480000 E1101200 0103A00C34") + content
        var pages = units(head, size: 4, count: 45)
        pages.replaceSubrange(40..., with: units(bytes("000000BD 040000FF 00050000 FFFFFFFF"), size: 4, count: 5))
        return """
            Filetype: Flipper NFC device
            Version: 4
            Device type: NTAG/Ultralight
            UID: 04 11 22 33 44 55 80
            ATQA: 00 44
            SAK: 00
            NTAG/Ultralight type: NTAG213
            Mifare version: 00 04 04 02 01 00 0F 03
            Pages total: 45

            """ + pages.enumerated().map { "Page \($0.offset): \(text($0.element))\n" }.joined()
    }()

    static let flipperSLIX = """
        Filetype: Flipper NFC device
        Version: 4
        Device type: ISO15693-3
        UID: E0 04 01 10 11 22 33 44
        DSFID: 00
        AFI: 00
        IC Reference: 01
        Lock DSFID: false
        Lock AFI: false
        Block Count: 28
        Block Size: 04
        Data Content: \(text(bytes("E1400E01") + content, size: 112))
        Security Status: \(text([], size: 28))

        """

    /// MIFARE Classic 1K with MAD1 in sector 0, all other sectors NFC Forum's.
    static let classicJSON: String = {
        let directory = bytes("1401") + (0..<15).flatMap { _ in bytes("03E1") }
        let manufacturer = bytes("01020304 04 08 0400") + [UInt8](repeating: 0, count: 8)
        var blocks = units(manufacturer + directory, size: 16, count: 64)
        for block in stride(from: 3, to: 64, by: 4) { blocks[block] = bytes("D3F7D3F7D3F7 7F078840 FFFFFFFFFFFF") }
        blocks[3] = bytes("A0A1A2A3A4A5 787788C1 FFFFFFFFFFFF")
        blocks[4] = content + [UInt8](repeating: 0, count: 16 - content.count)
        let fields = blocks.enumerated().map { "\"\($0.offset)\": \"\(text($0.element, separator: ""))\"" }
        return """
            { "Created": "proxmark3", "FileType": "mfc v2",
              "Card": { "UID": "01020304", "ATQA": "0400", "SAK": "08" },
              "blocks": { \(fields.joined(separator: ", ")) } }
            """
    }()

    /// The message file has 32 bytes, and a length in place of the TLV.
    static let type4JSON = """
        { "FileType": "nfcd type4", "Card": { "UID": "04112233445580" },
          "files": { "E103": "000F20003B00340406E10400200000",
            "E104": "\(text(bytes("000A") + content.dropFirst(2).dropLast(), size: 32, separator: ""))" } }
        """
}
