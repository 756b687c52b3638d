import NFCTags
import TestSupport
import Testing
import VirtualTags

/// Writing blocks over content of a known format: of every format, on every kind of reader.
@Suite struct `Writing the memory over what a tag holds` {
    typealias Bench = `A message stays in the memory for data`.Bench

    /// A tag, the reader, and how the content is named.
    struct Row: Sendable {
        let name: String
        let reader: String
        let make: @Sendable () throws -> any VirtualTag
    }

    /// A message with one record of a media type.
    private static func message(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        [0xD2, UInt8(type.utf8.count), UInt8(payload.count)] + Array(type.utf8) + payload
    }

    private static let records: [(name: String, message: [UInt8])] = [
        (
            "an OpenPrintTag",
            message("application/vnd.openprinttag", hex("A1021820 BF0800FF") + [UInt8](repeating: 0, count: 40))
        ),
        ("an OpenTag3D", message("application/opentag3d", hex("03E8504C 41") + [UInt8](repeating: 0, count: 97))),
        (
            "an OpenSpool",
            message("application/json", Array(#"{"protocol":"openspool","version":"1.0","type":"PLA"}"#.utf8))
        ),
        // The type of a media record is compared without case, and need not be of the first record.
        (
            "an OpenPrintTag",
            hex("91010355016578") + ([0x52] + message("APPLICATION/vnd.openprinttag", hex("A0BF0800FF")).dropFirst())
        ),
    ]

    private static func recordRows(_ reader: String) -> [Row] {
        records.flatMap { record in
            [
                Row(name: record.name, reader: reader) {
                    try VirtualType2Tag(product: .ntag215, ndefMessage: record.message)
                },
                Row(name: record.name, reader: reader == "acr122u" ? "acr1552u" : reader) {
                    try VirtualISO15693Tag(product: .slix2, ndefMessage: record.message)
                },
            ]
        }
    }

    static let rows =
        VendorTags.withoutMessage.filter { $0.format != "qidi" }.map { row in
            Row(name: row.name, reader: row.reader, make: row.make)
        }
        + ["generic", "acr122u", "acr1552u"].flatMap { reader in
            recordRows(reader) + [
                Row(name: "an Elegoo filament tag", reader: reader) { try VendorTags.ntag213(VendorTags.elegoo) }
            ]
        }

    /// All blocks for data of a tag of the same product with another message.
    private static func blocks(for tag: any VirtualTag) throws -> [Int: [UInt8]] {
        let other: [UInt8]
        let range: Range<Int>
        switch tag {
        case let tag as VirtualType2Tag:
            other = try VirtualType2Tag(product: tag.product, ndefMessage: hex("D101025501 78")).memory
            range = 4..<(try #require(GuardedMemory.type2Ends[tag.product.name]))
        default:
            let tag = try #require(tag as? VirtualISO15693Tag)
            other = try VirtualISO15693Tag(product: tag.product, ndefMessage: hex("D101025501 78")).memory
            range = 0..<tag.product.dataSize / 4
        }
        return Dictionary(uniqueKeysWithValues: range.map { ($0, Array(other[$0 * 4..<$0 * 4 + 4])) })
    }

    @Test(arguments: rows.indices) func `is refused with its name, unless that is asked for`(index: Int) async throws {
        let row = Self.rows[index]
        let bench = try Bench(try row.make(), on: row.reader)
        let before = try `The data of a maker on a tag`.memory(bench)
        let blocks = try Self.blocks(for: bench.card.tag)
        let tag = try #require(try await bench.driver() as? any WritableMemory)
        let error = await failure { _ = try await tag.writeMemory(blocks, progress: nil) }
        #expect(error?.code == .unsupportedFeature, "\(row.name): \(String(describing: error))")
        #expect(error?.detail.contains(row.name) == true, "\(String(describing: error))")
        #expect(error?.detail.contains("not overwritten unasked") == true, "\(String(describing: error))")
        #expect(try `The data of a maker on a tag`.memory(bench) == before)
        // Nor is a single block overwritten; of an Elegoo, the first block is behind another message.
        let start = bench.card.tag is VirtualISO15693Tag ? 0 : row.name == "an Elegoo filament tag" ? 64 : 16
        let first = try #require(before[start...].firstIndex { $0 != 0 }) / 4
        let single = await failure { _ = try await tag.writeMemory([first: [0, 0, 0, 0]], progress: nil) }
        #expect(single?.code == .unsupportedFeature, "\(row.name): \(String(describing: single))")
        #expect(try `The data of a maker on a tag`.memory(bench) == before)
        // What is there already does not change anything.
        let own = Dictionary(
            uniqueKeysWithValues: blocks.keys.map { ($0, Array(before[$0 * 4..<$0 * 4 + 4])) })
        if row.name != "a library item" { #expect(try await tag.writeMemory(own, progress: nil) == 0) }
        let owner = try #require(try await bench.driver() as? any WritableMemory)
        #expect(try await owner.writeMemory(blocks, overwriting: true, progress: nil) > 0)
        // The container of a Type 2 tag is not among the blocks: without one, there is no message.
        let hasContainer = bench.card.tag is VirtualISO15693Tag || before[12] == 0xE1
        #expect(try await bench.driver().readNDEF().message == (hasContainer ? hex("D101025501 78") : nil))
    }

    @Test(arguments: ["generic", "acr122u", "acr1552u"])
    func `leaves the remaining amount of a TigerTag to be changed, and nothing else of it`(reader: String) async throws
    {
        for page in 4..<40 {
            let bench = try Bench(try VendorTags.tigerTag("BC0FCB97"), on: reader)
            let before = try `The data of a maker on a tag`.memory(bench)
            let tag = try #require(try await bench.driver() as? any WritableMemory)
            for byte in 0..<4 {
                var content = Array(before[page * 4..<page * 4 + 4])
                content[byte] ^= 0x5A
                let error = await failure { _ = try await tag.writeMemory([page: content], progress: nil) }
                let isAmount = page == 23 && byte < 3
                #expect((error == nil) == isAmount, "page \(page), byte \(byte)")
            }
        }
    }

    @Test func `is accepted where it touches neither the record nor what is in front of it`() async throws {
        for record in Self.records {
            let tags: [(any VirtualTag, String, Int)] = [
                (try VirtualType2Tag(product: .ntag215, ndefMessage: record.message), "acr122u", 120),
                (try VirtualISO15693Tag(product: .slix2, ndefMessage: record.message), "acr1552u", 78),
            ]
            for (model, reader, block) in tags {
                let bench = try Bench(model, on: reader)
                let tag = try #require(try await bench.driver() as? any WritableMemory)
                #expect(try await tag.writeMemory([block: [1, 2, 3, 4]], progress: nil) == 1)
            }
        }
    }

    /// Messages that are not those of spools are replaced, as a message is by another one.
    @Test(arguments: [
        hex("D101025501 79"), message("application/json", Array("{}".utf8)), message("text/plain", [0x61]),
        hex("D00000"), [],
    ])
    func `replaces other messages`(message: [UInt8]) async throws {
        let bench = try Bench(try VirtualType2Tag(product: .ntag213, ndefMessage: message), on: "acr122u")
        let tag = try #require(try await bench.driver() as? any WritableMemory)
        var blocks = try Self.blocks(for: bench.card.tag)
        blocks[30] = [1, 2, 3, 4]
        #expect(try await tag.writeMemory(blocks, progress: nil) > 0)
    }
}
