import NFCTags
import Testing
import VirtualTags

/// How many APDUs an operation takes on a new connection.
@Suite struct `Exchanges with a Type 2 tag by reader` {
    enum Operation: String, Sendable {
        case read, write, writeVerifying, erase, format, lock, describe, dump
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let model: String
        /// Bytes of message on the tag, nil for a tag as delivered.
        let before: Int?
        let operation: Operation
        /// Bytes of the new message.
        var after = 0
        /// For the readers generic, acr122u, acr1252u and acr1552u.
        let exchanges: [Int]

        var testDescription: String { "\(operation) \(model), \(before ?? -1) → \(after)" }
    }

    static let rows = [
        Row(model: "ntag213", before: 20, operation: .read, exchanges: [3, 2, 3, 3]),
        Row(model: "ntag213", before: 137, operation: .read, exchanges: [10, 3, 10, 10]),
        Row(model: "ntag215", before: 492, operation: .read, exchanges: [32, 4, 4, 7]),
        Row(model: "ntag216", before: 868, operation: .read, exchanges: [56, 6, 6, 9]),
        Row(model: "ultralight", before: 20, operation: .read, exchanges: [3, 5, 3, 3]),
        Row(model: "ultralight-c", before: 137, operation: .read, exchanges: [10, 12, 10, 10]),
        Row(model: "ntag213", before: 0, operation: .write, after: 20, exchanges: [9, 9, 9, 9]),
        Row(model: "ntag213", before: 0, operation: .writeVerifying, after: 20, exchanges: [12, 11, 12, 12]),
        Row(model: "ntag213", before: 20, operation: .write, after: 20, exchanges: [10, 10, 10, 10]),
        Row(model: "ntag213", before: 0, operation: .write, after: 137, exchanges: [48, 39, 48, 46]),
        Row(model: "ntag216", before: 0, operation: .write, after: 868, exchanges: [277, 225, 227, 232]),
        Row(model: "ntag216", before: 0, operation: .writeVerifying, after: 868, exchanges: [333, 230, 232, 240]),
        Row(model: "ntag213", before: 20, operation: .erase, exchanges: [3, 4, 3, 3]),
        Row(model: "ntag216", before: 868, operation: .erase, exchanges: [3, 4, 3, 3]),
        Row(model: "ultralight", before: nil, operation: .format, exchanges: [8, 10, 8, 15]),
        Row(model: "ultralight-c", before: nil, operation: .format, exchanges: [20, 20, 20, 25]),
        Row(model: "ultralight-ev1-21", before: nil, operation: .format, exchanges: [18, 8, 18, 14]),
        Row(model: "ntag213", before: 20, operation: .lock, exchanges: [9, 8, 9, 11]),
        Row(model: "ntag216", before: 20, operation: .lock, exchanges: [9, 8, 9, 11]),
        Row(model: "ntag203", before: 20, operation: .lock, exchanges: [8, 10, 8, 15]),
        Row(model: "ntag213", before: 20, operation: .describe, exchanges: [4, 7, 7, 18]),
        Row(model: "ntag216", before: 20, operation: .dump, exchanges: [62, 10, 10, 24]),
    ]

    @Test(arguments: rows) func `have the expected number`(row: Row) async throws {
        var counts: [Int] = []
        for reader in Type2Setup.readers {
            let setup = Type2Setup(model: row.model, reader: reader)
            let card = try setup.card(row.before.map(Type2Setup.message))
            try await perform(row, setup.tag(card))
            counts.append(card.exchanges.apdus)
        }
        #expect(counts == row.exchanges)
    }

    private func perform(_ row: Row, _ tag: NFCTags.Type2Tag) async throws {
        let new = Array(Type2Setup.message(row.after + 1).dropFirst())
        switch row.operation {
        case .read: _ = try await tag.readNDEF()
        case .write: try await tag.writeNDEF(new, verifying: false)
        case .writeVerifying: try await tag.writeNDEF(new, verifying: true)
        case .erase: try await tag.writeNDEF([], verifying: false)
        case .format: try await tag.formatNDEF()
        case .lock: try await tag.makeReadOnly()
        case .describe: _ = try await tag.describe()
        case .dump: _ = try await tag.dump()
        }
    }

    @Test func `are at most six with the tag for a full NTAG216 and a pass-through`() async throws {
        for reader in ["acr122u", "acr1252u", "acr1552u"] {
            let setup = Type2Setup(model: "ntag216", reader: reader)
            let card = try setup.card(Type2Setup.message(868))
            #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(868))
            #expect(card.exchanges.frames <= 6, "\(reader): \(card.exchanges.frames)")
        }
    }
}
