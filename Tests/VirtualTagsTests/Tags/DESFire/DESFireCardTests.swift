import Testing
import TestSupport

@testable import VirtualTags

/// DESFire EV1, command by command.
@Suite struct DESFireCardTests {
    static func card(_ product: VirtualDESFireProduct, message: String = "D00000", isWritable: Bool = true) throws
        -> VirtualDESFireCard
    {
        var card = try VirtualDESFireCard(
            product: product, identifier: hex("04112233445580"),
            applications: [try product.application(message: hex(message), isWritable: isWritable)]
        ) { [UInt8](repeating: 0, count: $0) }
        card.activate()
        return card
    }

    static func check(_ conversation: [Turn], on card: inout VirtualDESFireCard) {
        for (number, turn) in conversation.enumerated() {
            #expect(card.send(turn.command) == turn.answer, "\(number): \(turn.command)")
        }
    }

    static let native: [Turn] = [
        Turn("90 60 00 00 00", "0401010100180591AF"),
        Turn("90 AF 00 00 00", "0401010104180591AF"),
        Turn("90 AF 00 00 00", "04112233445580BA5EBA110026249100"),
        Turn("90 AF 00 00 00", "911C"),
        Turn("90 60 00 00 01 00 00", "917E"),
        Turn("90 60 00 00", "917E"),
        Turn("90 60 01 00 00", "919E"),
        Turn("90 6A 00 00 00", "0100009100"),
        Turn("90 6F 00 00 00", "919D"),
        Turn("90 F5 00 00 01 01 00", "919D"),
        Turn("90 5A 00 00 03 02 00 00 00", "91A0"),
        Turn("90 5A 00 00 02 01 00 00", "917E"),
        Turn("90 5A 00 00 03 01 00 00 00", "9100"),
        Turn("90 6A 00 00 00", "919D"),
        Turn("90 6F 00 00 00", "01029100"),
        Turn("90 61 00 00 00", "03E104E19100"),
        Turn("90 F5 00 00 01 01 00", "000000E00F00009100"),
        Turn("90 F5 00 00 01 02 00", "0000E0EE0008009100"),
        Turn("90 F5 00 00 01 03 00", "91F0"),
        Turn("90 BD 00 00 07 01 00 00 00 00 00 00 00", "000F20003B00340406E104080000009100"),
        Turn("90 BD 00 00 07 02 00 00 00 05 00 00 00", "0003D000009100"),
        Turn("90 BD 00 00 07 02 02 00 00 03 00 00 00", "D000009100"),
        Turn("90 BD 00 00 07 02 00 08 00 01 00 00 00", "91BE"),
        Turn("90 BD 00 00 07 02 FF 07 00 02 00 00 00", "91BE"),
        Turn("90 BD 00 00 07 03 00 00 00 01 00 00 00", "91F0"),
        Turn("90 BD 00 00 06 02 00 00 00 05 00 00", "917E"),
        Turn("90 3D 00 00 09 02 00 00 00 02 00 00 00 01 00", "9100"),
        Turn("90 3D 00 00 08 02 02 00 00 03 00 00 AA 00", "91AF"),
        Turn("90 AF 00 00 01 BB 00", "91AF"),
        Turn("90 AF 00 00 01 CC 00", "9100"),
        Turn("90 BD 00 00 07 02 00 00 00 05 00 00 00", "0001AABBCC9100"),
        Turn("90 3D 00 00 08 02 00 00 00 02 00 00 EE 00", "91AF"),
        Turn("90 AF 00 00 02 EE EE 00", "917E"),
        Turn("90 3D 00 00 08 02 00 00 00 02 00 00 EE 00", "91AF"),
        Turn("90 60 00 00 00", "91CA"),
        Turn("90 BD 00 00 07 02 00 00 00 02 00 00 00", "00019100"),
        Turn("90 3D 00 00 08 01 00 00 00 01 00 00 EE 00", "91AE"),
        Turn("90 3D 00 00 08 02 00 08 00 01 00 00 EE 00", "91BE"),
        Turn("90 3D 00 00 06 02 00 00 00 01 00 00", "917E"),
        // Zeros, encrypted with a key of zeros.
        Turn("90 AA 00 00 01 00 00", "66E94BD4EF8A2C3B884CFA59CA342B2E91AF"),
        Turn("90 AF 00 00 20 " + String(repeating: "00", count: 32) + " 00", "91AE"),
        Turn("90 AA 00 00 01 00 00", "66E94BD4EF8A2C3B884CFA59CA342B2E91AF"),
        Turn("90 AF 00 00 10 00000000000000000000000000000000 00", "917E"),
        Turn("90 0A 00 00 01 00 00", "91AE"),
        Turn("90 1A 00 00 01 00 00", "91AE"),
        Turn("90 AA 00 00 01 07 00", "9140"),
        Turn("90 AA 00 00 00", "917E"),
        Turn("90 71 00 00 02 00 00 00", "911C"),
        Turn("90 5F 00 00 01 02 00", "91AE"),
        Turn("90 FC 00 00 00", "91AE"),
        Turn("90 99 00 00 00", "911C"),
        Turn("80 60 00 00 00", "6E00"),
    ]

    @Test func `DESFire EV1 takes wrapped native commands`() throws {
        var card = try Self.card(.desfireEV1)
        Self.check(Self.native, on: &card)
    }

    static let iso: [Turn] = [
        Turn("00 A4 04 00 07 D2 76 00 00 85 01 01 00", "9000"),
        Turn("00 A4 00 0C 02 E1 03", "9000"),
        Turn("00 B0 00 00 0F", "000F20003B00340406E104080000009000"),
        Turn("00 B0 00 00 3C", "6700"),
        Turn("00 D6 00 0E 01 FF", "6982"),
        Turn("00 A4 00 0C 02 E1 04", "9000"),
        Turn("00 B0 00 00 05", "0003D000009000"),
        Turn("00 D6 00 00 02 00 00", "9000"),
        Turn("00 D6 00 00 35" + String(repeating: " 00", count: 53), "6700"),
    ]

    @Test func `DESFire EV1 takes ISO commands on the same files`() throws {
        var card = try Self.card(.desfireEV1)
        Self.check(Self.iso, on: &card)
        #expect(card.send("90 BD 00 00 07 02 00 00 00 05 00 00 00") == "0000D000009100")
    }

    @Test func `a long file comes in frames of 59 bytes`() throws {
        var card = try Self.card(.desfireEV1)
        #expect(card.send("90 5A 00 00 03 01 00 00 00") == "9100")
        var answer = card.send("90 BD 00 00 07 02 00 00 00 00 00 00 00")
        var frames: [Int] = []
        while answer.hasSuffix("91AF") {
            frames.append(answer.count / 2 - 2)
            answer = card.send("90 AF 00 00 00")
        }
        #expect(frames == Array(repeating: 59, count: 34))
        #expect(answer.count == (42 + 2) * 2)
    }

    @Test func `a message may need a key to be written`() throws {
        var card = try Self.card(.desfireEV1, isWritable: false)
        #expect(card.send("00 A4 04 00 07 D2 76 00 00 85 01 01 00") == "9000")
        #expect(card.send("00 A4 00 0C 02 E1 04") == "9000")
        #expect(card.send("00 D6 00 00 02 00 00") == "6982")
        #expect(card.send("90 3D 00 00 08 02 00 00 00 01 00 00 EE 00") == "91AE")
        #expect(card.send("90 F5 00 00 01 02 00") == "000000E00008009100")
        #expect(card.send("90 BD 00 00 07 01 0E 00 00 01 00 00 00") == "FF9100")
    }

    @Test func `an unfinished command does not outlive the field`() throws {
        var card = try Self.card(.desfireEV1)
        #expect(card.send("90 60 00 00 00").hasSuffix("91AF"))
        card.fieldDropped()
        #expect(card.send("90 AF 00 00 00") == "silence")
        card.activate()
        #expect(card.send("90 AF 00 00 00") == "911C")
        #expect(card.send("00 A4 00 0C 02 E1 03") == "6A82")
        #expect(card.send("00") == "6700")
    }
}
