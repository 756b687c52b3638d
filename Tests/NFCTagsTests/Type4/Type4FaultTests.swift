import ISO7816
import NFCTags
import Synchronization
import TestSupport
import Testing

private typealias Talk = Type4Conversations

@Suite struct `A faulty Type 4 tag` {
    /// Application, container file, container, file, length with the beginning, rest.
    static let reading: [ScriptedCard.Turn] = Talk.opened(
        Talk.plainContainer, ("00B000003B", "003C" + String(repeating: "D1", count: 57) + "9000"),
        ("00B0003B03", "D1D1D19000"))
    /// The same with a tag that gives the length alone only.
    static let cautious: [ScriptedCard.Turn] = Talk.opened(
        Talk.plainContainer, ("00B000003B", "6700"), ("00B0000002", "00039000"), ("00B0000203", "D000009000"))

    @Test(arguments: ["", "90"])
    func `without a status word gives error 102 wherever it happens`(answer: String) async {
        for turn in 1...6 {
            let card = ScriptedCard(Self.reading, answering: answer, at: turn)
            let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).readNDEF() }
            #expect(error?.code == .tagResponseError)
            #expect(error?.response == hex(answer))
            #expect(card.count == turn)
        }
    }

    @Test(arguments: [("lost", NFCErrorCode.tagConnectionLost), ("silent", .tagResponseError)])
    func `without an answer ends the reading`(answer: String, code: NFCErrorCode) async {
        for turn in 1...6 {
            let card = ScriptedCard(Self.reading, answering: answer, at: turn)
            let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).readNDEF() }
            #expect(error?.code == code)
            #expect(card.count == turn)
        }
    }

    static let reads: [(turn: Int, answer: String)] = [
        (3, "9000"), (3, Talk.plainContainer + "009000"),
        (4, "6A82"), (4, "6982"), (4, "9100"),
        (6, "9000"), (6, "0000039000"), (6, "6282"), (6, "6B00"), (6, "6982"), (6, "6F00"), (6, "6C02"), (6, "0000"),
        (7, "9000"), (7, "D00000009000"), (7, "6282"), (7, "6700"), (7, "6982"), (7, "D000006300"), (7, "6C03"),
    ]

    @Test(arguments: reads)
    func `that contradicts its container gives error 102`(turn: Int, answer: String) async {
        let card = ScriptedCard(Self.cautious, answering: answer, at: turn)
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.response == hex(answer), "\(error?.detail ?? "")")
        #expect(card.count == turn)
    }

    static let refusals: [(turn: Int, answer: String, reason: String)] = [
        (2, "6A82", "no capability container: 6A82"), (2, "6982", "no capability container: 6982"),
        (3, "6982", "the capability container cannot be read: 6982"), (3, "6A82", "cannot be read: 6A82"),
        (3, "6282", "cannot be read: 6282"), (3, String(repeating: "00", count: 15) + "9000", "15 is the least"),
        (3, String(repeating: "FF", count: 15) + "9000", "6700"),
    ]

    @Test(arguments: refusals)
    func `that has no container is one without NDEF`(turn: Int, answer: String, reason: String) async throws {
        var turns = Self.reading
        // A container that says it is 65,535 bytes long is read up to 1024.
        turns[3] = answer.hasPrefix("FF") ? ("00B0000FFF", "6700") : turns[3]
        let card = ScriptedCard(turns, answering: answer, at: turn)
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.status == .notSupported)
        #expect(result.reason?.contains(reason) == true, "\(result.reason ?? "")")
    }

    @Test(arguments: ["6A82", "6D00", "6E00", "6999", "911C", "6F00"])
    func `that refuses both applications is one without NDEF`(answer: String) async throws {
        let card = ScriptedCard([
            (Talk.application.command, answer), ("00A4040007D276000085010000", answer),
        ])
        let result = try await Type4Tag(channel: card).readNDEF()
        #expect(result.status == .notSupported)
        #expect(result.reason?.contains("no NDEF application: \(answer)") == true)
        #expect(card.isFinished)
    }

    @Test(arguments: [("07FF", 2_047), ("FFFF", 65_535)])
    func `whose message is longer than its file is damaged, and not read past the end`(length: String, count: Int) async
    {
        let card = ScriptedCard(Talk.opened(Talk.plainContainer, ("00B000003B", length + "9000")))
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("its message has \(count) bytes, 2046 fit") == true)
        #expect(card.isFinished)
    }

    @Test func `that was replaced by another is discovered again`() async throws {
        let first = Array(Self.reading) + [Talk.application, (Talk.file.command, "6A82")]
        let other: [ScriptedCard.Turn] = [
            Talk.application, Talk.container, ("00B000000F", "000F20003B00340406E10508000000" + "9000"),
            ("00A4000C02 E105", "9000"), ("00B000003B", "00009000"),
        ]
        let card = ScriptedCard(first + other)
        let tag = Type4Tag(channel: card)
        _ = try await tag.readNDEF()
        let error = await #expect(throws: TagError.self) { try await tag.readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(try await tag.readNDEF().message == nil)
        #expect(card.isFinished)
    }

    @Test func `that refuses its own MLe gives error 102 with its status word`() async {
        let card = ScriptedCard(
            Talk.opened(
                Talk.plainContainer, ("00B000003B", "0064" + String(repeating: "D1", count: 57) + "9000"),
                ("00B0003B2B", "6700")))
        let error = await #expect(throws: TagError.self) { try await Type4Tag(channel: card).readNDEF() }
        #expect(error?.statusWord == .wrongLength)
    }

    /// Answers with random bytes, most of the time ending in 9000.
    final class Noise: CardChannel {
        let generator: Mutex<SplitMix>
        let count = Mutex(0)
        init(seed: UInt64) { generator = Mutex(SplitMix(seed: seed)) }

        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
            count.withLock { $0 += 1 }
            return generator.withLock { generator in
                let wanted = command.count == 5 ? Int(command[4]) : 0
                let size = generator.next() % 4 == 0 ? Int(generator.next() % 20) : wanted
                var bytes = generator.bytes(count: size)
                if size == 15, generator.next() % 2 == 0 { bytes = hex(Type4Conversations.plainContainer) }
                return bytes + (generator.next() % 8 == 0 ? generator.bytes(count: 2) : [0x90, 0x00])
            }
        }
    }

    @Test func `random answers never trap and never loop`() async {
        for seed in 0..<300 {
            let noise = Noise(seed: UInt64(seed))
            let tag = Type4Tag(channel: noise)
            _ = try? await tag.readNDEF()
            try? await tag.writeNDEF([0xD0, 0, 0], verifying: true)
            try? await tag.makeReadOnly()
            _ = try? await tag.queryStatus()
            _ = try? await tag.describe()
            _ = try? await tag.dump()
            #expect(noise.count.withLock { $0 } < 5_000)
        }
    }
}
