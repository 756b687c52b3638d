import Testing

@testable import VirtualTags

/// PWD_AUTH, AUTH0, PROT, AUTHLIM and CFGLCK on every product.
@Suite struct Type2PasswordTests {
    /// A tag with password 01020304, PACK A1A2, and the given ACCESS and AUTH0, freshly powered.
    static func tag(_ product: Type2Product, access: UInt8, auth0: UInt8) throws -> Type2Tag {
        var tag = try Type2Tag.selected(product)
        let page = UInt8(product.firstConfigurationPage)
        #expect(tag.send("A2" + hex([page + 2]) + "01020304") == "ACK")
        #expect(tag.send("A2" + hex([page + 3]) + "A1A20000") == "ACK")
        #expect(tag.send("A2" + hex([page + 1, access]) + "050000") == "ACK")
        #expect(tag.send("A2" + hex([page]) + "000000" + hex([auth0])) == "ACK")
        tag.repower()
        return tag
    }

    @Test(arguments: Type2Product.answeringVersion) func `the factory password is all ones with PACK zero`(
        product: Type2Product
    ) throws {
        var tag = try Type2Tag.selected(product)
        #expect(tag.send("1B FF FF FF FF") == "0000")
    }

    @Test(arguments: Type2Product.answeringVersion) func `the right password answers PACK`(product: Type2Product) throws
    {
        var tag = try Self.tag(product, access: 0x00, auth0: 0xFF)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("1B 04 03 02 01") == "NAK 0")
        #expect(tag.send("1B 01 02 03 04") == "silence")
    }

    @Test(arguments: Type2Product.answeringVersion) func `pages from AUTH0 on are written only with the password`(
        product: Type2Product
    ) throws {
        var tag = try Self.tag(product, access: 0x00, auth0: 0x08)
        #expect(tag.send("A2 07 01 01 01 01") == "ACK")
        #expect(tag.send("A2 08 01 01 01 01") == "NAK 0")
        #expect(tag.sendSelected("A0 08") == "NAK 0")
        #expect(tag.sendSelected("30 08").count == 32)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("A2 08 01 01 01 01") == "ACK")
        #expect(tag.send("A2" + hex([UInt8(product.firstConfigurationPage)]) + "000000FF") == "ACK")
    }

    @Test(arguments: [false, true]) func `an authentication is lost`(withField: Bool) throws {
        var tag = try Self.tag(.ntag215, access: 0x80, auth0: 0x04)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("30 04").count == 32)
        if withField { tag.fieldDropped() }
        tag.activate()
        #expect(tag.send("30 04") == "NAK 0")
    }

    @Test func `an authentication is lost with a refused command`() throws {
        var tag = try Self.tag(.ntag215, access: 0x80, auth0: 0x04)
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("A2 00 00 00 00 00") == "NAK 0")
        #expect(tag.sendSelected("30 04") == "NAK 0")
    }

    @Test(arguments: UInt8(1)...7) func `after AUTHLIM wrong passwords none is taken any more`(limit: UInt8) throws {
        var tag = try Self.tag(.ntag213, access: 0x80 | limit, auth0: 0x04)
        for attempt in 1...limit {
            #expect(tag.sendSelected("1B 00 00 00 00") == "NAK 0", "attempt \(attempt)")
        }
        #expect(tag.failedAttempts == Int(limit))
        #expect(tag.sendSelected("1B 01 02 03 04") == "NAK 4")
        tag.repower()
        #expect(tag.send("1B 01 02 03 04") == "NAK 4")
        #expect(tag.sendSelected("30 04") == "NAK 0")
        #expect(tag.sendSelected("30 00").count == 32)
    }

    @Test func `the right password in time forgives wrong ones`() throws {
        var tag = try Self.tag(.mf0ul21, access: 0x02, auth0: 0x04)
        for _ in 1...4 {
            #expect(tag.sendSelected("1B 00 00 00 00") == "NAK 0")
            #expect(tag.sendSelected("1B 01 02 03 04") == "A1A2")
        }
        #expect(tag.failedAttempts == 0)
    }

    @Test func `without AUTHLIM any number of attempts is taken`() throws {
        var tag = try Self.tag(.ntag216, access: 0x00, auth0: 0x04)
        for _ in 1...20 {
            #expect(tag.sendSelected("1B 00 00 00 00") == "NAK 0")
        }
        #expect(tag.sendSelected("1B 01 02 03 04") == "A1A2")
    }

    @Test(arguments: Type2Product.answeringVersion) func `CFGLCK locks both configuration pages from the next power-on`(
        product: Type2Product
    ) throws {
        var tag = try Type2Tag.selected(product)
        let page = UInt8(product.firstConfigurationPage)
        #expect(tag.send("A2" + hex([page + 1]) + "40050000") == "ACK")
        #expect(tag.send("A2" + hex([page + 1]) + "40050000") == "ACK")
        tag.repower()
        #expect(tag.send("A2" + hex([page + 1]) + "00050000") == "NAK 0")
        #expect(tag.sendSelected("A2" + hex([page]) + "000000FF") == "NAK 0")
        #expect(tag.sendSelected("A2" + hex([page + 2]) + "01020304") == "ACK")
        #expect(tag.send("A2" + hex([page + 3]) + "A1A20000") == "ACK")
        #expect(tag.send("1B 01 02 03 04") == "A1A2")
    }

    @Test func `an image with CFGLCK comes up locked`() throws {
        var memory = try Type2Tag(product: .ntag213).memory
        memory[42 * 4] = 0x40
        var tag = try Type2Tag(product: .ntag213, memory: memory)
        #expect(tag.sendSelected("A2 29 04 00 00 04") == "NAK 0")
    }

    @Test func `AUTH0 protects the lock bytes too`() throws {
        var tag = try Self.tag(.ntag213, access: 0x00, auth0: 0x02)
        #expect(tag.send("A2 02 00 00 FF FF") == "NAK 0")
        #expect(tag.sendSelected("A2 28 FF 0F 3F 00") == "NAK 0")
        #expect(tag.sendSelected("1B 01 02 03 04") == "A1A2")
        #expect(tag.send("A2 02 00 00 FF FF") == "ACK")
    }
}
