import Testing
import TestSupport

@testable import VirtualTags

/// Dump files that other programs and devices save.
@Suite struct ForeignDumpTests {
    static let message = hex("D1010C55046578616D706C652E636F6D")

    static func read(_ text: String) throws -> (image: TagImage, warnings: [String]) {
        try TagImage.read(dump: Array(text.utf8))
    }

    /// A file, and the identifier in its memory.
    static let identifiers: [(String, String)] = [
        (DumpTexts.type2.replacing("UID: 04 11 22 33 44 55 80", with: "UID: 04 AA BB CC DD EE FF"), "04112233445580"),
        (DumpTexts.type2.replacing("UID: 04 11 22 33 44 55 80", with: "UID: 04 AA BB CC"), "04112233445580"),
        (DumpTexts.classic.replacing("UID: 01 02 03 04", with: "UID: AA BB CC DD"), "01020304"),
        (DumpTexts.proxmarkUltralight.replacing("04112233445580", with: "04112233445581"), "04112233445580"),
        (DumpTexts.proxmarkClassic.replacing("\"UID\": \"01020304\"", with: "\"UID\": \"00000000\""), "01020304"),
    ]

    @Test(arguments: identifiers) func `the memory is right where the line of the UID differs`(
        file: String, identifier: String
    ) throws {
        let (image, warnings) = try Self.read(file)
        #expect(hex(image.identifier) == identifier)
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasSuffix("the UID of the memory is used") == true, "\(warnings)")
        #expect(hex(try image.makeTag(filler: 0).identifier) == identifier)
    }

    @Test(arguments: [DumpTexts.type2, DumpTexts.classic, DumpTexts.slix, DumpTexts.feliCa, DumpTexts.type4JSON])
    func `a file that agrees with itself has no warning`(file: String) throws {
        #expect(try Self.read(file).warnings.isEmpty)
    }

    /// The memory of a TigerTag as programs make it: without the second check byte of the UID.
    private static func generated(_ second: String = "00", container: String = "E1101200") -> [UInt8] {
        let start = hex("041122BF 44556680 \(second)480000 \(container) 5BF59264 FFFFFFFF 00000000 AD000000")
        return start + [UInt8](repeating: 0, count: 180 - start.count)
    }

    @Test func `a second check byte that is missing is added`() throws {
        let (image, warnings) = try TagImage.read(dump: Self.generated())
        #expect(hex(image.identifier) == "04112244556680")
        #expect(image.kind == .type2 && image.unitCount == 45)
        #expect(hex(image.unit(2) ?? []) == "F7480000")
        #expect(warnings.count == 1 && warnings.first?.contains("F7") == true, "\(warnings)")
        #expect(try TagImage.read(dump: Self.generated("F7")).warnings.isEmpty)
        // Another byte, and memory that shows nothing else of a Type 2 tag, are not taken for it.
        for bytes in [Self.generated("01"), Self.generated(container: "00000000"), [UInt8](repeating: 0, count: 180)] {
            #expect(throws: DumpError.self) { try TagImage.read(dump: bytes) }
        }
    }

    /// Pages, version, and a name that the file may give.
    static let clones: [(Int, String, String)] = [
        (41, "0034210101000E03", "Mifare Ultralight 21"), (41, "0034210101000E03", "Mifare Ultralight"),
        (45, "0053040201000F03", "NTAG213"), (45, "0000000000000000", "NTAG213"), (134, "0034210101000E03", "NTAG215"),
        (134, "0000000000000000", "NTAG216"), (21, "0004030101000B03", "Mifare Ultralight 11"),
        (16, "0000000000000000", "Mifare Ultralight"), (231, "0053040201001303", "NTAG216"),
        (256, "0000000000000000", "Unknown"), (47, "0034210101000E03", "Mifare Ultralight C"),
    ]

    @Test(arguments: clones) func `a clone answers with its own version and memory`(
        pages: Int, version: String, name: String
    ) throws {
        let head = """
            Filetype: Flipper NFC device
            Version: 4
            Device type: NTAG/Ultralight
            UID: 04 11 22 33 44 55 80
            NTAG/Ultralight type: \(name)
            Mifare version: \(version)
            Pages total: \(pages)

            """
        var image = try Self.read(head + DumpTexts.pages(pages)).image
        for _ in 0..<2 {
            var tag = try image.makeTag()
            #expect(tag.sendSelected("30 00") == "041122BF33445580A2480000E1100600")
            tag.activate()
            #expect(tag.send("60") == (version.allSatisfy { $0 == "0" } ? "NAK 0" : version))
            #expect((tag as? VirtualType2Tag)?.memory.count == pages * 4)
            // As nfcctl sends it to a simulated reader.
            image = try TagImage(dump: Array(TagImage(of: tag).jsonFile().utf8))
        }
    }

    @Test(arguments: [(532, 1), (536, 1), (540, 0), (572, 0)]) func `an image of an amiibo is an NTAG215`(
        size: Int, warnings: Int
    ) throws {
        let tag = try VirtualType2Tag(product: .ntag215, ndefMessage: Self.message)
        let file = Array((tag.memory + [UInt8](1...32)).prefix(size))
        let (image, found) = try TagImage.read(dump: file)
        #expect(image.unitCount == 135)
        #expect(found.count == warnings)
        #expect(image.facts.signature == (size == 572 ? Array(1...32) : nil))
        let copy = try #require(try image.makeTag() as? VirtualType2Tag)
        #expect(copy.product == .ntag215)
        #expect(copy.memory.prefix(532) == tag.memory.prefix(532))
    }

    @Test(arguments: [32, 112, 304, 316, 320, 1024, 2048]) func `raw memory of a Type 5 Tag has no UID`(
        size: Int
    ) throws {
        let units = UInt8(truncatingIfNeeded: min(size / 8, 255))
        for head in [[0xE1, 0x40, units, 0x01], [0xE1, 0x40, units, 0x00], [0xE2, 0x43, units, 0x00]] as [[UInt8]] {
            let content = head + [0x03, UInt8(Self.message.count)] + Self.message + [0xFE]
            let (image, warnings) = try TagImage.read(
                dump: content + [UInt8](repeating: 0, count: size - content.count))
            #expect(image.kind == .iso15693)
            #expect((image.unitSize, image.unitCount) == (4, size / 4))
            #expect(warnings == ["the file has no UID; a virtual tag of it gets one that was made up"])
            var tag = try image.makeTag()
            #expect(tag.identifier.first == 0xE0)
            #expect(tag.sendSelected("02 20 00") == "00" + hex(head))
            #expect(throws: DumpError(.missing, field: "UID")) { try image.jsonFile() }
            #expect(throws: DumpError(.missing, field: "UID")) { try image.flipperFile() }
            #expect(throws: DumpError(.missing, field: "UID")) { try image.proxmarkFile() }
            #expect(try image.rawFile().prefix(content.count) == content[...])
        }
    }

    /// Locks that the revisions of the proxmark3's file have, and bytes of the number of blocks.
    @Test(arguments: [(64, 1), (160, 1), (256, 2)]) func `a binary of an ISO 15693 tag of a proxmark3`(
        locks: Int, width: Int
    ) throws {
        var file = hex("44332211000104E0 01 00 3D 01 04") + [28] + [UInt8](repeating: 0, count: width - 1) + [0x02]
        file += (0..<locks).map { $0 == 5 ? 1 : 0 }
        file += hex("E1400E01 0300FE00") + [UInt8](repeating: 0, count: 2048 - 8 + 12)
        let (image, warnings) = try TagImage.read(dump: file)
        #expect(warnings.isEmpty)
        #expect(hex(image.identifier) == "E004010011223344")
        #expect(image.unitCount == 28)
        #expect(image.facts.lockedUnits == [5])
        #expect(image.facts.isAFILocked && !image.facts.isDSFIDLocked)
        #expect((image.facts.dsfid, image.facts.afi, image.facts.icReference) == (1, 0x3D, 2))
        #expect(hex(image.unit(1) ?? []) == "0300FE00")
        #expect(try TagImage(dump: image.proxmarkFile()) == image)
        #expect(throws: DumpError.self) { try TagImage(dump: Array(file.dropLast())) }
        file[13] = 0xFF
        if locks < 256 { #expect(throws: DumpError.self) { try TagImage(dump: file) } }
    }

    @Test func `a large ISO 15693 tag is saved in the newer binary, a larger one not at all`() throws {
        var image = TagImage(kind: .iso15693, identifier: hex("E002112233445566"), unitSize: 4, unitCount: 256)
        for block in 0..<256 { image.setUnit(block, [1, 2, 3, UInt8(block)]) }
        (image.facts.dsfid, image.facts.afi, image.facts.icReference) = (0, 0, 0x24)
        #expect(try image.proxmarkFile().count == 2332)
        #expect(try TagImage(dump: image.proxmarkFile()) == image)
        image.setUnit(9, [nil, 1, 2, 3])
        #expect(throws: DumpError(.incomplete, field: "Block 9")) { try image.proxmarkFile() }
        #expect(throws: DumpError.self) {
            try TagImage(of: VirtualISO15693Tag(product: .st25dv64k)).proxmarkFile()
        }
    }
}

/// FeliCa cards in the files of a Flipper.
@Suite struct FlipperFeliCaTests {
    @Test func `the second form of the file has a FeliCa Lite-S`() throws {
        let file = DumpTexts.feliCa.replacing(
            "Data format version: 1", with: "Data format version: 2\nIC Type: FeliCa Lite-S")
        #expect(try ForeignDumpTests.read(file).image.units == ForeignDumpTests.read(DumpTexts.feliCa).image.units)
    }

    @Test func `a card of another PMm with the blocks of Lite-S becomes a tag`() throws {
        let file = DumpTexts.feliCa.replacing("parameter: 00 F1", with: "parameter: 57 4E")
        var tag = try ForeignDumpTests.read(file).image.makeTag(filler: 0)
        #expect(tag.sendSelected("060012FC0000") == "12010102030405060708574E000000014300")
    }

    /// Two systems, the second of which is the one of NDEF.
    static let standard = """
        Filetype: Flipper NFC device
        Version: 4
        Device type: FeliCa
        UID: 01 12 34 56 78 9A BC DE
        Data format version: 2
        Manufacture id: 01 12 34 56 78 9A BC DE
        Manufacture parameter: 01 20 22 04 27 67 4E FF
        IC Type: FeliCa Standard
        System found: 2

        System 00: 0003 | Key version 0001 |
        System 00 Key: 01 23 45 67 89 AB CD EF
        Service found: 1
        Service 000: | Code 008B | Attrib. 0B | Public  | Random | Read Only  |
        Public blocks read: 1
        Block 0000: | Service code 008B | Block index 00 | Data: 09 09 09 09 09 09 09 09 09 09 09 09 09 09 09 09 |

        System 01: 12FC
        Service found: 1
        Service 000: | Code 0009 | Attrib. 09 | Public  | Random | Read/Write |
        Public blocks read: 2
        Block 0000: | Service code 0009 | Block index 00 | Data: 10 04 01 00 01 00 00 00 00 00 01 00 00 08 00 1F |
        Block 0001: | Service code 0009 | Block index 01 | Data: D1 01 04 55 04 61 2E 62 00 00 00 00 00 00 00 00 |

        """

    @Test func `a FeliCa Standard is read from its NDEF system`() throws {
        let image = try ForeignDumpTests.read(Self.standard).image
        #expect(image.unitCount == 2)
        #expect(image.unit(0)?.first == 0x10)
        var tag = try image.makeTag()
        #expect(tag.sendSelected("060012FC0000") == "12010112345678" + "9ABCDE0120220427674EFF")
    }

    @Test(arguments: ["-1", "1000", "7FFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "", "0G"])
    func `a block that no card has is refused`(index: String) {
        let text = Self.standard.replacing("Block index 01", with: "Block index \(index)")
        #expect(throws: DumpError.self) { try ForeignDumpTests.read(text) }
    }

    @Test func `a FeliCa Standard without an NDEF system is named`() {
        let other = Self.standard.replacing("12FC", with: "FE00")
        #expect(throws: DumpError(.unsupported("a FeliCa card without the NDEF system 12FC"), field: "System 00")) {
            try ForeignDumpTests.read(other)
        }
    }
}

/// Keys of a MIFARE Classic that were not read.
@Suite struct UnreadKeyTests {
    /// A card as nfcd reads it: key A is known, key B is shown as zeros.
    static func dumped() throws -> TagImage {
        var image = TagImage(try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: ForeignDumpTests.message))
        for block in stride(from: 3, to: 64, by: 4) {
            let shown = Array((image.unit(block) ?? []).prefix(10))
            image.setUnit(block, shown + [UInt8](repeating: 0, count: 6))
        }
        // Sector 5 has a key B that is shown: data.
        image.setUnit(23, hex("FFFFFFFFFFFF FF078069 000000000000"))
        image.hideUnreadKeys()
        return image
    }

    @Test func `are unknown in every format, never zeros`() throws {
        let image = try Self.dumped()
        #expect(image.units[7]?.suffix(6).allSatisfy { $0 == nil } == true)
        #expect(image.units[23]?.suffix(6).allSatisfy { $0 == 0 } == true)
        #expect(try image.flipperFile().contains("Block 7: D3 F7 D3 F7 D3 F7 7F 07 88 40 ?? ?? ?? ?? ?? ??\n"))
        #expect(try image.jsonFile().contains("\"7\": \"D3F7D3F7D3F77F078840------------\""))
        #expect(try image.classicTextFile().contains("D3F7D3F7D3F77F078840------------\n+Sector: 2\n"))
        #expect(throws: DumpError(.incomplete, field: "Block 3")) { try image.rawFile() }
    }

    @Test func `stay unknown when a file is read and saved as another`() throws {
        let image = try Self.dumped()
        var files = [try image.flipperFile(), try image.jsonFile(), try image.classicTextFile()]
        files.append(files[1].replacing("--", with: "??"))
        files.append(files[0].replacing("??", with: "--"))
        files.append(files[2].replacing("\n", with: "\r\n"))
        for file in files {
            let again = try ForeignDumpTests.read(file).image
            #expect(again.units == image.units)
            #expect(try again.classicTextFile() == image.classicTextFile())
            #expect(try ForeignDumpTests.read(again.jsonFile()).image.units == image.units)
            #expect(try ForeignDumpTests.read(again.flipperFile()).image.units == image.units)
            #expect(throws: DumpError(.incomplete, field: "Keys of sector 0, block 3")) { try again.makeTag() }
        }
    }

    static let broken = [
        "+Sector: 0\n", "+Sector: 40\n", "+Sector: x\n", "+Sector: 0\n0102\n",
        "+Sector: 0\n" + String(repeating: "00000000000000000000000000000000\n", count: 5),
        "+Sector: 1\n00000000000000000000000000000000\n", "+Sector: 0\n--------------------------------\n",
    ]

    @Test(arguments: broken) func `a broken text of MIFARE Classic Tool is refused`(text: String) {
        #expect(throws: DumpError.self) { try ForeignDumpTests.read(text) }
    }
}
