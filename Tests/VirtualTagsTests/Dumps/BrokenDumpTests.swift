import Testing

@testable import VirtualTags

/// Dump files that are not as they should be.
@Suite struct BrokenDumpTests {
    static func failure(_ text: String) -> DumpError? {
        do throws(DumpError) {
            _ = try TagImage(dump: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    /// A file, what is replaced in it, by what, and the line and field of the error.
    static let rows: [(String, String, String, Int?, String?)] = [
        (DumpTexts.type2, "Version: 4", "Version: 1", 2, "Version"),
        (DumpTexts.type2, "Version: 4", "Version: 5", 2, "Version"),
        (DumpTexts.type2, "Version: 4", "Version: four", 2, "Version"),
        (DumpTexts.type2, "Version: 4", "# none", nil, "Version"),
        (DumpTexts.type2, "# A remark", "A remark", 3, nil),
        (DumpTexts.type2, "# A remark", "Version: 4", 3, "Version"),
        (DumpTexts.type2, "Device type: NTAG/Ultralight", "Device type: Mifare DESFire", 4, "Device type"),
        (DumpTexts.type2, "UID: 04 11 22 33 44 55 80", "UID: 04 11 22 33 44 55", 5, "UID"),
        (DumpTexts.type2, "UID: 04 11 22 33 44 55 80", "UID: 04 11 22 33 44 55 8", 5, "UID"),
        (DumpTexts.type2, "UID: 04 11 22 33 44 55 80", "UID: 04 11 22 33 44 55 ??", 5, "UID"),
        (DumpTexts.type2, "UID: 04 11 22 33 44 55 80", "UID: 04 11 22 33 44 55 8G", 5, "UID"),
        (DumpTexts.type2, "UID: 04 11 22 33 44 55 80", "UID:", 5, "UID"),
        (DumpTexts.type2, "ATQA: 00 44", "ATQA: 44", 6, "ATQA"),
        (DumpTexts.type2, "Counter 1: 16777215", "Counter 1: 16777216", 14, "Counter 1"),
        (DumpTexts.type2, "Counter 1: 16777215", "Counter 1: -1", 14, "Counter 1"),
        (DumpTexts.type2, "Counter 1: 16777215", "Counter 1: 99999999999999999999", 14, "Counter 1"),
        (DumpTexts.type2, "Pages total: 20\nPages read: 20", "Pages total: 19\nPages read: 19", 39, "Page 19"),
        (DumpTexts.type2, "Pages total: 20", "Pages total: 0", 18, "Pages total"),
        (DumpTexts.type2, "Pages total: 20", "Pages total: 513", 18, "Pages total"),
        (DumpTexts.type2, "Page 19: 00 00 00 90", "Page -1: 00 00 00 90", 39, "Page -1"),
        (DumpTexts.type2, "Page 19: 00 00 00 90", "Page 19: 00 00 00", 39, "Page 19"),
        (DumpTexts.type2, "Page 19: 00 00 00 90", "Page 18: 00 00 00 90", 39, "Page 18"),
        (DumpTexts.classic, "Mifare Classic type: MINI", "Mifare Classic type: 2K", 7, "Mifare Classic type"),
        (DumpTexts.classic, "Block 19: ??", "Block 20: ??", 11, "Block 20"),
        (DumpTexts.slix, "Block Count: 3", "Block Count: 4", 12, "Data Content"),
        (DumpTexts.slix, "Block Count: 3", "Block Count: 257", 10, "Block Count"),
        (DumpTexts.slix, "Block Size: 04", "Block Size: 21", 11, "Block Size"),
        (DumpTexts.slix, "Security Status: 00 01 00", "Security Status: 00 01", 13, "Security Status"),
        (DumpTexts.feliCa, "Data format version: 1", "Data format version: 2", 5, "Data format version"),
        (DumpTexts.feliCa, "Blocks total: 28", "Blocks total: 29", 8, "Blocks total"),
        (DumpTexts.feliCa, "Manufacture parameter: 00 F1", "Manufacture parameter: F1", 7, "Manufacture parameter"),
        (DumpTexts.proxmarkUltralight, "\"mfu\"", "\"mfdes\"", 2, "FileType"),
        (DumpTexts.proxmarkUltralight, "\"FileType\"", "\"Other\"", nil, "filetype"),
        (DumpTexts.proxmarkUltralight, "\"041122BF\"", "\"041122B\"", 8, "blocks.0"),
        (DumpTexts.proxmarkUltralight, "\"33445580\"", "\"334455\"", 8, "blocks.1"),
        (DumpTexts.proxmarkUltralight, "\"19\"", "\"512\"", 8, "blocks.512"),
        (DumpTexts.proxmarkUltralight, "\"19\"", "\"3\"", 8, "blocks.3"),
        (DumpTexts.proxmarkUltralight, "\"blocks\"", "\"pages\"", nil, "blocks"),
        (DumpTexts.proxmarkUltralight, "\"UID\": \"04112233445580\"", "\"UID\": 4", nil, "card.uid"),
        (DumpTexts.proxmarkUltralight, "\"TBO_0\":", "\"TBO_0\"", 4, "JSON"),
        (DumpTexts.proxmark15693, "null", "[[[[[[[[[[[]]]]]]]]]]]", 1, "JSON"),
        (DumpTexts.proxmark15693, "null", String(repeating: "[", count: 100_000), 1, "JSON"),
        (DumpTexts.proxmark15693, "null", String(repeating: "{\"a\":", count: 100_000), 1, "JSON"),
        (DumpTexts.proxmark15693, "\"02\" }", "\"01\" }", 3, "blocks.1"),
        (DumpTexts.proxmark15693, "\"pagescount\": \"02\"", "\"pagescount\": \"0110\"", 2, "card.pagescount"),
        (DumpTexts.proxmark15693, "\"bytesperpage\": \"04\"", "\"bytesperpage\": \"08\"", 2, "card.bytesperpage"),
        (DumpTexts.proxmark15693, "\"ic\": \"02\"", "\"locks\": \"00\"", 2, "card.locks"),
        (DumpTexts.proxmark15693, "\"1\":", "\"0\":", 3, "blocks.0"),
        (DumpTexts.proxmark15693, "\"x\"", "\"\\x\"", 1, "JSON"),
        (DumpTexts.proxmark15693, "\"x\"", "\"\\u00G0\"", 1, "JSON"),
        (DumpTexts.proxmark15693, "\"x\"", "\"\n\"", 1, "JSON"),
        (DumpTexts.slix, "Lock AFI: false", "Lock AFI: perhaps", 9, "Lock AFI"),
        (DumpTexts.feliCaJSON, "\"BlockCount\": \"3\"", "\"BlockCount\": \"0\"", 3, "card.blockcount"),
        (DumpTexts.feliCaJSON, "\"136\"", "\"65536\"", 5, "blocks.65536"),
        (DumpTexts.feliCaJSON, "0102030405060708", "01020304050607", 3, "card.uid"),
        (DumpTexts.type4JSON, "\"E104\"", "\"E1041\"", 4, "files.e1041"),
        (DumpTexts.type4JSON, "\"E104\"", "\"name\"", 4, "files.name"),
        (DumpTexts.type4JSON, "\"E104\"", "\"e103\"", 4, "files.e103"),
        (DumpTexts.type4JSON, "0003D00000", "0003D000??", 4, "files.e104"),
    ]

    @Test(arguments: rows) func `an error names line and field`(
        file: String, part: String, replacement: String, line: Int?, field: String?
    ) throws {
        let text = file.replacing(part, with: replacement)
        #expect(text != file)
        let error = try #require(Self.failure(text))
        #expect(error.line == line, "\(error)")
        #expect(error.field == field, "\(error)")
    }

    static let foreign = [
        "", " ", "{", "{}", "[]", "{}}", "nonsense", "Filetype: Flipper EMV resources\nVersion: 1\n", "\"x\"",
    ]

    @Test(arguments: foreign) func `what is not a dump is refused`(text: String) {
        #expect(Self.failure(text) != nil)
    }

    @Test func `a file of more than 1 MiB is not looked at`() {
        let size = TagImage.largestFile + 1
        #expect(throws: DumpError(.tooLarge(size))) { try TagImage(dump: [UInt8](repeating: 0x7B, count: size)) }
        #expect(throws: DumpError.self) { try TagImage(dump: [UInt8](repeating: 0x7B, count: size - 1)) }
    }

    @Test func `bytes that are not UTF-8 give no value, and do not trap`() {
        for text in [DumpTexts.type2, DumpTexts.type4JSON] {
            let bytes = Array(text.utf8)
            for position in stride(from: 0, to: bytes.count, by: 3) {
                var changed = bytes
                changed[position] = 0xFF
                _ = try? TagImage(dump: changed)
            }
        }
        let line = Array("UID: 04 11 22 33 44 55 ".utf8) + [0xC3, 0x28, 0x0A]
        let head = Array("Filetype: Flipper NFC device\nVersion: 4\nDevice type: NTAG213\nPages total: 45\n".utf8)
        #expect(throws: DumpError.self) { try TagImage(dump: head + line) }
    }

    @Test func `errors are sentences`() {
        let error = DumpError(.invalid("x"), line: 3, field: "UID")
        #expect("\(error)" == "line 3: UID: \"x\" is not a value for this field")
        #expect("\(DumpError(.missing, field: "blocks"))" == "blocks: the field is missing")
        #expect("\(DumpError(.tag(.wrongCounters(count: 4, expected: 3))))".contains("4 counter values"))
        #expect("\(DumpError(.unknownFormat))" == "this is not a dump file of a known format")
    }

    static let files = [
        DumpTexts.type2, DumpTexts.classic, DumpTexts.slix, DumpTexts.feliCa, DumpTexts.proxmarkUltralight,
        DumpTexts.proxmarkClassic, DumpTexts.proxmark15693, DumpTexts.feliCaJSON, DumpTexts.type4JSON,
    ]

    @Test(arguments: files) func `a file cut short or changed anywhere never traps`(text: String) {
        let bytes = Array(text.utf8)
        var read = 0
        var state: UInt64 = 1
        for position in stride(from: 0, to: bytes.count, by: 7) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var changed = bytes
            changed[position] = UInt8(truncatingIfNeeded: state >> 40)
            var removed = bytes
            removed.remove(at: position)
            for candidate in [Array(bytes.prefix(position)), changed, removed] {
                guard let image = try? TagImage(dump: candidate) else { continue }
                read += 1
                _ = try? image.makeTag(filler: 0)
                _ = try? image.flipperFile()
                _ = try? image.rawFile()
                #expect((try? image.jsonFile()).map { try? TagImage(dump: Array($0.utf8)) } == image)
            }
        }
        #expect(read > 0)
    }

    @Test func `raw bytes of any size never trap`() {
        for size in [0, 1, 47, 48, 56, 63, 64, 80, 112, 119, 120, 164, 320, 540, 1024, 1087, 4096] {
            for fill in [0x00, 0x88, 0xFF] as [UInt8] {
                var bytes = [UInt8](repeating: fill, count: size)
                if size > 8 { bytes[8] = 0 }
                _ = (try? TagImage(dump: bytes)).map { try? $0.makeTag(filler: 0) }
            }
        }
    }
}
