import NFCTags
import TagTable
import TestSupport
import Testing
import VirtualTags

@Suite struct `A tag with other data instead of a message` {
    typealias Bench = `A message stays in the memory for data`.Bench

    /// The memory for data of an NTAG213 from page 4 on, laid out as makers of filament do, or not at all.
    static let contents: [(name: String, container: String, data: String)] = [
        ("an unknown mark", "E1101200", "BC0FCB98 00001234 00260138 02010000 FF7F00FF 000003E8 00DC00E6 0F080037"),
        ("an unknown mark without a container", "00000000", "BC0FCB98 00001234 00260138 02010000"),
        (
            "an unknown mark and text", "E1101200",
            """
            7B006600 41485042 4C422D31 30330000 00000000 00000000 41430000 00000000 00000000 00000000 00000000 \
            504C4100 00000000 00000000 00000000 00000000 FF0000FF 00000000 BE00E600 32003C00 AF004A01 E8030000
            """
        ),
        ("text", "E1101200", "48656C6C 6F20776F 726C6421"),
        ("text on a blank container", "00000000", "48656C6C 6F20776F 726C6421"),
        ("one byte at the end", "E1101200", String(repeating: "00", count: 143) + "41"),
        ("a message without its first bytes", "E1101200", "00D1010C 55046578 616D706C 652E636F 6DFE"),
    ]

    static func bench(_ index: Int, _ reader: String) throws -> Bench {
        let row = contents[index]
        return try Bench(
            `A message stays in the memory for data`.type2(
                .ntag213, container: hex(row.container), area: hex(row.data)), on: reader)
    }

    @Test(arguments: contents.indices, ["generic", "acr122u", "acr1552u"])
    func `is neither written nor formatted unasked`(index: Int, reader: String) async throws {
        let bench = try Self.bench(index, reader)
        let before = (bench.card.tag as? VirtualType2Tag)?.memory
        #expect(try await bench.driver().readNDEF().status == .notSupported)
        #expect(try await bench.driver().queryStatus().status == .notSupported)
        let write = await failure { try await bench.driver().writeNDEF([0xD0, 0, 0], verifying: true) }
        let erase = await failure { try await bench.driver().writeNDEF([], verifying: true) }
        let format = await failure { try await bench.driver().formatNDEF() }
        #expect(
            [write?.code, erase?.code, format?.code] == [.unsupportedFeature, .unsupportedFeature, .unsupportedFeature])
        #expect((bench.card.tag as? VirtualType2Tag)?.memory == before)
        guard case .holdsData(let text) = try await bench.driver().formatState() else {
            Issue.record("\(Self.contents[index].name): no other data was found")
            return
        }
        #expect(text.contains("holds other data from block"))
        #expect(format?.detail.contains(text) == true)
    }

    @Test(arguments: contents.indices, ["generic", "acr122u"])
    func `is formatted where that is asked for, without its locks and configuration`(
        index: Int, reader: String
    ) async throws {
        let bench = try Self.bench(index, reader)
        let guarded = try bench.guarded()
        try await bench.driver().formatNDEF(overwriting: true)
        #expect(try await bench.driver().queryStatus().status == .readWrite)
        try await bench.driver().writeNDEF(TabledMessage.full, verifying: true)
        #expect(try await bench.driver().readNDEF().message == TabledMessage.full)
        #expect(try bench.guarded() == guarded)
    }

    static func memory(of tag: any VirtualTag) throws -> [UInt8] {
        switch tag {
        case let tag as VirtualISO15693Tag: return tag.memory
        case let tag as VirtualTopazTag: return tag.memory
        default: return try #require(tag as? VirtualMIFAREClassicTag).memory
        }
    }

    private enum TabledMessage {
        static let full = TagTable.message(137)
    }

    @Test(arguments: ["00", "FF"], ["generic", "acr122u"])
    func `is distinguished from a blank one`(filler: String, reader: String) async throws {
        let data = hex(String(repeating: filler, count: 144))
        for container in ["00000000", "E1101200"] {
            let tag = try `A message stays in the memory for data`.type2(
                .ntag213, container: hex(container), area: data)
            let bench = try Bench(tag, on: reader)
            #expect(try await bench.driver().formatState() == .blank)
            try await bench.driver().formatNDEF()
            #expect(try await bench.driver().queryStatus().capacity == 137)
        }
    }

    @Test func `of Type 5, FeliCa, Topaz and MIFARE Classic is not formatted unasked either`() async throws {
        var vicinity = [UInt8](repeating: 0, count: 112)
        vicinity[100] = 1
        var topaz = try VirtualTopazTag(product: .topaz).memory
        topaz.replaceSubrange(8..<104, with: [UInt8](repeating: 0, count: 95) + [1])
        var classic = try VirtualMIFAREClassicTag(product: .oneK).memory
        classic[40 * 16] = 0x41
        let tags: [(any VirtualTag, String)] = [
            (try VirtualISO15693Tag(product: .slix, memory: vicinity), "acr1552u"),
            (try VirtualTopazTag(product: .topaz, memory: topaz), "acr122u"),
            (try VirtualMIFAREClassicTag(product: .oneK, memory: classic), "acr122u"),
        ]
        for (tag, reader) in tags {
            let bench = try Bench(tag, on: reader)
            let before = try Self.memory(of: bench.card.tag)
            guard case .holdsData = try await bench.driver().formatState() else {
                Issue.record("\(type(of: tag)): \(try await bench.driver().formatState())")
                continue
            }
            #expect(await failure { try await bench.driver().formatNDEF() }?.code == .unsupportedFeature)
            #expect(try Self.memory(of: bench.card.tag) == before)
            try await bench.driver().formatNDEF(overwriting: true)
            #expect(try await bench.driver().queryStatus().status == .readWrite)
        }
    }
}
