import Testing
import TestSupport

@testable import VirtualTags

/// The keys of MIFARE Ultralight AES. The values were computed with OpenSSL: AES-128-CBC with an IV of zeros.
@Suite struct `MIFARE Ultralight AES` {
    private static let key = "0102030405060708090A0B0C0D0E0F10"

    /// A tag with the key, written as its pages take it: last byte first.
    private static func keyed(auth0: String = "04", access: String = "0C050000") throws -> VirtualType2Tag {
        var tag = try VirtualType2Tag.selected(.ultralightAES)
        for (page, bytes) in zip(48..., ["100F0E0D", "0C0B0A09", "08070605", "04030201"]) {
            #expect(tag.send("A2" + hex([UInt8(page)]) + bytes) == "ACK")
        }
        #expect(tag.send("A22A" + access) == "ACK")
        #expect(tag.send("A229000000" + auth0) == "ACK")
        tag.repower()
        return tag
    }

    /// What the reader sends after the challenge.
    private static func answer(to challenge: String, key: String = key) -> String {
        let cipher = AES128(key: hex(key))
        let number = cipher.decryptCBC(Array(hex(challenge).dropFirst()))
        let own = (0..<16).map { UInt8(0xA0 + $0) }
        return "AF" + hex(cipher.encryptCBC(own + number.dropFirst() + number.prefix(1)))
    }

    @Test func `proves that it knows the key`() {
        let number = (0..<16).map { UInt8(0xB0 + $0) }
        let challenge = Type2Keys.Challenge(stored: hex(Self.key).reversed(), number: number)
        #expect(hex(challenge.frame) == "AFE7C8D16C762ED8CA0D8D5EFC24553713")
        let answer = challenge.answer(
            to: hex("AF466BD3A94A1FFA639B33F0112A934316E916AEDE20D3529B3EBB7EFAB843907B"))
        #expect(answer.map { hex($0) } == "005F34ADE71E731DC57647EF6637D7C49F")
    }

    @Test func `is written with the key only from AUTH0 on`() throws {
        var tag = try Self.keyed()
        #expect(tag.send("A2 04 01 01 01 01") == "NAK 0")
        let challenge = tag.sendSelected("1A 00")
        #expect(tag.send(Self.answer(to: challenge)).hasPrefix("00"))
        #expect(tag.send("A2 04 01 01 01 01") == "ACK")
        tag.activate()
        #expect(tag.send("A2 04 02 02 02 02") == "NAK 0")
        // Another challenge each time, and a begun authentication ends the one before.
        let second = tag.sendSelected("1A 00")
        #expect(second != challenge)
        #expect(tag.send(Self.answer(to: second)).hasPrefix("00"))
        _ = tag.send("1A 00")
        #expect(tag.send("A2 04 02 02 02 02") == "NAK 0")
    }

    @Test func `refuses a wrong key and an old answer`() throws {
        var tag = try Self.keyed()
        let first = tag.send("1A 00")
        #expect(tag.send(Self.answer(to: first, key: String(repeating: "00", count: 16))) == "NAK 0")
        #expect(tag.send("1A 00") == "silence")
        _ = tag.sendSelected("1A 00")
        #expect(tag.send(Self.answer(to: first)) == "NAK 0")
        #expect(tag.sendSelected("1B FF FF FF FF") == "NAK 0")
    }

    @Test func `counts wrong keys up to a limit of ten bits, and a right one ends the count`() throws {
        var tag = try Self.keyed(access: "0C050201")
        #expect(tag.configuration.attemptLimit == 258)
        tag = try Self.keyed(access: "0C050200")
        for _ in 0..<3 {
            #expect(
                tag.send(Self.answer(to: tag.sendSelected("1A 00"), key: String(repeating: "00", count: 16))) == "NAK 0"
            )
            #expect(tag.failedAttempts == 1)
            #expect(tag.send(Self.answer(to: tag.sendSelected("1A 00"))).hasPrefix("00"))
            #expect(tag.failedAttempts == 0)
        }
        for _ in 0..<2 {
            _ = tag.send(Self.answer(to: tag.sendSelected("1A 00"), key: String(repeating: "00", count: 16)))
        }
        #expect(tag.sendSelected("1A 00") == "NAK 4")
        tag.repower()
        #expect(tag.send("1A 00") == "NAK 4")
    }

    @Test func `shows no key, and protects reading with PROT`() throws {
        var tag = try Self.keyed(auth0: "3C")
        #expect(tag.send("30 30") == String(repeating: "0", count: 32))
        #expect(tag.send("30 34") == String(repeating: "0", count: 32))
        tag = try Self.keyed(access: "8C050000")
        #expect(tag.send("30 04") == "NAK 0")
    }

    @Test func `locks its keys permanently`() throws {
        var tag = try Self.keyed(auth0: "3C")
        #expect(tag.send("A2 2D 40 FF FF FF") == "ACK")
        #expect(tag.send("A2 2D 00 00 00 00") == "ACK")
        #expect(tag.send("30 2D").hasPrefix("40000000"))
        #expect(tag.send("A2 30 01 02 03 04") == "NAK 0")
        #expect(tag.sendSelected("A2 34 01 02 03 04") == "ACK")
        #expect(tag.send("A2 2D 20 00 00 00") == "ACK")
        #expect(tag.send("A2 2D 80 00 00 00") == "ACK")
        #expect(tag.send("A2 34 01 02 03 04") == "ACK")
    }

    @Test func `answers no plain command after its key where SEC_MSG_ACT is set`() throws {
        var tag = try Self.keyed()
        tag = try {
            var open = try Self.keyed(auth0: "3C")
            #expect(open.send("A2 29 02 00 00 04") == "ACK")
            open.repower()
            return open
        }()
        #expect(tag.send("30 00").count == 32)
        #expect(tag.send(Self.answer(to: tag.send("1A 00"))).hasPrefix("00"))
        #expect(tag.send("30 00") == "NAK 0")
    }

    @Test func `takes frames with codes where SEC_MSG_ACT is set`() throws {
        var tag = try Self.keyed(auth0: "3C")
        #expect(tag.send("A2 29 02 00 00 04") == "ACK")
        tag.repower()
        let challenge = tag.send("1A 00")
        let randomB = AES128(key: hex(Self.key)).decryptCBC(Array(hex(challenge).dropFirst()))
        #expect(tag.send(Self.answer(to: challenge)).hasPrefix("00"))
        let session = DESFireCountedMessaging.sessionKeys(
            key: hex(Self.key), randomA: (0..<16).map { UInt8(0xA0 + $0) }, randomB: randomB)
        let cipher = AES128(key: session.authentication)
        let code = { (counter: UInt8, bytes: String) in
            hex(DESFireTransactionCode.truncated(cipher.authenticationCode([counter, 0] + hex(bytes))))
        }
        #expect(tag.send("A20401020304" + code(0, "A20401020304")) == code(1, ""))
        let read = tag.send("3004" + code(2, "3004"))
        #expect(read.hasPrefix("01020304") && read.hasSuffix(code(3, String(read.prefix(32)))))
        // The same frame again has a code of another number.
        #expect(tag.send("3004" + code(2, "3004")) == "NAK 0")
        #expect(tag.sendSelected("A2 04 00 00 00 00") == "NAK 0")
    }

    @Test func `takes 16 wrong keys off its count with a right one`() throws {
        var tag = try Self.keyed(access: "0C056400")
        for _ in 0..<20 {
            #expect(
                tag.send(Self.answer(to: tag.sendSelected("1A 00"), key: String(repeating: "00", count: 16))) == "NAK 0"
            )
        }
        #expect(tag.failedAttempts == 20 && tag.wrongAnswers == 20)
        #expect(tag.send(Self.answer(to: tag.sendSelected("1A 00"))).hasPrefix("00"))
        #expect(tag.failedAttempts == 4)
    }

    @Test func `has a second key, which opens no page`() throws {
        var tag = try Self.keyed()
        let zero = String(repeating: "00", count: 16)
        #expect(tag.hasKey(number: 0, value: hex(Self.key)) && tag.hasKey(number: 1, value: hex(zero)))
        #expect(!tag.hasKey(number: 2, value: hex(zero)))
        #expect(tag.send(Self.answer(to: tag.sendSelected("1A 01"), key: zero)).hasPrefix("00"))
        #expect(tag.send("A2 04 01 01 01 01") == "NAK 0")
        #expect(tag.sendSelected("1A 02") == "NAK 0")
    }
}
