import Testing
import TestSupport

@testable import VirtualTags

/// Tags become images, images files, files images, and images tags.
@Suite struct DumpRoundTripTests {
    static let message = hex("D1010C55046578616D706C652E636F6D")

    /// Commands that reveal most of the state of a tag of any type.
    static let probes: [[String]] = [
        ["30 00", "30 04", "30 28", "60", "3C 00", "39 02"],
        ["60 00 FFFFFFFFFFFF", "30 00", "30 03"],
        ["60 04 D3F7D3F7D3F7", "30 04"],
        ["02 2B", "02 20 00", "42 20 01", "02 23 00 1F", "02 33 0000 0300"],
        ["06 00 FF FF 00 00", "06 00 12 FC 00 00"],
        ["78 00 00 00 00 00 00"],
        ["00A4040007D2760000850101 00", "00A4000C02E103", "00B000000F", "00A4000C02E104", "00B0000020", "9060000000"],
        ["00A4040007D2760000850101 00", "905A00000301000000", "90F50000010200", "90BD0000070200000000000000"],
    ]

    static func answers(_ tag: any VirtualTag) -> [String] {
        probes.flatMap { conversation -> [String] in
            var tag = tag
            tag.activate()
            return conversation.map { tag.send($0) }
        }
    }

    static func read(_ text: String) throws -> TagImage { try TagImage(dump: Array(text.utf8)) }

    static let models = VirtualTagModel.all.map(\.name)
    /// Cards that have nothing to keep in a file as delivered.
    static let blank = ["desfire-ev1-blank", "desfire-ev2-blank", "desfire-ev3-blank"]

    @Test(arguments: models) func `every model survives a round trip through a JSON file`(name: String) throws {
        for content in [nil, [], Self.message] as [[UInt8]?] {
            let tag = try VirtualTagModel.named(name).makeTag(ndefMessage: content)
            if content == nil, Self.blank.contains(name) {
                #expect(throws: DumpError.self) { try TagImage(of: tag) }
                continue
            }
            let image = try TagImage(of: tag)
            let again = try Self.read(image.jsonFile())
            #expect(again == image)
            let copy = try again.makeTag()
            #expect(try TagImage(of: copy) == image)
            #expect(Self.answers(copy) == Self.answers(tag))
            #expect(Self.answers(tag).contains { $0 != "silence" })
        }
    }

    static let inFlipperFiles = VirtualTagModel.all.map(\.name).filter {
        !["topaz", "topaz512", "type3", "st25dv64k", "type4", "type4-extended", "ntag424", "ntag424-tt"].contains($0)
            && !$0.hasPrefix("desfire")
    }

    @Test(arguments: models) func `a Flipper file keeps every model it has a form for`(name: String) throws {
        let tag = try VirtualTagModel.named(name).makeTag(ndefMessage: Self.message)
        let image = try TagImage(of: tag)
        guard Self.inFlipperFiles.contains(name) else {
            #expect(throws: DumpError.self) { try image.flipperFile() }
            return
        }
        let again = try Self.read(image.flipperFile())
        #expect(again.units == image.units)
        #expect(again.facts == image.facts)
        #expect(Self.answers(try again.makeTag()) == Self.answers(tag))
        #expect(try again.flipperFile() == image.flipperFile())
    }

    static let raw = [
        "ntag213", "ntag215", "ntag216", "ntag210", "ntag212", "ntag203", "ultralight", "ultralight-c",
        "ultralight-ev1-11", "ultralight-ev1-21", "ultralight-aes", "mifare-classic-mini", "mifare-classic-1k",
        "mifare-classic-4k", "slix", "slix2", "st25dv04k", "tag-it",
    ]

    @Test(arguments: models) func `a binary is written only where it comes back`(name: String) throws {
        let tag = try VirtualTagModel.named(name).makeTag(ndefMessage: Self.message)
        let image = try TagImage(of: tag)
        guard Self.raw.contains(name) else {
            #expect(throws: DumpError.self) { try image.proxmarkFile() }
            return
        }
        let again = try TagImage(dump: image.proxmarkFile())
        #expect(again.units == image.units)
        #expect(Self.answers(try again.makeTag()) == Self.answers(tag))
    }

    @Test func `raw memory with a hole is refused with its place`() throws {
        var image = TagImage(try VirtualType2Tag(product: .ntag203))
        image.setUnit(7, [1, nil, 3, 4])
        #expect(throws: DumpError(.incomplete, field: "Page 7")) { try image.rawFile() }
        image.setUnit(7, [1, 2, 3, 4])
        #expect(try image.rawFile().count == 168)
        image.setUnit(0, [0x7B, 0, 0, 0])
        #expect(throws: DumpError(.unsupported("raw memory (the file would be read as another tag; use JSON)"))) {
            try image.rawFile()
        }
    }

    @Test(arguments: [32, 112, 304, 316, 320, 1024, 2048]) func `raw memory of an ISO 15693 tag is its blocks`(
        size: Int
    ) throws {
        let content =
            [0xE1, 0x40, UInt8(truncatingIfNeeded: min(size / 8, 255)), 0x01, 0x03, UInt8(Self.message.count)]
            + Self.message + [0xFE]
        let memory = content + [UInt8](repeating: 0x11, count: size - content.count)
        var image = TagImage(kind: .iso15693, identifier: hex("E004010011223344"), unitSize: 4, unitCount: size / 4)
        for block in 0..<size / 4 { image.setUnit(block, Array(memory[block * 4..<block * 4 + 4])) }
        let file = try image.rawFile()
        #expect(file == memory)
        #expect(try TagImage(dump: file).units == image.units)
        image.setUnit(3, [1, nil, 3, 4])
        #expect(throws: DumpError(.incomplete, field: "Block 3")) { try image.rawFile() }
        image.setUnit(3, [1, 2, 3, 4])
        image.setUnit(0, [0, 0, 0, 0])
        #expect(throws: DumpError.self, "it would not be read again") { try image.rawFile() }
    }

    /// UIDs of ISO/IEC 15693 start with E0, and files have them in either order. A UID without it is only found in files.
    @Test(arguments: [
        ("E004010011223344", true), ("E0040100112233E0", true), ("E504010121223344", false),
        ("0000000000000000", false),
        ("44332211000104E0", false),
    ])
    func `the binary of an ISO 15693 tag is written only with a UID that comes back`(identifier: String, fits: Bool)
        throws
    {
        var image = TagImage(kind: .iso15693, identifier: hex(identifier), unitSize: 4, unitCount: 3)
        for (block, bytes) in ["E1400100", "0300FE00", "00000000"].enumerated() { image.setUnit(block, hex(bytes)) }
        let file = try? image.proxmarkFile()
        #expect((file != nil) == fits)
        if let file { #expect(try TagImage(dump: file).identifier == image.identifier) }
    }

    @Test func `what a tag went through is kept`() throws {
        var tag = try VirtualType2Tag.selected(.ntag213, message: [])
        #expect(tag.send("A2 02 00 00 F0 0F") == "ACK")
        #expect(tag.send("A2 28 01 02 00 00") == "ACK")
        let copy = try Self.read(TagImage(tag).jsonFile()).makeTag()
        #expect((copy as? VirtualType2Tag)?.memory == tag.memory)
        var locked = copy
        #expect(locked.sendSelected("A2 05 00 00 00 00") == "NAK 0")

        var vicinity = try VirtualISO15693Tag(product: .slix, ndefMessage: [])
        for command in ["02 21 05 01020304", "02 22 05", "02 27 3D", "02 28", "02 29 07", "02 2A"] {
            #expect(vicinity.sendSelected(command) == "00")
        }
        for file in [try TagImage(vicinity).jsonFile(), try TagImage(vicinity).flipperFile()] {
            var again = try Self.read(file).makeTag()
            #expect(again.sendSelected("42 20 05") == "000101020304")
            #expect(again.send("02 21 05 00000000") == "0112")
            #expect(again.send("02 27 00") == "0112")
            #expect(again.send("02 29 00") == "0112")
            #expect(again.send("02 2B") == vicinity.send("02 2B"))
        }
    }

    @Test func `a locked NTAG I2C keeps both its sectors and its dynamic locks`() throws {
        var tag = try VirtualNTAGI2CTag(size: .twoKilobytes)
        tag.activate()
        for (command, answer) in [("C2 FF", "ACK"), ("01 00 00 00", "silence"), ("A2 E0 01 02 03 00", "ACK")] {
            #expect(tag.send(command) == answer)
        }
        #expect(tag.send("A2 00 AABBCCDD") == "ACK")
        let copy = try #require(try Self.read(TagImage(tag).flipperFile()).makeTag() as? VirtualNTAGI2CTag)
        #expect(copy.memory == tag.memory)
        #expect(copy.dynamicLock == [1, 2, 3, 0])
    }

    @Test(arguments: [false, true]) func `a DESFire keeps the write access of its container`(isWritable: Bool) throws {
        let card = try VirtualDESFireCard(product: .desfireEV1, ndefMessage: Self.message, isWritable: isWritable)
        var copy = try Self.read(TagImage(of: card).jsonFile()).makeTag()
        #expect(copy.sendSelected("00A4040007D2760000850101 00") == "9000")
        #expect(copy.send("00A4000C02E104") == "9000")
        #expect(copy.send("00D6000002 0000") == (isWritable ? "9000" : "6982"))
    }
}

/// Made-up images with holes and facts, again and again.
@Suite struct DumpPropertyTests {
    /// Kind, block sizes, most blocks and identifier sizes.
    static let kinds: [(TagImage.Kind, ClosedRange<Int>, Int, [Int])] = [
        (.type2, 4...4, 512, [4, 7]), (.mifareClassic, 16...16, 256, [4, 7, 10]), (.iso15693, 1...32, 2048, [8]),
        (.feliCa, 16...16, 400, [8]), (.topaz, 8...8, 256, [4, 7]),
    ]

    static let products = ["", "NTAG213", "a \"quoted\" \\ name", "line\nbreak\r\ttab \u{1}", "ü 🏷 \u{FFFD}"]

    static func image(_ dice: inout SplitMix) -> TagImage {
        let (kind, sizes, most, identifiers) = kinds.randomElement(using: &dice) ?? kinds[0]
        let count = Int.random(in: 1...most, using: &dice)
        var image = TagImage(
            kind: kind, product: products.randomElement(using: &dice) ?? "",
            identifier: dice.bytes(count: identifiers.randomElement(using: &dice) ?? 8),
            unitSize: Int.random(in: sizes, using: &dice), unitCount: count)
        if kind == .iso15693 { image.identifier[0] = 0xE0 }
        if kind == .mifareClassic, image.product.isEmpty { image.product = "card" }
        for number in 0..<count where Int.random(in: 0..<4, using: &dice) > 0 {
            let holes = Int.random(in: 0..<4, using: &dice) == 0
            let bytes = dice.bytes(count: image.unitSize).map { holes && $0 & 1 == 0 ? nil : $0 } as [UInt8?]
            image.setUnit(kind == .feliCa ? number * 3 : number, bytes)
        }
        addFacts(to: &image, &dice)
        return image
    }

    static func addFacts(to image: inout TagImage, _ dice: inout SplitMix) {
        image.facts.atqa = dice.maybe { $0.bytes(count: 2) }
        image.facts.sak = dice.maybe { $0.bytes(count: 1)[0] }
        image.facts.version = dice.maybe { $0.bytes(count: 8) }
        image.facts.signature = dice.maybe { $0.bytes(count: 32) }
        image.facts.counters = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
            UInt32.random(in: 0...0xFF_FFFF, using: &dice)
        }
        switch image.kind {
        case .iso15693:
            image.facts.dsfid = dice.maybe { $0.bytes(count: 1)[0] }
            image.facts.afi = dice.maybe { $0.bytes(count: 1)[0] }
            image.facts.icReference = dice.maybe { $0.bytes(count: 1)[0] }
            image.facts.lockedUnits = Set((0..<image.unitCount).filter { _ in Bool.random(using: &dice) })
            image.facts.isAFILocked = Bool.random(using: &dice)
            image.facts.isDSFIDLocked = Bool.random(using: &dice)
        case .feliCa: image.facts.manufactureParameter = dice.maybe { $0.bytes(count: 8) }
        case .topaz: image.facts.header = dice.maybe { $0.bytes(count: 2) }
        case .type2, .mifareClassic, .type4: break
        }
    }

    @Test(arguments: 0..<20) func `an image with holes and facts comes back from JSON as it was`(seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        for _ in 0..<10 {
            let image = Self.image(&dice)
            let text = try image.jsonFile()
            let again = try TagImage(dump: Array(text.utf8))
            #expect(again == image)
            #expect(try again.jsonFile() == text)
            #expect(try TagImage(dump: Array(text.replacing("\n", with: "\r\n").utf8)) == image)
        }
    }

    @Test(arguments: 0..<20) func `files come back from JSON as they were`(seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        let names = (0..<Int.random(in: 0...5, using: &dice)).map { _ in UInt16.random(in: 0...0xFFFF, using: &dice) }
        var files: [UInt16: [UInt8]] = [:]
        for name in names { files[name] = dice.bytes(count: Int.random(in: 0...300, using: &dice)) }
        let image = TagImage(product: "x", identifier: dice.bytes(count: 7), files: files)
        #expect(try TagImage(dump: Array(image.jsonFile().utf8)) == image)
    }

    @Test(arguments: 0..<20) func `a Flipper file written twice is the same`(seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        var written = 0
        for _ in 0..<30 {
            guard let text = try? Self.image(&dice).flipperFile(),
                let again = try? TagImage(dump: Array(text.utf8))
            else { continue }
            written += 1
            #expect(try again.flipperFile() == text)
        }
        #expect(written > 0)
    }

    @Test(arguments: 0..<20) func `a filler leaves no hole, or there is no tag`(seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        for _ in 0..<30 {
            let image = Self.image(&dice)
            guard let tag = try? image.makeTag(filler: 0xA5) else { continue }
            let made = try TagImage(of: tag)
            for (number, bytes) in image.units where made.units[number] != nil {
                #expect(made.unit(number) == bytes.map { $0 ?? 0xA5 })
            }
        }
    }

    @Test func `a file that would be too large is not written`() {
        let image = TagImage(identifier: [1, 2, 3, 4, 5, 6, 7], files: [0xE104: [UInt8](repeating: 0, count: 600_000)])
        #expect(throws: DumpError.self) { try image.jsonFile() }
        #expect(throws: DumpError(.missing, field: "blocks")) {
            try TagImage(kind: .type2, identifier: [1, 2, 3, 4], unitSize: 4, unitCount: 0).jsonFile()
        }
    }
}

extension SplitMix {
    /// Half of the time nothing.
    fileprivate mutating func maybe<Value>(_ make: (inout SplitMix) -> Value) -> Value? {
        Bool.random(using: &self) ? make(&self) : nil
    }
}
