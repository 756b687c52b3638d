import TestSupport
import Testing

@testable import VirtualTags

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
