import TestSupport
import Testing

@testable import VirtualTags

/// The key, the protection and the counter of MIFARE Ultralight C.
@Suite struct `MIFARE Ultralight C` {
    static let delivered = "49454D4B41455242214E4143554F5946"
    private static let other = "0123456789ABCDEF1032547698BADCFE"

    /// What a reader answers to a challenge.
    private static func token(_ challenge: String, key: String = delivered) -> String {
        let cipher = DESFireCipher(des: hex(key))
        let first = Array(hex(challenge).dropFirst())
        let number = cipher.decryptCBC(first, vector: cipher.zero)
        return "AF"
            + hex(cipher.encryptCBC(hex("A0A1A2A3A4A5A6A7") + number.dropFirst() + number.prefix(1), vector: first))
    }

    private static func authenticate(_ tag: inout VirtualType2Tag, key: String = delivered) -> String {
        tag.send(token(tag.sendSelected("1A 00"), key: key))
    }

    @Test func `proves that it knows the delivered key`() throws {
        var tag = try VirtualType2Tag.selected(.ultralightC)
        #expect(tag.hasKey(number: 0, value: hex(Self.delivered)))
        let token = Self.token(tag.send("1A 00"))
        let answer = tag.send(token)
        let cipher = DESFireCipher(des: hex(Self.delivered))
        let plain = cipher.decryptCBC(Array(hex(answer).dropFirst()), vector: Array(hex(token).suffix(8)))
        #expect(answer.hasPrefix("00") && hex(plain) == "A1A2A3A4A5A6A7A0")
        // The order in which the pages read, and an answer to another challenge.
        #expect(Self.authenticate(&tag, key: "425245414B4D454946594F5543414E21") == "NAK 0")
        _ = tag.sendSelected("1A 00")
        #expect(tag.send(token) == "NAK 0")
        #expect(tag.wrongAnswers == 2 && tag.failedAttempts == 0)
        #expect(tag.send("1A 00") == "silence")
    }

    @Test func `is written, and with AUTH1 0 read, with the key only`() throws {
        var tag = try VirtualType2Tag.selected(.ultralightC, message: [])
        #expect(tag.send("A2 2B 01 00 00 00") == "ACK")
        #expect(tag.send("A2 2A 05 00 00 00") == "ACK")
        #expect(tag.send("A2 05 01 02 03 04") == "NAK 0")
        #expect(tag.sendSelected("30 05").count == 32)
        #expect(Self.authenticate(&tag).hasPrefix("00"))
        #expect(tag.send("A2 05 01 02 03 04") == "ACK")
        #expect(tag.send("A2 2B 00 00 00 00") == "ACK")
        #expect(tag.send("30 05").hasPrefix("01020304"))
        tag.repower()
        #expect(tag.send("30 05") == "NAK 0")
        #expect(Self.authenticate(&tag).hasPrefix("00"))
        #expect(tag.send("30 05").hasPrefix("01020304"))
        tag.activate()
        #expect(tag.send("30 05") == "NAK 0")
    }

    @Test func `takes a new key and never shows it`() throws {
        var tag = try VirtualType2Tag.selected(.ultralightC)
        for (page, bytes) in zip(44..., ["EFCDAB89", "67452301", "FEDCBA98", "76543210"]) {
            #expect(tag.send("A2" + hex([UInt8(page)]) + bytes) == "ACK")
        }
        #expect(tag.hasKey(number: 0, value: hex(Self.other)))
        #expect(tag.send("30 2C") == "NAK 0")
        #expect(Self.authenticate(&tag) == "NAK 0")
        #expect(Self.authenticate(&tag, key: Self.other).hasPrefix("00"))
        // Its lock bit is permanent.
        #expect(tag.send("A2 28 00 80 00 00") == "ACK")
        #expect(tag.send("A2 2C 00 00 00 00") == "NAK 0")
    }

    static let counts: [(String, String, String)] = [
        ("05000000", "ACK", "0500"), ("0F000000", "ACK", "1400"), ("10000000", "NAK 0", "1400"),
        ("00000000", "ACK", "1400"), ("01010000", "NAK 0", "1400"),
    ]

    @Test func `counts up by 15 at most`() throws {
        var tag = try VirtualType2Tag.selected(.ultralightC)
        for (bytes, answer, value) in Self.counts {
            #expect(tag.sendSelected("A2 29" + bytes) == answer)
            #expect(tag.sendSelected("30 29").hasPrefix(value))
        }
        var full = try VirtualType2Tag.selected(.ultralightC)
        #expect(full.send("A2 29 FE FF 00 00") == "ACK")
        #expect(full.send("A2 29 02 00 00 00") == "NAK 0")
        #expect(full.sendSelected("A2 29 01 00 00 00") == "ACK")
    }

    @Test(.enabled(if: SecureTagVectors.isAvailable, "secure-tags.jsonl is not available"))
    func `answers an observed reader`() throws {
        for row in try SecureTagVectors.rows("ulc_auth_observed", atLeast: 2) {
            let cipher = DESFireCipher(des: row.input("key"))
            let number = cipher.decryptCBC(row.input("enc_rnd_b"), vector: cipher.zero)
            #expect(number == row.expects("rnd_b"), "\(row.id)")
            let challenge = UltralightCKeys.Challenge(key: row.input("key"), number: number)
            #expect(challenge.frame == [0xAF] + row.input("enc_rnd_b"), "\(row.id)")
            let answer = challenge.answer(to: [0xAF] + row.input("token"))
            let isRight = row.expected["rnd_b_ok"] as? Bool == true
            #expect(answer == (isRight ? [0x00] + row.input("response") : nil), "\(row.id)")
        }
    }
}
