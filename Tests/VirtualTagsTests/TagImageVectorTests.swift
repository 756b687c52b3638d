import Foundation
import Testing

@testable import VirtualTags

/// Images of real tags from the shared vectors, where they are at hand.
@Suite struct TagImageVectorTests {
    struct Image {
        let source: String
        let version: String
        let pages: [Int: String]
    }

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/tag-images.jsonl" }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.appending(path: "../shared/vectors/tag-images.jsonl").standardizedFileURL.path
    }()

    static let isAvailable = FileManager.default.isReadableFile(atPath: path)

    static func images() throws -> [Image] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        return try text.split(separator: "\n").compactMap { line in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let row, row["tag_type"] as? String == "T2", let units = row["units"] as? [String: String] else {
                return nil
            }
            let pages = units.compactMap { key, value in Int(key).map { ($0, value) } }
            return Image(
                source: row["source"] as? String ?? "", version: row["version"] as? String ?? "",
                pages: Dictionary(uniqueKeysWithValues: pages))
        }
    }

    @Test(.enabled(if: isAvailable, "tag-images.jsonl is not at hand"))
    func `a factory NTAG216 equals a real one`() throws {
        let real = try #require(try Self.images().first { $0.source.contains("ntag216-empty") })
        let uid = hex(String((real.pages[0] ?? "").prefix(6))) + hex(real.pages[1] ?? "")
        let tag = try Type2Tag(product: .ntag216, identifier: uid)
        for (page, bytes) in real.pages {
            #expect(hex(tag.memory.dropFirst(page * 4).prefix(4)) == bytes.uppercased(), "page \(page)")
        }
    }

    @Test(.enabled(if: isAvailable, "tag-images.jsonl is not at hand"))
    func `whole images of modelled products read back as they are`() throws {
        var count = 0
        for image in try Self.images() {
            guard
                let product = Type2Product.answeringVersion.first(where: {
                    hex($0.version) == image.version.uppercased()
                }),
                image.pages.count == product.pageCount
            else { continue }
            let memory = (0..<product.pageCount).flatMap { hex(image.pages[$0] ?? "") }
            var tag = try Type2Tag(product: product, memory: memory)
            tag.activate()
            let isReadable = !tag.configuration.protectsReading
            let answer = tag.send("3A 00" + hex([UInt8(product.pageCount - 3)]))
            #expect(answer == (isReadable ? hex(memory.dropLast(8)) : "NAK 0"), "\(image.source)")
            count += 1
        }
        #expect(count > 0)
    }
}
