import NFCTags
import Testing
import VirtualTags

@Suite struct `Type 3 tags pulled away while writing` {
    struct Row: Sendable {
        let product: FeliCaProduct
        let old: Int
        let new: Int
        let cases: Int
    }

    static let rows: [Row] = [
        Row(product: .lite, old: 0, new: 0, cases: 6), Row(product: .lite, old: 20, new: 60, cases: 27),
        Row(product: .lite, old: 208, new: 20, cases: 21), Row(product: .liteS, old: 0, new: 208, cases: 60),
        Row(product: .liteS, old: 208, new: 0, cases: 9), Row(product: .liteS, old: 208, new: 208, cases: 63),
        Row(product: .type3, old: 254, new: 255, cases: 24), Row(product: .type3, old: 300, new: 200, cases: 24),
        Row(product: .type3, old: 0, new: 1024, cases: 51), Row(product: .type3, old: 1024, new: 0, cases: 9),
        Row(product: .type3, old: 10, new: 1024, cases: 54),
    ]

    @Test(arguments: rows) func `the tag holds the old message, none or the new one`(row: Row) async throws {
        let old = Type3Bench.message(row.old)
        let test = TearTest(
            makeCard: { try Type3Bench.reader(row.product, message: old) },
            makeTag: { Type3Bench.tag($0) }, old: old, new: Type3Bench.message(row.new, from: 99))
        let cases = try await test.run()
        #expect(cases == row.cases)
    }

    @Test func `a tag torn in its data reads as empty with a warning, and can be written`() async throws {
        let reader = try Type3Bench.reader(.lite, message: Type3Bench.message(40))
        let torn = FaultInjectingCard(reader, plan: FaultPlan(.removeAfter, at: 5))
        let error = await thrown { () throws(TagError) in
            try await Type3Bench.tag(torn).writeNDEF(Type3Bench.message(40, from: 50), verifying: false)
        }
        #expect(error?.leaves == .empty)
        let result = try await Type3Bench.tag(reader).readNDEF()
        #expect(result.warnings == [.interruptedWrite])
        #expect(result.status == .readWrite)
        #expect(result.message == nil)
        let lock = await thrown { () throws(TagError) in try await Type3Bench.tag(reader).makeReadOnly() }
        #expect(lock?.code == .unsupportedFeature)
        try await Type3Bench.tag(reader).writeNDEF([0xD0, 0, 0], verifying: true)
        #expect(try await Type3Bench.tag(reader).readNDEF().message == [0xD0, 0, 0])
    }
}
