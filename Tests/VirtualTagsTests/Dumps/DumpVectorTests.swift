import Foundation
import Testing

@testable import VirtualTags

/// Images of real tags from the shared vectors, where they are at hand, on their way through files.
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

    @Test(.enabled(if: TagImageVectorTests.isAvailable, "tag-images.jsonl is not at hand"))
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
