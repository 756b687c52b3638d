import NFCTags
import Testing
import VirtualTags

@Suite struct `A MIFARE Classic card pulled away` {
    static let pairs: [(row: Int, old: Int, new: Int, cases: Int)] = [
        (1, 20, 10, 33), (1, 10, 60, 78), (1, 60, 254, 216), (1, 254, 255, 246), (1, 255, 254, 246), (1, 256, 30, 123),
        (1, 0, 716, 516), (1, 716, 0, 252), (0, 190, 189, 174), (0, 0, 190, 153), (0, 190, 12, 87), (2, 700, 760, 651),
    ]

    @Test(arguments: pairs.indices) func `holds the old message, none or the new one`(index: Int) async throws {
        let (row, old, new, expected) = Self.pairs[index]
        let (product, size, _) = ClassicCards.all[row]
        let cases = try await TearTest(
            makeCard: { try ClassicCards.reader(product, ClassicCards.message(old)) },
            makeTag: { MIFAREClassicNDEFTag(channel: $0, size: size) },
            old: ClassicCards.message(old), new: ClassicCards.message(new, from: 77)
        ).run()
        #expect(cases == expected)
    }
}
