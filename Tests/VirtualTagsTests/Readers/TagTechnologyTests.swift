import TestSupport
import Testing

@testable import VirtualTags

/// A tag of a test's own, which only has an identifier.
private struct Plain: VirtualTag {
    let identifier: [UInt8]
    private(set) var frames: [[UInt8]] = []

    init(_ identifier: String) {
        self.identifier = hex(identifier)
    }

    mutating func activate() {}
    mutating func fieldDropped() {}
    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        frames.append(command)
        return .data([0x00] + command)
    }
}

/// A tag that names its technology.
private struct Named: VirtualTag {
    let identifier: [UInt8]
    let technology: VirtualTagTechnology
    var cardName: UInt16?

    mutating func activate() {}
    mutating func fieldDropped() {}
    mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer { .silence }
}

@Suite struct `The technology of a tag` {
    static let identifiers: [(String, VirtualTagTechnology)] = [
        ("04112233445566", .type2), ("08010203", .type2), ("04112233445566778899", .type2),
        ("E036010203040506", .iso15693), ("E004010203040506", .iso15693), ("012E010203040506", .feliCa),
        ("02FE000000000000", .feliCa), ("", .type2),
    ]

    @Test(arguments: identifiers) func `follows from the identifier by default`(
        _ identifier: String, _ technology: VirtualTagTechnology
    ) {
        #expect(Plain(identifier).technology == technology)
    }

    @Test func `of each model is its own`() throws {
        let expected: [String: VirtualTagTechnology] = [
            "ntag215": .type2, "mifare-classic-1k": .mifareClassic, "slix": .iso15693, "felica-lite-s": .feliCa,
            "topaz512": .topaz, "type4": .iso14443Part4A, "desfire-ev1": .iso14443Part4A,
            "desfire-ev3-blank": .iso14443Part4A, "ntag424": .iso14443Part4A,
        ]
        for (name, technology) in expected {
            #expect(try VirtualTagModel.named(name).makeTag().technology == technology, "\(name)")
        }
    }

    fileprivate static let answers: [(Named, String)] = [
        (.make("E036010203040506", .iso15693), "0B0000"), (.make("E036010203040506", .iso15693, 0x0014), "0B0014"),
        (.make("012E010203040506", .feliCa), "11003B"), (.make("01020304", .mifareClassic), "030001"),
        (.make("01020304", .mifareClassic, 0x0002), "030002"), (.make("04112233445566", .type2), "030003"),
        (.make("04112233445566", .type2, 0x003D), "03003D"), (.make("01020304050607", .topaz), "03F004"),
    ]

    @Test(arguments: answers) fileprivate func `is in the answer to reset`(_ tag: Named, _ names: String) {
        let text = hex(tag.inReader().answerToReset)
        #expect(text.hasPrefix("3B8F8001804F0CA000000306\(names)00000000"), "\(text)")
    }

    @Test func `decides what a reader sends`() {
        let reader = VirtualReader(tag: Plain("E036010203040506"))
        reader.powerOn()
        _ = reader.transmit(hex("FFB0000500"))
        #expect((reader.tag as? Plain)?.frames == [[0x02, 0x20, 0x05]])
        let page = VirtualReader(tag: Plain("04112233445566"))
        page.powerOn()
        _ = page.transmit(hex("FFB0000500"))
        #expect((page.tag as? Plain)?.frames == [[0x30, 0x05]])
        let feliCa = VirtualReader(tag: Plain("012E010203040506"))
        feliCa.powerOn()
        _ = feliCa.transmit(hex("FF00000009D44001060012FC0100"))
        #expect((feliCa.tag as? Plain)?.frames == [hex("060012FC0100")])
    }

    @Test(arguments: ["generic", "acr122u", "acr1252u", "acr1552u", "omnikey-5422", "identiv", "springcard", "rc-s300"])
    func `is what a reader finds`(_ name: String) throws {
        let model = try #require(VirtualReaderModel.named(name))
        let models: [VirtualTagTechnology: String] = [
            .iso15693: "slix", .feliCa: "felica-lite-s", .topaz: "topaz512", .mifareClassic: "mifare-classic-1k",
        ]
        for (technology, product) in models {
            let own = Named(identifier: [], technology: technology)
            let isFound = try model.card(VirtualTagModel.named(product).makeTag()) != nil
            #expect((model.card(own) != nil) == isFound, "\(product)")
        }
        #expect(model.card(Named(identifier: [], technology: .iso14443Part4B)) != nil)
    }

    @Test func `type B has its answer to request as historical bytes`() throws {
        let answer = try VirtualAnswerToRequestB(
            applicationData: hex("11223344"), protocolInformation: hex("008185"), maximumBufferLengthIndex: 3)
        let card = try VirtualTypeBCard(
            identifier: hex("AABBCCDD"), answerToRequest: answer,
            applications: [FunctionApplication(aid: "A000000001") { VirtualCardResponse($0.data) }])
        let reader = card.inReader()
        reader.powerOn()
        let text = hex(reader.answerToReset)
        #expect(text.hasPrefix("3B888001112233440081853") && text.count == 26)
        #expect(reader.answerToReset.dropFirst().reduce(0, ^) == 0)
        #expect(hex(reader.transmit(hex("FFCA000000"))) == "AABBCCDD9000")
        #expect(hex(reader.transmit(hex("FFCA010000"))) == "6A81")
        #expect(hex(reader.transmit(hex("00A4040005A000000001"))) == "9000")
        #expect(hex(reader.transmit(hex("0001000001AA00"))) == "AA9000")
    }

    @Test(arguments: [("112233", "008185", 0), ("11223344", "0081", 0), ("11223344", "008185", 16), ("", "", 0)])
    func `type B refuses an answer that no card has`(_ data: String, _ information: String, _ index: UInt8) {
        #expect(throws: VirtualTagError.wrongAnswerToRequest) {
            try VirtualAnswerToRequestB(
                applicationData: hex(data), protocolInformation: hex(information), maximumBufferLengthIndex: index)
        }
    }
}

extension Named {
    fileprivate static func make(_ identifier: String, _ technology: VirtualTagTechnology, _ name: UInt16? = nil)
        -> Named
    {
        Named(identifier: hex(identifier), technology: technology, cardName: name)
    }
}
