import Testing
import TestSupport

@testable import VirtualTags

/// The catalogue of tags by name.
@Suite struct VirtualTagModelTests {
    static let rows: [(name: String, model: String, memory: Int, version: String)] = [
        ("ntag213", "ntag213", 180, "0004040201000F03"),
        ("NTAG215", "ntag215", 540, "0004040201001103"),
        ("Ntag216", "ntag216", 924, "0004040201001303"),
        ("ultralight-ev1-11", "ultralight-ev1-11", 80, "0004030101000B03"),
        ("MF0UL11", "ultralight-ev1-11", 80, "0004030101000B03"),
        ("Ultralight-EV1-21", "ultralight-ev1-21", 164, "0004030101000E03"),
        ("mf0ul21", "ultralight-ev1-21", 164, "0004030101000E03"),
        ("ntag210", "ntag210", 80, "0004040101000B03"),
        ("ntag212", "ntag212", 164, "0004040101000E03"),
        ("NT3H1101", "ntag-i2c-1k", 904, "0004040502011303"),
        ("ntag-i2c-2k", "ntag-i2c-2k", 1920, "0004040502011503"),
        ("ntag203", "ntag203", 168, "NAK 0"),
        ("mf0icu1", "ultralight", 64, "NAK 0"),
        ("Ultralight-C", "ultralight-c", 192, "NAK 0"),
    ]

    @Test(arguments: rows) func `a model is found by name or alias in any case`(
        row: (name: String, model: String, memory: Int, version: String)
    ) throws {
        let model = try VirtualTagModel.named(row.name)
        #expect(model.name == row.model)
        #expect(model.memorySize == row.memory)
        var tag = try model.makeTag()
        #expect(tag.sendSelected("60") == row.version)
    }

    @Test(arguments: ["", "ntag", "ntag217", "ntag 213"]) func `an unknown name lists the known ones`(name: String) {
        let known = VirtualTagModel.all.map(\.name)
        #expect(known.count >= 29)
        let expected = VirtualTagError.unknownModel(name: name, known: known)
        #expect(throws: expected) { try VirtualTagModel.named(name) }
        #expect(expected.description.contains("ntag213, ntag215"))
        #expect(expected.description.contains("\"\(name)\""))
    }

    @Test func `names and aliases are unique, lower case and described`() {
        let names = VirtualTagModel.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0 == $0.lowercased() })
        #expect(VirtualTagModel.all.allSatisfy { !$0.description.isEmpty && $0.messageCapacity > 0 })
    }

    @Test(arguments: VirtualTagModel.all.map(\.name)) func `a model makes tags with identifier and message`(
        name: String
    ) throws {
        let model = try VirtualTagModel.named(name)
        // The last bit: the first byte of an identifier determines its kind.
        var identifier = try model.makeTag().identifier
        identifier[identifier.count - 1] ^= 0x01
        let tag = try model.makeTag(identifier: identifier, ndefMessage: hex("D0 00 00"))
        #expect(tag.identifier == identifier)
        #expect(throws: VirtualTagError.self) { try model.makeTag(identifier: [1]) }
        let tooLarge = [UInt8](repeating: 0, count: model.messageCapacity + 1)
        #expect(throws: VirtualTagError.self) { try model.makeTag(ndefMessage: tooLarge) }
    }

    static let sentences: [(VirtualTagError, String)] = [
        (.messageTooLarge(size: 9, capacity: 8), "the NDEF message has 9 bytes, the tag takes at most 8"),
        (.wrongMemorySize(size: 1, expected: 180), "the memory image has 1 bytes, the tag has 180"),
        (.wrongIdentifierSize(size: 4, expected: 7), "the identifier has 4 bytes, the tag has 7"),
        (.wrongSignatureSize(size: 0, expected: 32), "the signature has 0 bytes, the tag has 32"),
        (.wrongCounters(count: 4, expected: 3), "4 counter values were given, the tag has 3 counters of 24 bits"),
    ]

    @Test(arguments: sentences) func `errors are sentences`(error: VirtualTagError, sentence: String) {
        #expect(error.description == sentence)
    }
}
