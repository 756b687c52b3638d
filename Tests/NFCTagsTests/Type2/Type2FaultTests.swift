import ISO7816
import NFCTags
import TestSupport
import Testing

@Suite struct `A faulty Type 2 tag` {
    static let message = Images.message(count: 60)

    struct Answer: Sendable, CustomTestStringConvertible {
        var raw: String
        var words: String
        var testDescription: String { raw.isEmpty ? "nothing" : raw }
    }

    static let answers: [Answer] = [
        Answer(raw: "", words: "the response is empty"),
        Answer(raw: "90", words: "this one is 90"),
        Answer(raw: "9000", words: "page 4 answered with 0 bytes, 16 were requested"),
        Answer(raw: "AA9000", words: "page 4 answered with 1 bytes, 16 were requested"),
        Answer(raw: "AABBCC9000", words: "page 4 answered with 3 bytes"),
        Answer(raw: "AABBCCDDEE9000", words: "page 4 answered with 5 bytes"),
        Answer(raw: String(repeating: "AA", count: 20) + "9000", words: "page 4 answered with 20 bytes"),
        Answer(raw: "6300", words: "page 4 refused: 6300 (operation failed"),
        Answer(raw: "6982", words: "page 4 refused: 6982 (security status not satisfied)"),
        Answer(raw: "6A82", words: "page 4 refused: 6A82"),
        Answer(raw: "6F00", words: "page 4 refused: 6F00"),
        Answer(raw: "6C03", words: "page 4 refused: 6C03"),
        Answer(raw: "6C00", words: "page 4 refused: 6C00"),
        Answer(raw: "6C10", words: "page 4 refused: 6C10"),
    ]

    @Test(arguments: answers)
    func `that answers malformed data gives error 102 with the raw answer`(answer: Answer) async {
        let tag = FakeTag(Images.ntag213(Self.message), .init(scripted: [2: hex(answer.raw)]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.response == hex(answer.raw))
        #expect(error?.detail.contains(answer.words) == true, "\(error?.detail ?? "")")
        #expect(tag.log.count == 2)
    }

    @Test func `that refuses keeps the status word in the error`() async {
        let tag = FakeTag(Images.ntag213(Self.message), .init(scripted: [2: hex("6982")]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.statusWord == StatusWord(rawValue: 0x6982))
    }

    @Test(arguments: 1...6)
    func `that leaves at any exchange gives error 100 and nothing more is sent`(exchange: Int) async {
        let tag = FakeTag(Images.ntag213(Self.message), .init(failures: [exchange: .tagLost]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.code == .tagConnectionLost)
        #expect(tag.log.count == exchange)
    }

    @Test func `whose data area is larger than its memory is refused clearly`() async {
        // An area of 872 bytes on the 45 pages of an NTAG213.
        let area = Images.messageTLV(Images.message(count: 300))
        let tag = FakeTag(Array(Images.type2(pages: 45, container: "E1106D00", area: area).prefix(180)))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.statusWord == .operationFailed)
        #expect(error?.detail.contains("smaller than the 872 bytes declared, or needs a password") == true)
    }

    @Test func `that refuses its header altogether is an error, not an empty tag`() async {
        let tag = FakeTag(Images.ntag213(Self.message), .init(refusedStarts: [0, 1]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.statusWord == .operationFailed)
        #expect(error?.detail.contains("page 1 refused") == true)
        #expect(tag.log.count == 2)
    }

    @Test func `that is refused for another reason is not asked again`() async {
        let tag = FakeTag(Images.ntag213(Self.message), .init(scripted: [1: hex("6982")]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.detail.contains("page 0 refused") == true)
        #expect(tag.log.count == 1)
    }

    @Test func `whose reader asks for smaller lengths each time ends in an error`() async {
        let tag = FakeTag(
            Images.ntag213(Self.message), .init(scripted: [1: hex("6C0C"), 2: hex("6C08"), 3: hex("6C04")]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(tag.log.count == 2)
    }

    @Test func `whose page 3 alone is refused by a reader of single pages is an error`() async {
        let tag = FakeTag(Images.ntag213(Self.message), .init(blockSize: 4, refusedStarts: [3]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.detail.contains("page 3 refused") == true)
    }
}

@Suite struct `Random bytes as a Type 2 tag` {
    @Test func `random data areas never trap and never read past the area`() async {
        var generator = SplitMix(seed: 2)
        for _ in 0..<3_000 {
            let container = [0xE1, 0x10, UInt8.random(in: 1...255, using: &generator), 0x00]
            var area = generator.bytes(count: 2040)
            // Small numbers make control TLVs and short lengths frequent.
            for index in area.indices where Bool.random(using: &generator) { area[index] %= 5 }
            let tag = FakeTag(Images.header + container + area)
            _ = try? await Type2Tag(channel: tag).readNDEF()
            let end = 4 + Int(container[2]) * 2
            #expect(tag.log.allSatisfy { Int($0[2]) << 8 | Int($0[3]) < end })
            #expect(tag.log.count <= 1 + (end - 4 + 3) / 4)
        }
    }

    @Test func `random answers never trap`() async {
        var generator = SplitMix(seed: 5)
        for _ in 0..<3_000 {
            var behaviour = FakeTag.Behaviour()
            for exchange in 1...8 where Int.random(in: 0...2, using: &generator) == 0 {
                let data = generator.bytes(count: Int.random(in: 0...20, using: &generator))
                let statusWord = [hex("9000"), hex("6300"), hex("6C04"), hex("6700"), []].randomElement(
                    using: &generator)
                behaviour.scripted[exchange] = data + (statusWord ?? [])
            }
            let tag = FakeTag(Images.ntag213(Images.message(count: 30)), behaviour)
            _ = try? await identify(atr: generator.bytes(count: 20), channel: tag)
            _ = try? await Type2Tag(channel: tag).readNDEF()
            #expect(tag.log.count < 60)
        }
    }
}
