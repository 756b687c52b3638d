import Foundation
import NFCTags
import TestSupport
import Testing

@testable import VirtualTags

/// Tags whose makers put data beside NDEF, written from their descriptions.
enum VendorTags {
    /// A tag without a message, and what is found on it.
    struct Row: Sendable {
        let format: String
        let name: String
        var block = 4
        let reader: String
        let make: @Sendable () throws -> any VirtualTag
    }

    /// The pages of an NTAG213 from page 3 on, filled up with zeros and a configuration without a password.
    static func ntag213(_ content: String) throws -> VirtualType2Tag {
        let start = hex("53112215 22334455 00480000")
        var memory = start + hex(content)
        memory += [UInt8](repeating: 0, count: 160 - memory.count)
        let checked = memory.enumerated().map { index, byte in
            switch index {
            case 3: 0x88 ^ memory[0] ^ memory[1] ^ memory[2]
            case 8: memory[4] ^ memory[5] ^ memory[6] ^ memory[7]
            default: byte
            }
        }
        return try VirtualType2Tag(
            product: .ntag213, memory: checked + hex("000000BD 040000FF 00050000 00000000 00000000"))
    }

    static func tigerTag(_ mark: String, container: String = "E1101200") throws -> VirtualType2Tag {
        try ntag213("\(container) \(mark) FFFFFFFF 954B68FF 8E38E120 BCBCBCFF 0003E815 00BE00F0 32082D37 3162E429")
    }

    static let anycubic =
        """
        E1101200 7B006500 41485042 4C422D31 30330000 00000000 00000000 41430000 00000000 00000000 00000000 00000000 504C4100 \
        00000000 00000000 00000000 00000000 FF0000FF 00000000 00000000 00000000 BE00E600 00000000 00000000 00000000 00000000 \
        32003C00 AF004A01 E8030000
        """

    /// A lock control TLV, the address elegoo.com, zeros, and the data from byte 40 on.
    static let elegoo =
        """
        E1101200 0103A00C 34030FD1 010B5502 656C6567 6F6F2E63 6F6DFE00 00000000 00000000 00000000 00000000 00000000 00000000 \
        36EEEEEE EE000000 80766500 00000000 106DD7FF 00BE00E6 00000000 00AF03E8 0036C800
        """

    /// Three numbers in block 4 of a card as delivered.
    static func qidi() throws -> VirtualMIFAREClassicTag {
        var memory = try VirtualMIFAREClassicTag(product: .oneK).memory
        memory.replaceSubrange(64..<67, with: hex("291401"))
        return try VirtualMIFAREClassicTag(product: .oneK, memory: memory)
    }

    /// An ICODE of a library: its application family is set, and its memory begins with a basic block (ISO 28560-3), unless it is blank.
    static func libraryItem(_ family: UInt8, isBlank: Bool = false) throws -> VirtualISO15693Tag {
        let content = isBlank ? [] : hex("11010141 42433132 33343500")
        let memory = content + [UInt8](repeating: 0, count: 112 - content.count)
        var tag = try VirtualISO15693Tag(product: .slix, memory: memory)
        tag.afi = family
        return tag
    }

    static let withoutMessage: [Row] =
        ["generic", "acr122u", "acr1552u"].flatMap(type2Rows) + [
            Row(format: "qidi", name: "a Qidi filament tag", reader: "acr122u") { try qidi() },
            Row(format: "library", name: "a library item", block: 0, reader: "acr1552u") { try libraryItem(0x07) },
            Row(format: "library", name: "a library item", block: 0, reader: "acr1552u") { try libraryItem(0xC2) },
        ]

    private static func type2Rows(reader: String) -> [Row] {
        [
            Row(format: "tigertag", name: "a TigerTag", reader: reader) { try tigerTag("5BF59264") },
            Row(format: "tigertag", name: "a TigerTag+", reader: reader) { try tigerTag("BC0FCB97") },
            Row(format: "tigertag", name: "a TigerTag Init", reader: reader) { try tigerTag("6C41A2E1") },
            Row(format: "tigertag", name: "a TigerTag+", reader: reader) {
                try tigerTag("BC0FCB97", container: "00000000")
            },
            Row(format: "anycubic", name: "an Anycubic filament tag", reader: reader) { try ntag213(anycubic) },
        ]
    }
}

@Suite struct `The data of a maker on a tag` {
    typealias Bench = `A message stays in the memory for data`.Bench

    static func memory(_ bench: Bench) throws -> [UInt8] {
        if let tag = bench.card.tag as? VirtualType2Tag { return tag.memory }
        return try `A tag with other data instead of a message`.memory(of: bench.card.tag)
    }

    @Test(arguments: VendorTags.withoutMessage.indices)
    func `is named, and neither written nor formatted unasked`(index: Int) async throws {
        let row = VendorTags.withoutMessage[index]
        let bench = try Bench(try row.make(), on: row.reader)
        let before = try Self.memory(bench)
        #expect(
            try await bench.driver().findContent()
                == TagContent(format: row.format, name: row.name, block: row.block))
        let sentence = "the memory holds \(row.name) from block \(row.block) on"
        #expect(try await bench.driver().formatState() == .holdsData(sentence))
        let format = await failure { try await bench.driver().formatNDEF() }
        #expect(format?.code == .unsupportedFeature && format?.detail.contains(sentence) == true, "\(format as Any)")
        let write = await failure { try await bench.driver().writeNDEF([0xD0, 0, 0], verifying: true) }
        #expect(write?.code == .unsupportedFeature, "\(write as Any)")
        // A wrong key ends what can be done with a card that cannot be selected again.
        if row.format != "qidi" { #expect(write?.detail.contains(sentence) == true, "\(write as Any)") }
        #expect(try Self.memory(bench) == before)
        try await bench.driver().formatNDEF(overwriting: true)
        #expect(try await bench.driver().queryStatus().status == .readWrite)
    }

    @Test(arguments: [0x07, 0xC2], ["acr1552u", "identiv"])
    func `is not there yet on a blank tag of a library, which is formatted and keeps its family`(
        family: UInt8, reader: String
    ) async throws {
        let bench = try Bench(try VendorTags.libraryItem(family, isBlank: true), on: reader)
        #expect(try await bench.driver().findContent() == nil)
        #expect(try await bench.driver().formatState() == .blank)
        try await bench.driver().formatNDEF()
        try await bench.driver().writeNDEF([0xD0, 0, 0], verifying: true)
        #expect((bench.card.tag as? VirtualISO15693Tag)?.afi == family)
    }

    /// The TLV of the message begins at byte 21: its terminator is at byte 40h with 41 bytes.
    @Test(arguments: [0, 1, 20, 40, 41, 42, 60, 90, 130], ["generic", "acr122u", "acr1552u"])
    func `behind the message keeps a longer one out`(length: Int, reader: String) async throws {
        let bench = try Bench(try VendorTags.ntag213(VendorTags.elegoo), on: reader)
        let before = try Self.memory(bench)
        let message = length == 0 ? [] : Type2Setup.message(length)
        #expect(message.count == length)
        let error = await failure { try await bench.driver().writeNDEF(message, verifying: true) }
        let after = try Self.memory(bench)
        guard length > 40 else {
            #expect(error == nil)
            #expect(after[0x40...] == before[0x40...])
            #expect(try await bench.driver().readNDEF().message ?? [] == message)
            #expect(try await bench.driver().findContent()?.format == "elegoo")
            return
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(
            error?.detail
                == "the message would overwrite an Elegoo filament tag from block 16 on; it is not overwritten unasked")
        #expect(after == before)
        try await bench.driver().writeNDEF(message, verifying: true, overwriting: true, progress: nil)
        #expect(try await bench.driver().readNDEF().message == message)
        #expect(try await bench.driver().findContent() == nil)
    }

    @Test func `behind the message is named, and a tap takes no more exchanges for it`() async throws {
        let plain = VendorTags.elegoo.replacingOccurrences(of: "36EEEEEE EE", with: "00000000 00")
        for reader in ["generic", "acr122u", "acr1552u"] {
            var counts: [[Int]] = []
            for content in [plain, VendorTags.elegoo] {
                let bench = try Bench(try VendorTags.ntag213(content), on: reader)
                var exchanges: [Int] = []
                for message in [Type2Setup.message(15), Type2Setup.message(40)] {
                    let driver = try await bench.driver()
                    let start = bench.card.exchanges.apdus
                    #expect(try await driver.readNDEF().message != nil)
                    exchanges.append(bench.card.exchanges.apdus - start)
                    try await driver.writeNDEF(message, verifying: true)
                    exchanges.append(bench.card.exchanges.apdus - start)
                }
                let expected =
                    content == plain ? nil : TagContent(format: "elegoo", name: "an Elegoo filament tag", block: 16)
                #expect(try await bench.driver().findContent() == expected)
                counts.append(exchanges)
            }
            #expect(counts[0] == counts[1], "\(reader)")
        }
    }

    @Test func `of an older message is not taken for it`() async throws {
        let bench = try Bench(try VendorTags.ntag213(VendorTags.elegoo), on: "acr122u")
        let cover = hex("D1015754") + [0x02] + Array("en".utf8) + [UInt8](repeating: 0xEE, count: 84)
        try await bench.driver().writeNDEF(cover, verifying: true, overwriting: true, progress: nil)
        #expect(try await bench.driver().findContent() == nil)
        try await bench.driver().writeNDEF([], verifying: true)
        try await bench.driver().writeNDEF(cover, verifying: true)
    }
}

/// The dumps of makers in spools.jsonl, where the shared vectors are available.
@Suite(.enabled(if: VendorDump.isAvailable, "spools.jsonl is not available")) struct `The dump of a spool` {
    static let names = [
        "tigertag.dump": "a TigerTag", "anycubic.dump": "an Anycubic filament tag",
        "elegoo.dump": "an Elegoo filament tag", "qidi.dump": "a Qidi filament tag",
    ]

    @Test func `is there for each maker`() {
        #expect(Set(VendorDump.all.map(\.kind)).isSubset(of: Set(Self.names.keys)))
        #expect(VendorDump.all.count > 20)
    }

    @Test(arguments: VendorDump.all)
    func `is refused by its name`(dump: VendorDump) async throws {
        let name = try #require(Self.names[dump.kind])
        let tag = try TagImage(dump: dump.bytes).makeTag(filler: 0)
        let bench = try `A message stays in the memory for data`.Bench(tag, on: "acr122u")
        let before = try `The data of a maker on a tag`.memory(bench)
        let content = try #require(try await bench.driver().findContent())
        #expect(content.name.hasPrefix(name), "\(content)")
        let format = await failure { try await bench.driver().formatNDEF() }
        let write = await failure {
            try await bench.driver().writeNDEF(Type2Setup.message(60), verifying: true)
        }
        // Elegoo's has a message: it is formatted, and has to have no longer one.
        let errors = dump.kind == "elegoo.dump" ? [write] : dump.kind == "qidi.dump" ? [format] : [write, format]
        for error in errors {
            #expect(
                error?.code == .unsupportedFeature && error?.detail.contains(name) == true, "\(error as Any)")
        }
        #expect(try `The data of a maker on a tag`.memory(bench) == before)
    }
}

/// A dump without NDEF, or with data behind it, of the shared vectors.
struct VendorDump: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: String
    let bytes: [UInt8]

    private static let path: String? = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/spools.jsonl" }
        let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return ["../shared", "../../shared", "../../../shared"].map {
            root.appending(path: $0 + "/vectors/spools.jsonl").standardizedFileURL.path
        }.first(where: FileManager.default.isReadableFile(atPath:))
    }()

    static let isAvailable = path.map(FileManager.default.isReadableFile(atPath:)) ?? false

    static let all: [VendorDump] = {
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { VendorDump(json: String($0)) }
    }()

    /// A dump of a Type 2 Tag with the check bytes of its UID, which rows with an invented UID lack.
    private static func checked(_ dump: [UInt8]) -> [UInt8] {
        guard dump.count == 180 else { return dump }
        var dump = dump
        dump[3] = 0x88 ^ dump[0] ^ dump[1] ^ dump[2]
        dump[8] = dump[4] ^ dump[5] ^ dump[6] ^ dump[7]
        return dump
    }

    private init?(json: String) {
        guard let row = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
            let kind = row["kind"] as? String, kind.hasSuffix(".dump"), kind != "openspool.dump",
            let given = row["given"] as? [String: Any], let dump = given["dump"] as? String
        else { return nil }
        (testDescription, self.kind, bytes) = (row["id"] as? String ?? kind, kind, Self.checked(hex(dump)))
    }
}
