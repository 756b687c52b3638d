import Testing
import TestSupport

@testable import NFCTags

@Suite struct `Reading a Type 2 tag` {
    static let url = hex("D1010655016E66632E6F7267")

    static let images: [(name: String, memory: [UInt8], capacity: Int, message: [UInt8]?)] = [
        ("NTAG213", Images.ntag213(url), 137, url),
        ("NTAG213 without control TLV", Images.ntag213Bare(url), 142, url),
        ("NTAG213, empty", Images.ntag213([]), 137, nil),
        ("NTAG215", Images.ntag215(url), 492, url),
        ("NTAG215, full", Images.ntag215(Images.message(count: 492)), 492, Images.message(count: 492)),
        ("NTAG216, 254 bytes", Images.ntag216(Images.message(count: 254)), 868, Images.message(count: 254)),
        ("NTAG216, 255 bytes", Images.ntag216(Images.message(count: 255)), 868, Images.message(count: 255)),
        ("NTAG216, full", Images.ntag216(Images.message(count: 868)), 868, Images.message(count: 868)),
        (
            "Ultralight, full without terminator",
            Images.type2(pages: 16, container: "E1100600", area: hex("032E") + Images.message(count: 46)), 46,
            Images.message(count: 46)
        ),
    ]

    @Test(arguments: images)
    func `returns the message and the capacity`(
        name: String, memory: [UInt8], capacity: Int, message: [UInt8]?
    ) async throws {
        let result = try await Type2Tag(channel: FakeTag(memory)).readNDEF()
        #expect(result.status == .readWrite)
        #expect(result.capacity == capacity)
        #expect(result.message == message)
        #expect(result.warnings.isEmpty)
        #expect(result.reason == nil)
    }

    static let access: [(container: String, status: NDEFStatus, warnings: [NDEFReadWarning])] = [
        ("E1101200", .readWrite, []),
        ("E110120F", .readOnly, []),
        ("E1101208", .readOnly, [.writeNeedsPermission]),
        ("E1101202", .readOnly, []),
    ]

    @Test(arguments: access)
    func `the write access determines the status`(
        container: String, status: NDEFStatus, warnings: [NDEFReadWarning]
    ) async throws {
        let memory = Images.type2(pages: 45, container: container, area: Images.messageTLV(Self.url))
        let result = try await Type2Tag(channel: FakeTag(memory)).readNDEF()
        #expect(result.status == status)
        #expect(result.message == Self.url)
        #expect(result.warnings == warnings)
    }

    static let odd: [(area: String, message: String?, warnings: [NDEFReadWarning])] = [
        ("4102AABB 0303D00000 FE", "D00000", [.unknownTLV(type: 0x41, offset: 16, length: 2)]),
        ("FD02AABB 0302D000 FE", "D000", []),
        // Behind an unknown TLV, records are needed; a 03 may be there by chance.
        (
            "4102AABB 0302D000 FE", nil,
            [.unknownTLV(type: 0x41, offset: 16, length: 2), .noMessage(offset: 20, length: 2)]
        ),
        (
            "4102AABB 0300 FE", nil,
            [.unknownTLV(type: 0x41, offset: 16, length: 2), .noMessage(offset: 20, length: 0)]
        ),
        ("0102A00C 0302D000 FE", "D000", [.malformedControlTLV(type: 1, offset: 16, length: 2)]),
        ("0302D000 0301AA FE", "D000", [.furtherMessage(offset: 20)]),
        ("0300 0302D000 FE", nil, [.furtherMessage(offset: 18)]),
        (
            "0302D000 03FFFFFF", "D000",
            [
                .damagedAfterMessage(
                    "TLV overrun: the NDEF message TLV at byte 20 declares 65535 bytes, 136 are left")
            ]
        ),
        ("0302D000 7701AA FE", "D000", [.unknownTLV(type: 0x77, offset: 20, length: 1)]),
    ]

    @Test(arguments: odd)
    func `unusual content becomes a warning`(area: String, message: String?, warnings: [NDEFReadWarning]) async throws {
        let memory = Images.type2(pages: 45, container: "E1101200", area: hex(area))
        let result = try await Type2Tag(channel: FakeTag(memory)).readNDEF()
        #expect(result.message == message.map(hex))
        #expect(result.warnings == warnings)
        #expect(warnings.allSatisfy { !$0.description.isEmpty })
    }

    @Test(arguments: ["", "FE", "FD0201020000FE", "0103A00C34FE"])
    func `an area without a message is not NDEF`(area: String) async throws {
        let memory = Images.type2(pages: 16, container: "E1100600", area: hex(area))
        let result = try await Type2Tag(channel: FakeTag(memory)).readNDEF()
        #expect(result == .notSupported("no NDEF message TLV in the data area"))
        #expect(result.capacity == 0)
    }

    @Test func `reserved bytes in the area are neither read as data nor counted`() async throws {
        // 8 reserved bytes from byte 24 on, in the middle of the message.
        let area = hex("0203 3008 03 0306 D0 EEEEEEEEEEEEEEEE D1D2D3D4D5 FE")
        let memory = Images.type2(pages: 16, container: "E1100600", area: area)
        let result = try await Type2Tag(channel: FakeTag(memory)).readNDEF()
        #expect(result.message == hex("D0D1D2D3D4D5"))
        #expect(result.capacity == 48 - 5 - 8 - 2)
    }

    static let overruns: [(area: String, words: String)] = [
        ("032FD0", "TLV overrun: the NDEF message TLV at byte 16 declares 47 bytes, 46 are left"),
        ("03FF0400D0", "TLV overrun: the NDEF message TLV at byte 16 declares 1024 bytes, 44 are left"),
        ("0103A00C34 FDFE", "TLV overrun: the proprietary TLV at byte 21 declares 254 bytes, 41 are left"),
    ]

    @Test(arguments: overruns)
    func `a length past the area is an error that names it`(area: String, words: String) async {
        let memory = Images.type2(pages: 16, container: "E1100600", area: hex(area))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: FakeTag(memory)).readNDEF() }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail == words)
    }
}

@Suite struct `Reading an identified tag` {
    @Test func `type 2 is read`() async throws {
        let identity = TagIdentity(technology: .type2, identifier: [], atr: [])
        let message = Images.message(count: 20)
        let result = try await readNDEF(from: identity, channel: FakeTag(Images.ntag213(message)))
        #expect(result.message == message)
    }

    @Test func `an identity found on a channel leads to the message`() async throws {
        let tag = FakeTag(Images.ntag213(hex("D00000")))
        let identity = try await identify(atr: hex("3B8F8001804F0CA0000003060300030000000068"), channel: tag)
        #expect(try await readNDEF(from: identity, channel: tag).message == hex("D00000"))
    }

    @Test func `a channel can be passed as an existential`() async throws {
        let channel: any CardChannel = FakeTag(Images.ntag213(hex("D00000")))
        let identity = TagIdentity(technology: .type2, identifier: [], atr: [])
        #expect(try await readNDEF(from: identity, channel: channel).message == hex("D00000"))
    }

    static let others: [(technology: TagTechnology, words: String)] = [
        (.iso14443Part3(.a), "ISO 14443-3 type A"), (.iso14443Part3(.b), "ISO 14443-3 type B"),
        (.contact, "card with contacts"), (.unknown, "unknown technology"),
    ]

    @Test(arguments: others)
    func `other technologies are named and not accessed`(technology: TagTechnology, words: String) async throws {
        let tag = FakeTag(Images.ntag213([]))
        let identity = TagIdentity(technology: technology, identifier: [], atr: [])
        let result = try await readNDEF(from: identity, channel: tag)
        #expect(result.status == .notSupported)
        #expect(result.reason == "reading NDEF from \(words) is not supported yet")
        #expect(tag.log.isEmpty)
    }
}

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

    @Test func `skip a proprietary TLV without reading it`() async throws {
        let area = hex("FD78") + Array(repeating: 0x55, count: 120) + hex("0302D000FE")
        let tag = FakeTag(Images.type2(pages: 45, container: "E1101200", area: area))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == hex("D000"))
        #expect(tag.log == [hex("FFB0000010"), hex("FFB0000410"), hex("FFB0002210")])
    }

    @Test func `skip reserved pages without reading them`() async throws {
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

    /// 20 bytes of message end at byte 43: pages 0, 3 and 4 to 10, or two at a time, and what it takes to detect that.
    static let readers: [Reader] = [
        Reader(blockSize: 4, oversize: .shorter, exchanges: 9),
        Reader(blockSize: 4, oversize: .endOfData, exchanges: 9),
        Reader(blockSize: 4, oversize: .correctLength, exchanges: 10),
        Reader(blockSize: 4, oversize: .wrongLength, exchanges: 10),
        Reader(blockSize: 8, oversize: .shorter, exchanges: 5),
        Reader(blockSize: 8, oversize: .correctLength, exchanges: 6),
    ]

    @Test(arguments: readers)
    func `adapt to a reader that returns less`(reader: Reader) async throws {
        let message = Images.message(count: 20)
        let tag = FakeTag(
            Images.ntag213(message), .init(blockSize: reader.blockSize, oversize: reader.oversize))
        #expect(try await Type2Tag(channel: tag).readNDEF().message == message)
        #expect(tag.log.count == reader.exchanges)
    }

    @Test func `begin at page 1 if the reader refuses page 0`() async throws {
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

    @Test func `end with an error if a block reader returns less than a page`() async {
        var memory = LazyMemory(reader: EmptyReader(), pageSize: 4, pageCount: 16)
        do throws(TagError) {
            try await memory.load(0..<16)
            Issue.record("an answer of 3 bytes is not a page")
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
