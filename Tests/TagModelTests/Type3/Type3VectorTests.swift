import Foundation
import NFCTags
import Testing
import TestSupport
import VirtualTags

/// Images of real FeliCa cards from the shared vectors, if they are available.
@Suite struct `Shared FeliCa images` {
    struct Image {
        let name: String
        let blocks: [Int: [UInt8]]
        let message: [UInt8]?
    }

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/tag-images.jsonl" }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let beside = root.appending(path: "../shared/vectors/tag-images.jsonl").standardizedFileURL.path
        return beside
    }()

    static let isAvailable = FileManager.default.isReadableFile(atPath: path)

    static func images() throws -> [Image] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        return try text.split(separator: "\n").compactMap { line in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let row, row["tag_type"] as? String == "T3", let units = row["units"] as? [String: String] else {
                return nil
            }
            var blocks: [Int: [UInt8]] = [:]
            for (key, value) in units { if let number = Int(key) { blocks[number] = hex(value) } }
            blocks[0x88] = (row["mc_block_0x88"] as? String).map { hex($0) }
            return Image(
                name: row["source"] as? String ?? "", blocks: blocks,
                message: (row["expect_ndef"] as? String).map { hex($0) })
        }
    }

    @Test(.enabled(if: isAvailable, "tag-images.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `every image is read as described`() async throws {
        let images = try Self.images()
        #expect(images.count >= 5)
        for image in images {
            let tag = try VirtualFeliCaTag(product: .liteS, identifier: [1, 2, 3, 4, 5, 6, 7, 8], blocks: image.blocks)
            let result = try await Type3Bench.tag(VirtualReader(tag: tag)).readNDEF()
            #expect(result.message == image.message, "\(image.name)")
            let isNDEF = image.message != nil
            #expect(result.status == (isNDEF ? .readWrite : .notSupported), "\(image.name)")
            #expect(result.capacity == (isNDEF ? 208 : 0), "\(image.name)")
        }
    }
}
