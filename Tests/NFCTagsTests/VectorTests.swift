import Foundation
import NFCTags
import Testing
import TestSupport

/// Memory images of real tags, read from the shared vectors if they are available.
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

    /// Images that are not asked for capacity and access, with the reason.
    static let leftOut = ["Ntag215.nfc": "only 8 of 135 pages are there, and its container is that of an amiibo"]

    @Test(.enabled(if: isPresent, "tag-images.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `every type 2 image has message, capacity and access`() async throws {
        var leftOut = Self.leftOut
        for image in try Self.images() where image.tagType == "T2" {
            let comment = Comment(rawValue: "\(image.source) \(image.name ?? "")")
            if let reason = leftOut.first(where: { image.source.hasSuffix($0.key) }) {
                leftOut[reason.key] = nil
                continue
            }
            let result = try await Type2Tag(channel: FakeTag(image.memory)).readNDEF()
            #expect(try Type2Tag.readNDEF(inMemory: image.memory) == result, comment)
            guard let parsed = image.parsed, parsed.isFormatted, parsed.ndef != nil, let size = parsed.dataArea else {
                #expect(result.status == .notSupported, comment)
                #expect(result.capacity == 0, comment)
                continue
            }
            let isReadOnly = hex(parsed.cc).last.map { $0 & 0x0F } == 0x0F
            #expect(result.status == (isReadOnly ? .readOnly : .readWrite), comment)
            // A Lock Control TLV in front of the message takes five bytes, and no image has a hole in its data area.
            let room = size - (image.memory[16] == 1 ? 5 : 0)
            #expect(result.capacity == max(min(room - 2, 254), room - 4), comment)
            #expect((result.message ?? []) == parsed.ndef.map { hex($0) }, comment)
        }
        #expect(leftOut.isEmpty)
    }

    @Test(.enabled(if: isPresent, "tag-images.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `type 2 images are read as described`() async throws {
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
