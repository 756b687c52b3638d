import Foundation
import NFCTags
import Testing

/// Memory images of real tags, read from the shared vectors where they are at hand.
@Suite struct `Shared tag images` {
    struct Image: Decodable, Sendable {
        struct Parsed: Decodable, Sendable {
            var isFormatted: Bool
            var cc: String
            var dataArea: Int?
            var ndef: String?

            enum CodingKeys: String, CodingKey {
                case isFormatted = "ndef_formatted"
                case cc, ndef
                case dataArea = "data_area"
            }
        }

        var source: String
        var name: String?
        var tagType: String
        var units: [String: String]
        var parsed: Parsed?

        enum CodingKeys: String, CodingKey {
            case source, name, units, parsed
            case tagType = "tag_type"
        }

        /// The pages without a gap from page 0 on.
        var memory: [UInt8] {
            var memory: [UInt8] = []
            while let page = units[String(memory.count / 4)] { memory += hex(page) }
            return memory
        }
    }

    static var folder: URL {
        if let path = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return URL(fileURLWithPath: path) }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }

    static var file: URL { folder.appendingPathComponent("tag-images.jsonl") }

    static var isPresent: Bool { FileManager.default.isReadableFile(atPath: file.path) }

    static func images() throws -> [Image] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return try lines.map { try JSONDecoder().decode(Image.self, from: Data($0.utf8)) }
    }

    @Test(.enabled(if: isPresent, "tag-images.jsonl is not at hand, set NFCD_VECTORS to its folder"))
    func `type 2 images are read as their description says`() async throws {
        let images = try Self.images().filter { $0.tagType == "T2" && $0.memory.count >= 16 }
        #expect(images.count > 10)
        for image in images {
            let comment = Comment(rawValue: "\(image.source) \(image.name ?? "")")
            let container = try #require(Type2CapabilityContainer(Array(image.memory.dropFirst(12).prefix(4))))
            let result = try await Type2Tag(channel: FakeTag(image.memory)).readNDEF()
            guard let parsed = image.parsed else {
                #expect(result.status == .notSupported, comment)
                continue
            }
            #expect(container.bytes == hex(parsed.cc), comment)
            #expect(container.isValid == parsed.isFormatted, comment)
            #expect(!container.isValid || container.dataAreaSize == parsed.dataArea, comment)
            let expected = parsed.ndef.map { hex($0) } ?? []
            #expect(result.message == (expected.isEmpty ? nil : expected), comment)
            #expect((result.status == .notSupported) == (parsed.ndef == nil), comment)
        }
    }
}
