import NFCTags
import Testing
import VirtualTags

/// How many APDUs reading and writing take on a new connection, `FF CA` of the detection among them.
@Suite struct `Exchanges by reader` {
    struct Row: Sendable, CustomTestStringConvertible {
        let reader: String
        let model: String
        /// Bytes of the message that is read, and of the one that takes its place.
        let old: Int
        let new: Int
        let read: Int
        let write: Int

        var testDescription: String { "\(model) in \(reader), \(old) → \(new)" }
    }

    static let rows = [
        Row(reader: "acr1552u", model: "ntag213", old: 20, new: 30, read: 4, write: 15),
        Row(reader: "acr1552u", model: "ntag216", old: 868, new: 868, read: 10, write: 234),
        Row(reader: "rc-s300", model: "ntag216", old: 868, new: 868, read: 10, write: 234),
        Row(reader: "identiv", model: "ntag213", old: 20, new: 30, read: 10, write: 25),
        Row(reader: "acr1552u", model: "slix", old: 20, new: 100, read: 17, write: 133),
        Row(reader: "acr1552u", model: "st25dv64k", old: 8000, new: 100, read: 96, write: 208),
        Row(reader: "identiv", model: "slix", old: 20, new: 100, read: 5, write: 34),
        Row(reader: "identiv", model: "st25dv64k", old: 8000, new: 100, read: 69, write: 97),
        Row(reader: "omnikey-5422", model: "slix", old: 20, new: 100, read: 9, write: 56),
        Row(reader: "acr122u", model: "type3", old: 200, new: 250, read: 5, write: 9),
        Row(reader: "acr1252u", model: "type3", old: 200, new: 250, read: 5, write: 9),
        Row(reader: "acr1552u", model: "type3", old: 200, new: 250, read: 17, write: 45),
        Row(reader: "identiv", model: "type3", old: 200, new: 250, read: 5, write: 9),
        Row(reader: "acr122u", model: "topaz512", old: 200, new: 250, read: 4, write: 39),
        Row(reader: "identiv", model: "topaz512", old: 200, new: 250, read: 4, write: 39),
    ]

    @Test(arguments: rows) func `are so many`(row: Row) async throws {
        let read = try await count(row) { (tag: any NDEFTag) async throws -> Void in
            let message = try await tag.readNDEF().message
            #expect(message == Type2Setup.message(row.old))
        }
        let write = try await count(row) { (tag: any NDEFTag) async throws -> Void in
            try await tag.writeNDEF(Array(Type2Setup.message(row.new + 1).dropFirst()), verifying: false)
        }
        #expect([read, write] == [row.read, row.write])
    }

    private func count(_ row: Row, _ body: (any NDEFTag) async throws -> Void) async throws -> Int {
        let model = try #require(VirtualReaderModel.named(row.reader))
        let tag = try VirtualTagModel.named(row.model).makeTag(ndefMessage: Type2Setup.message(row.old))
        let card = try #require(model.card(tag) as? VirtualReader)
        try await body(try await `Every tag in every reader`.tag(card, model).driver)
        return card.exchanges.apdus
    }
}
