import Testing

@testable import NFCTags

@Suite struct `Exchanges with a Type 2 tag` {
    static let counts: [(name: String, memory: [UInt8], exchanges: Int)] = [
        ("NTAG213, empty", Images.ntag213([]), 2),
        ("NTAG213, 9 bytes", Images.ntag213(Images.message(count: 9)), 2),
        ("NTAG213, 10 bytes", Images.ntag213(Images.message(count: 10)), 3),
        ("NTAG213, 25 bytes", Images.ntag213(Images.message(count: 25)), 3),
        ("NTAG213, 26 bytes", Images.ntag213(Images.message(count: 26)), 4),
        ("NTAG213, full", Images.ntag213(Images.message(count: 137)), 10),
        ("NTAG213 without control TLV, 12 bytes", Images.ntag213Bare(Images.message(count: 12)), 2),
        ("NTAG213 without control TLV, 14 bytes", Images.ntag213Bare(Images.message(count: 14)), 2),
        ("NTAG213 without control TLV, 15 bytes", Images.ntag213Bare(Images.message(count: 15)), 3),
        ("NTAG215, empty", Images.ntag215([]), 2),
        ("NTAG215, full", Images.ntag215(Images.message(count: 492)), 32),
        ("NTAG216, empty", Images.ntag216([]), 2),
        ("NTAG216, full", Images.ntag216(Images.message(count: 868)), 56),
    ]

    @Test(arguments: counts)
    func `are no more than the message needs`(name: String, memory: [UInt8], exchanges: Int) async throws {
        let tag = FakeTag(memory)
        _ = try await Type2Tag(channel: tag).readNDEF()
        #expect(tag.log.count == exchanges)
        #expect(Set(tag.log).count == exchanges, "no page is read twice")
    }

    @Test func `are FF B0 with 16 bytes, from page 0 on`() async throws {
        let tag = FakeTag(Images.ntag213(Images.message(count: 20)))
        _ = try await Type2Tag(channel: tag).readNDEF()
        #expect(tag.log == [hex("FFB0000010"), hex("FFB0000410"), hex("FFB0000810")])
    }

    @Test func `pass over a proprietary TLV without reading it`() async throws {
        let area = hex("FD78") + Array(repeating: 0x55, count: 120) + hex("0302D000FE")
        let tag = FakeTag(Images.type2(pages: 45, container: "E1101200", area: area))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == hex("D000"))
        #expect(tag.log == [hex("FFB0000010"), hex("FFB0000410"), hex("FFB0002210")])
    }

    @Test func `pass over reserved pages without reading them`() async throws {
        // 64 reserved bytes from byte 32 on; the message begins in front of them.
        let area = hex("0203 2040 04 030C") + Images.message(count: 9) + Array(repeating: 0xEE, count: 64)
        let rest = Array(Images.message(count: 12).suffix(3))
        let tag = FakeTag(Images.type2(pages: 45, container: "E1101200", area: area + rest))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == Images.message(count: 12))
        #expect(tag.log == [hex("FFB0000010"), hex("FFB0000410"), hex("FFB0001810")])
    }

    struct Reader: Sendable, CustomTestStringConvertible {
        var blockSize: Int
        var oversize: FakeTag.Oversize
        var exchanges: Int
        var testDescription: String { "\(blockSize) bytes, \(oversize)" }
    }

    /// 20 bytes of message end at byte 43: pages 0, 3 and 4 to 10, or two at a time, and what it takes to learn that.
    static let readers: [Reader] = [
        Reader(blockSize: 4, oversize: .shorter, exchanges: 9),
        Reader(blockSize: 4, oversize: .endOfData, exchanges: 9),
        Reader(blockSize: 4, oversize: .correctLength, exchanges: 10),
        Reader(blockSize: 4, oversize: .wrongLength, exchanges: 10),
        Reader(blockSize: 8, oversize: .shorter, exchanges: 5),
        Reader(blockSize: 8, oversize: .correctLength, exchanges: 6),
    ]

    @Test(arguments: readers)
    func `adapt to a reader that gives less`(reader: Reader) async throws {
        let message = Images.message(count: 20)
        let tag = FakeTag(
            Images.ntag213(message), .init(blockSize: reader.blockSize, oversize: reader.oversize))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == message)
        #expect(tag.log.count == reader.exchanges)
    }

    @Test func `begin at page 1 where the reader refuses page 0`() async throws {
        let message = Images.message(count: 6)
        let tag = FakeTag(Images.ntag213(message), .init(refusedStarts: [0]))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == message)
        #expect(tag.log.map { $0[3] } == [0, 1, 5])
    }

    @Test func `never begin at page 3, which some readers refuse`() async throws {
        let message = Images.message(count: 40)
        let tag = FakeTag(Images.ntag213(message), .init(refusedStarts: [3]))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == message)
    }

    /// A reader that looks at P2 alone would give page 0 for page 256.
    @Test func `never ask for a page above 255, where another sector begins`() async throws {
        let short = Images.message(count: 1004)
        let whole = FakeTag(Images.type2(pages: 480, container: "E110EA00", area: Images.messageTLV(short)))
        #expect(try await Type2Tag(channel: whole).readNDEF().message == short)
        #expect(whole.log.allSatisfy { $0[2] == 0 })
        let long = Images.messageTLV(Images.message(count: 1200))
        let tag = FakeTag(Images.type2(pages: 480, container: "E110EA00", area: long))
        #expect(await tagError { _ = try await Type2Tag(channel: tag).readNDEF() }?.code == .tagResponseError)
        #expect(tag.log.allSatisfy { $0[2] == 0 })
    }

    struct EmptyReader: BlockReader {
        func read(from page: Int, count: Int) async throws(TagError) -> [UInt8] { [1, 2, 3] }
    }

    @Test func `end with an error where a block reader gives less than a page`() async {
        var memory = LazyMemory(reader: EmptyReader(), pageSize: 4, pageCount: 16)
        do throws(TagError) {
            try await memory.load(0..<16)
            Issue.record("an answer of 3 bytes is no page")
        } catch {
            #expect(error.detail == "page 0 answered with 3 bytes")
            #expect(error.response == [1, 2, 3])
        }
    }

    @Test func `are not repeated for the header`() async throws {
        let fake = FakeTag(Images.ntag213(Images.message(count: 20)))
        let tag = Type2Tag(channel: fake)
        for _ in 0..<3 { #expect(try await tag.readNDEF().message == Images.message(count: 20)) }
        #expect(fake.log.map { $0[3] } == [0, 4, 8, 4, 8, 4, 8])
    }
}
