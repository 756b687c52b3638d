import ISO7816
import Testing

@testable import NFCTags

@Suite struct `A file beyond offset 7FFF` {
    static func file(_ card: ScriptedCard, read: Int = 20, write: Int = 20) -> BinaryFile {
        BinaryFile(card: ISO7816Stack(channel: card), maximumReadSize: read, maximumWriteSize: write)
    }

    @Test func `is read with the offset in a data object`() async throws {
        let card = ScriptedCard([
            ("00B07FFE07", "0102036282"), ("00B1000005 5403008001 06", "5304040506079000"),
        ])
        #expect(try await Self.file(card).read(0x7FFE..<0x8005) == [1, 2, 3, 4, 5, 6, 7])
        #expect(card.isFinished)
    }

    @Test func `is read in pieces that fit with their header`() async throws {
        let card = ScriptedCard([
            ("00B1000005 5403010000 14", "5312" + String(repeating: "AA", count: 18) + "9000"),
            ("00B1000005 5403010012 04", "7302BBBB9000"),
        ])
        #expect(try await Self.file(card).read(0x10000..<0x10014).count == 20)
    }

    static let nonsense = [
        "9000", "53009000", "5305010203 9000", "5303010203 9000", "540201029000", "01029000", "5302 9000",
        "53020102009000", "5380010200009000", "6B00", "6282", "6A81", "6700",
    ]

    @Test(arguments: nonsense)
    func `that answers no data object is refused`(answer: String) async {
        let card = ScriptedCard([("00B1000005 5403008000 04", answer)])
        let error = await #expect(throws: TagError.self) { try await Self.file(card).read(0x8000..<0x8002) }
        #expect(error?.code == .tagResponseError)
        #expect(card.count == 1)
    }

    @Test func `is written with two data objects`() async throws {
        let card = ScriptedCard([
            ("00D67FFF03 010203", "9000"), ("00D700000A 5403008002 5303 040506", "9000"),
        ])
        let file = Self.file(card)
        try await file.write(BinaryUpdate(offset: 0x7FFF, bytes: [1, 2, 3]))
        try await file.write(BinaryUpdate(offset: 0x8002, bytes: [4, 5, 6]))
        #expect(card.isFinished)
    }

    static let pieces: [(write: Int, offset: Int, count: Int, sizes: [Int])] = [
        (20, 0, 50, [20, 20, 10]), (20, 0x7FFF, 30, [20, 10]), (20, 0x7FF0, 40, [20, 13, 7]),
        (255, 0x8000, 255, [247, 8]), (8, 0x8000, 3, [1, 1, 1]), (20, 0x8000, 0, []), (0, 0, 2, [1, 1]),
    ]

    @Test(arguments: pieces)
    func `is written in pieces that fit with their headers`(
        write: Int, offset: Int, count: Int, sizes: [Int]
    ) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let updates = Self.file(ScriptedCard([] as [ScriptedCard.Turn]), write: write).updates(bytes, at: offset)
        #expect(updates.map(\.bytes.count) == sizes)
        #expect(updates.flatMap(\.bytes) == bytes)
        #expect(updates.first.map { $0.offset == offset } ?? true)
    }
}
