import Testing
import TestSupport

@testable import VirtualTags

/// A dump becomes a tag, or is refused with the position of the fault.
@Suite struct DumpTagTests {
    static func refusal(_ image: TagImage, filler: UInt8? = nil) -> DumpError? {
        do throws(DumpError) {
            _ = try image.makeTag(filler: filler)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a Classic with unknown keys names the sector`() throws {
        var image = TagImage(try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: []))
        let keys: [UInt8?] = hex("7F078840").map { $0 }
        image.setUnit(11, [UInt8?](repeating: nil, count: 6) + keys + [UInt8?](repeating: nil, count: 6))
        let error = try #require(Self.refusal(image))
        #expect("\(error)" == "Keys of sector 2, block 11: these bytes are not known, so no tag can be made")
        var tag = try image.makeTag(filler: 0xFF)
        #expect(tag.sendSelected("60 08 FFFFFFFFFFFF") == "ACK")
        image.setUnit(9, [UInt8?](repeating: nil, count: 16))
        #expect(Self.refusal(image)?.field == "Sector 2, block 9")
    }

    @Test func `a Classic needs its UID and check byte in block 0`() throws {
        let whole = TagImage(try VirtualMIFAREClassicTag(product: .mini, identifier: [1, 2, 3, 4]))
        #expect(Self.refusal(whole) == nil)
        var broken = whole
        broken.setUnit(0, hex("01020304050904006262626262626262").map { $0 })
        #expect(Self.refusal(broken)?.field == "Block 0, UID and its check byte")
        var other = whole
        other.identifier = [1, 2, 3, 5]
        #expect(Self.refusal(other) != nil)
        other.identifier = [UInt8](0..<10)
        #expect(Self.refusal(other)?.reason == .tag(.wrongIdentifierSize(size: 10, expected: 4)))
        let long = try VirtualMIFAREClassicTag(product: .fourK, identifier: hex("04112233445580"))
        #expect(try TagImage(long).makeTag().identifier == long.identifier)
        var short = TagImage(kind: .mifareClassic, identifier: [1, 2, 3, 4], unitSize: 16, unitCount: 63)
        short.product = "1K"
        #expect(Self.refusal(short)?.reason == .unsupported("a MIFARE Classic of 63 blocks"))
    }

    @Test func `an identifier that the memory contradicts is refused`() throws {
        var image = TagImage(try VirtualType2Tag(product: .ntag213, identifier: hex("04112233445580")))
        image.identifier[6] = 0x81
        #expect("\(try #require(Self.refusal(image)))" == "UID: the memory has 04 11 22 33 44 55 80 in its place")
        var topaz = TagImage(try VirtualTopazTag(product: .topaz))
        topaz.identifier = Array(topaz.identifier.prefix(4))
        #expect(Self.refusal(topaz) == nil)
        topaz.identifier[0] ^= 1
        #expect(Self.refusal(topaz)?.field == "UID")
    }

    @Test func `an unknown vicinity tag keeps its size, its UID and its IC reference`() throws {
        var image = TagImage(kind: .iso15693, identifier: hex("E016112233445566"), unitSize: 8, unitCount: 13)
        image.facts.icReference = 0x77
        image.facts.dsfid = 0x05
        #expect(Self.refusal(image) == DumpError(.incomplete, field: "Block 0"))
        var tag = try image.makeTag(filler: 0x5A)
        #expect(tag.sendSelected("02 2B") == "000F66554433221116E005000C0777")
        #expect(tag.send("02 20 0C") == "005A5A5A5A5A5A5A5A")
        #expect(tag.send("02 20 0D") == "0110")
        for (size, count) in [(0, 4), (4, 0), (32, 4097)] {
            let odd = TagImage(kind: .iso15693, identifier: image.identifier, unitSize: size, unitCount: count)
            #expect(Self.refusal(odd, filler: 0) != nil)
        }
    }

    @Test func `a FeliCa card answers with its own PMm`() throws {
        var image = TagImage(try VirtualFeliCaTag(product: .type3, ndefMessage: [0xD0, 0, 0]))
        image.facts.manufactureParameter = hex("0120220427674EFF")
        var tag = try image.makeTag()
        #expect(tag.sendSelected("060012FC0000") == "1201" + hex(tag.identifier) + "0120220427674EFF")
        image.facts.manufactureParameter = nil
        #expect(Self.refusal(image) == DumpError(.missing, field: "PMm"))
    }

    /// Containers, and whether a tag can be made with files E104 and 0001.
    static let containers: [(String, Bool)] = [
        ("000F20003B00340406E104080000 00", true), ("000F2000FF00FF0406000100FE00FF", true),
        ("001130 00FF00FF 0608E104 00010000 0000", true), ("000F10000F000104 06E10400FE0000", true),
        ("000F20003B00340406E105080000 00", false), ("000F20003B00340406E1040800 00", false),
        ("001020003B00340406E104080000 00", false), ("000E20003B00340406E104080000 00", false),
        ("000F30003B00340406E104080000 00", false), ("001120003B0034 0608E104 00010000 0000", false),
        ("000F20003B00340506E104080000 00", false), ("", false), ("000F", false),
    ]

    @Test(arguments: containers) func `a capability container decides`(container: String, isTaken: Bool) throws {
        let bytes = hex(container)
        let files: [UInt16: [UInt8]] = [0xE103: bytes, 0xE104: hex("0003D00000"), 1: hex("0000")]
        let image = TagImage(identifier: hex("04112233445580"), files: files)
        guard isTaken else {
            #expect(Self.refusal(image)?.reason == .tag(.wrongCapabilityContainer))
            return
        }
        let card = try #require(try image.makeTag() as? VirtualType4Card)
        #expect(card.capabilityContainer == bytes)
        #expect(try TagImage(of: card) == image)
    }

    @Test func `a Type 4 tag without a container is refused`() {
        let image = TagImage(identifier: hex("04112233445580"), files: [0xE104: [0, 0]])
        #expect(Self.refusal(image) == DumpError(.missing, field: "files.E103"))
    }
}
