import NFCTags
import Testing
import VirtualTags

@Suite struct `Pulling a Type 4 tag away while it is written` {
    /// Old and new lengths; -1 stands for a full tag.
    static let pairs: [(old: Int, new: Int)] = [
        (20, 5), (5, 20), (253, 254), (254, 255), (255, 254), (0, -1), (-1, 0), (300, 0), (60, 61), (0, 3),
    ]

    static let rows: [Type4Case] = [.plain, .desfire, .ntag424, .version3, .small, .pieces]

    @Test(arguments: rows, pairs)
    func `leaves the old message, none or the new one`(row: Type4Case, pair: (old: Int, new: Int)) async throws {
        let old = content(min(pair.old < 0 ? row.capacity : pair.old, row.capacity), from: 1)
        let new = content(min(pair.new < 0 ? row.capacity : pair.new, row.capacity), from: 2)
        let test = TearTest(
            makeCard: { try row.reader(old) }, makeTag: { Type4Tag(channel: $0, limits: row.limits) }, old: old,
            new: new)
        let cases = try await test.run()
        // Three faults at every exchange, of which there are five at least.
        #expect(cases >= 15)
        #expect(cases == 3 * (try await exchanges(row, old, new)))
    }

    private func exchanges(_ row: Type4Case, _ old: [UInt8], _ new: [UInt8]) async throws -> Int {
        let reader = try row.reader(old)
        try await row.tag(reader).writeNDEF(new, verifying: false)
        return reader.exchanges.apdus
    }

    @Test func `leaves a large file readable`() async throws {
        let row = Type4Case.extendedFile
        let limits = APDULimits(allowsExtendedLength: true)
        let makeCard: @Sendable () throws -> any VirtualCard = {
            var configuration = Type4Card.Configuration()
            (configuration.mappingVersion, configuration.fileSize) = (0x30, 70_000)
            (configuration.maximumReadSize, configuration.maximumWriteSize) = (0x7000, 0x7000)
            return VirtualReader(tag: try Type4Card(configuration, ndefMessage: content(300)))
        }
        let test = TearTest(
            makeCard: makeCard, makeTag: { Type4Tag(channel: $0, limits: limits) }, old: content(300),
            new: content(row.capacity, from: 2))
        #expect(try await test.run() == 3 * 10)
    }

    @Test func `while it is locked leaves it readable`() async throws {
        for exchange in 1...6 {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try Type4Case.plain.reader(content(9))
                let card = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                try? await Type4Tag(channel: ModelChannel(card)).makeReadOnly()
                #expect(try await Type4Case.plain.tag(reader).readNDEF().message == content(9))
            }
        }
    }
}
