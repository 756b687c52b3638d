import Testing

@testable import VirtualTags

/// Identification commands, and what happens to frames the tag does not accept.
@Suite struct Type2CommandTests {
    static let versions: [(Type2Product, String)] = [
        (.ntag213, "0004040201000F03"), (.ntag215, "0004040201001103"), (.ntag216, "0004040201001303"),
        (.mf0ul11, "0004030101000B03"), (.mf0ul21, "0004030101000E03"),
        (.ntag210, "0004040101000B03"), (.ntag212, "0004040101000E03"),
    ]

    @Test(arguments: versions) func `GET_VERSION names the product`(product: Type2Product, version: String) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("60") == version)
        #expect(product.version == hex(version))
    }

    @Test(arguments: Type2Product.answeringVersion) func `READ_SIG answers 32 bytes`(product: Type2Product) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("3C 00").count == 64)
        #expect(tag.send("3C 01") == "NAK 0")
    }

    @Test(arguments: [Type2Product.mf0ul11, .mf0ul21]) func `VCSL answers the configured type identifier`(
        product: Type2Product
    ) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("4B" + String(repeating: "00", count: 20)) == "05")
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage + 1)]) + "00770000") == "ACK")
        #expect(tag.send("4B" + String(repeating: "AB", count: 20)) == "77")
        #expect(tag.send("4B" + String(repeating: "00", count: 19)) == "NAK 0")
    }

    /// Unknown codes, and known ones with too few or too many bytes.
    static let malformed = [
        "00", "0A", "FF", "1A 00", "C2 FF", "A6 00 00", "26", "52",
        "30", "30 00 00", "3A", "3A 00", "3A 00 00 00", "A2", "A2 04", "A2 04 01 02 03", "A2 04 01 02 03 04 05",
        "A0", "A0 04 00", "60 00", "3C", "3C 00 00", "39", "39 02 00", "1B", "1B FF FF FF", "1B FF FF FF FF FF",
        "A5", "A5 00 01 00 00", "3E", "4B", "50", "50 01",
    ]

    @Test(arguments: malformed) func `an unknown or malformed command is refused and leaves the tag mute`(
        command: String
    ) throws {
        for product in Type2Product.answeringVersion {
            var tag = try Type2Tag.selected(product)
            let before = tag.memory
            #expect(tag.send(command) == "NAK 0", "\(product.name)")
            #expect(tag.send("60") == "silence")
            #expect(tag.send("30 00") == "silence")
            #expect(tag.sendSelected("60").count == 16)
            #expect(tag.memory == before)
        }
    }

    @Test func `a tag that is not selected says nothing`() throws {
        var tag = try Type2Tag(product: .ntag215)
        #expect(tag.send("60") == "silence")
        #expect(tag.sendSelected("60") == "0004040201001103")
        tag.fieldDropped()
        #expect(tag.send("60") == "silence")
    }

    @Test func `HLTA is answered by silence and ends the selection`() throws {
        var tag = try Type2Tag.selected(.ntag215)
        #expect(tag.send("50 00") == "silence")
        #expect(tag.send("60") == "silence")
        #expect(tag.sendSelected("60") == "0004040201001103")
    }

    @Test func `an empty frame is no frame`() throws {
        var tag = try Type2Tag.selected(.ntag215)
        #expect(tag.send("") == "silence")
        #expect(tag.send("60") == "0004040201001103")
    }

    @Test func `no frame of up to three bytes traps or breaks the identifier`() throws {
        for product in Type2Product.all {
            var tag = try Type2Tag.selected(product)
            for code in UInt8.min...UInt8.max {
                for argument in [UInt8(0), 3, UInt8(product.pageCount - 1), 0xFF] {
                    for frame in [[code], [code, argument], [code, argument, argument]] {
                        tag.activate()
                        _ = tag.exchange(frame)
                    }
                }
            }
            #expect(hex(tag.identifier) == "04112233445580")
            #expect(tag.memory.count == product.memorySize)
        }
    }
}
