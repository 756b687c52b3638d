import NFCTags
import Testing
import VirtualTags

@Suite struct `Asking for the status alone` {
    struct Row: Sendable {
        let name: String
        let make: @Sendable ([UInt8]) throws -> any VirtualCard
        let tag: @Sendable (any VirtualCard) -> any NDEFTag
        let count: @Sendable (any VirtualCard) -> Int?
        /// Exchanges for the status, and for reading the message.
        let status: Int
        let read: Int
    }

    static func row(
        _ name: String, _ status: Int, _ read: Int,
        make: @escaping @Sendable ([UInt8]) throws -> any VirtualCard,
        tag: @escaping @Sendable (any VirtualCard) -> any NDEFTag
    ) -> Row {
        let count = { @Sendable (card: any VirtualCard) -> Int? in
            (card as? VirtualReader)?.exchanges.apdus ?? (card as? VirtualReader)?.exchanges.apdus
                ?? (card as? VirtualReader)?.exchanges.apdus
        }
        return Row(name: name, make: make, tag: tag, count: count, status: status, read: read)
    }

    static let rows: [Row] = [
        row("Topaz 512", 2, 3) {
            try `Type 1 tags from end to end`.reader(.topaz512, message: $0)
        } tag: {
            `Type 1 tags from end to end`.tag($0)
        },
        row("NTAG215", 2, 14) {
            try Type2Setup(model: "ntag215", reader: "generic").card($0)
        } tag: {
            Type2Setup(model: "ntag215", reader: "generic").tag($0)
        },
        row("FeliCa Lite-S", 2, 6) {
            try Type3Bench.reader(.liteS, message: $0)
        } tag: {
            Type3Bench.tag($0)
        },
        row("DESFire", 3, 8) {
            try Type4Case.desfire.reader($0)
        } tag: {
            Type4Case.desfire.tag($0)
        },
        row("ICODE SLIX2", 3, 5) {
            try Type5Cards.reader(.slix2, $0)
        } tag: {
            Type5Cards.native($0)
        },
        row("MIFARE Classic", 9, 29) {
            try ClassicCards.reader(.oneK, $0)
        } tag: {
            ClassicCards.tag($0, .oneK)
        },
    ]

    @Test(arguments: rows.indices) func `needs no more exchanges than to find the message`(index: Int) async throws {
        let row = Self.rows[index]
        let message = ClassicCards.message(200)
        let (asked, read) = (try row.make(message), try row.make(message))
        let status = try await row.tag(asked).queryStatus()
        let result = try await row.tag(read).readNDEF()
        #expect(status == NDEFStatusResult(result))
        #expect(result.message == message)
        #expect(row.count(asked) == row.status, "\(row.name)")
        #expect(row.count(read) == row.read, "\(row.name)")
    }
}
