import Foundation
import Testing
import TestSupport

@testable import VirtualTags

/// Round trips of real tag images from the shared vectors, where those are available.
@Suite struct DumpVectorTests {
    static let kinds: [String: TagImage.Kind] = [
        "T2": .type2, "T3": .feliCa, "T5": .iso15693, "MIFARE Classic": .mifareClassic,
    ]

    /// Source and image; what a row does not have is a hole.
    static func images() throws -> [(String, TagImage)] {
        let text = try String(contentsOf: URL(filePath: TagImageVectorTests.path), encoding: .utf8)
        return try text.split(separator: "\n").compactMap { line in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let row, let kind = kinds[row["tag_type"] as? String ?? ""], let size = row["unit"] as? Int,
                let units = row["units"] as? [String: String]
            else { return nil }
            let numbers = units.keys.compactMap { Int($0) }
            let identifier: [UInt8] = kind == .type2 ? [4, 1, 2, 3, 4, 5, 6] : hex("E004010011223344")
            var image = TagImage(
                kind: kind, product: row["product"] as? String ?? "",
                identifier: kind == .mifareClassic ? [1, 2, 3, 4] : identifier, unitSize: size,
                unitCount: (numbers.max() ?? 0) + 1)
            for number in numbers { image.setUnit(number, DumpHex.bytes(units["\(number)"] ?? "") ?? []) }
            return (row["source"] as? String ?? "", image)
        }
    }

    @Test(.enabled(if: TagImageVectorTests.isAvailable, "tag-images.jsonl is not available"))
    func `real memory comes back from JSON as it was`() throws {
        let images = try Self.images()
        #expect(images.count > 20)
        #expect(Set(images.map(\.1.kind)).count == 4)
        for (source, image) in images {
            #expect(!image.units.isEmpty, "\(source)")
            #expect(try TagImage(dump: Array(image.jsonFile().utf8)) == image, "\(source)")
        }
    }
}

/// Images of real tags from the shared vectors, where they are available.
@Suite struct TagImageVectorTests {
    struct Image {
        let source: String
        let version: String
        let pages: [Int: String]
    }

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/tag-images.jsonl" }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
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

    @Test(.enabled(if: isAvailable, "tag-images.jsonl is not available"))
    func `a factory NTAG216 equals a real one`() throws {
        let real = try #require(try Self.images().first { $0.source.contains("ntag216-empty") })
        let uid = hex(String((real.pages[0] ?? "").prefix(6))) + hex(real.pages[1] ?? "")
        let tag = try VirtualType2Tag(product: .ntag216, identifier: uid)
        for (page, bytes) in real.pages {
            #expect(hex(tag.memory.dropFirst(page * 4).prefix(4)) == bytes.uppercased(), "page \(page)")
        }
    }

    @Test(.enabled(if: isAvailable, "tag-images.jsonl is not available"))
    func `whole images of modelled products read back unchanged`() throws {
        var count = 0
        for image in try Self.images() {
            guard
                let product = VirtualType2Product.answeringVersion.first(where: {
                    hex($0.version) == image.version.uppercased()
                }),
                image.pages.count == product.pageCount
            else { continue }
            let memory = (0..<product.pageCount).flatMap { hex(image.pages[$0] ?? "") }
            var tag = try VirtualType2Tag(product: product, memory: memory)
            tag.activate()
            let isReadable = !tag.configuration.protectsReading
            let answer = tag.send("3A 00" + hex([UInt8(product.pageCount - 3)]))
            #expect(answer == (isReadable ? hex(memory.dropLast(8)) : "NAK 0"), "\(image.source)")
            count += 1
        }
        #expect(count > 0)
    }
}
