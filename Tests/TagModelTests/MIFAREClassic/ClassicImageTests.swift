import Foundation
import NFCTags
import Testing
import TestSupport
import VirtualTags

/// Images of real cards from the shared vectors, if they are available.
@Suite struct `Shared MIFARE Classic images` {
    struct Image: Decodable {
        var source: String
        var tagType: String
        var units: [String: String]

        enum CodingKeys: String, CodingKey {
            case source, units
            case tagType = "tag_type"
        }

        var file: String { source.split(separator: "/").last.map(String.init) ?? "" }
        var memory: [UInt8] { (0..<units.count).flatMap { hex(units[String($0)] ?? "") } }
    }

    struct Message: Decodable {
        var source: String
        var kind: String
        var hex: String
    }

    static var folder: URL {
        if let path = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return URL(fileURLWithPath: path) }
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }

    static var isPresent: Bool {
        ["tag-images.jsonl", "ndef.jsonl"].allSatisfy {
            FileManager.default.isReadableFile(atPath: folder.appendingPathComponent($0).path)
        }
    }

    static func rows<Row: Decodable>(_ name: String, _ type: Row.Type) throws -> [Row] {
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    /// What each image is: the capacity, 0 if there is no NDEF, and its access.
    static let expected: [String: (capacity: Int, status: NDEFStatus)] = [
        "mfstd1k_blank.txt": (0, .notSupported), "mfstd1k_formatted.txt": (716, .readWrite),
        "mfstd1k_formatted_readonly.txt": (716, .readOnly), "mfstd1k_ndef.txt": (94, .readWrite),
        "mfstd4k_blank.txt": (0, .notSupported), "mfstd4k_formatted.txt": (3356, .readWrite),
        "mfstd4k_formatted_readonly.txt": (3356, .readOnly), "mfstd4k_ndef.txt": (3354, .readWrite),
        "s50-empty.bin": (0, .notSupported), "mfcndef.json": (716, .readWrite),
        "arduinocc.mfd": (714, .readWrite), "hello.mfd": (714, .readWrite), "hi.mfd": (714, .readWrite),
        "large.mfd": (716, .readWrite), "nodejsorg.mfd": (714, .readWrite), "threerecords.mfd": (714, .readWrite),
        "utf16le.mfd": (714, .readWrite),
    ]

    /// Not in ndef.jsonl: the message of metrodroid's image.
    static let metrodroid = hex("d1010f55026d6574726f64726f69642e6f7267")

    @Test(.enabled(if: isPresent, "tag-images.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `are read as described`() async throws {
        let images = try Self.rows("tag-images.jsonl", Image.self).filter { $0.tagType == "MIFARE Classic" }
        let messages = try Self.rows("ndef.jsonl", Message.self).filter { $0.kind == "message" }
        #expect(images.count == 17)
        for image in images {
            let expected = try #require(Self.expected[image.file])
            let row = messages.first { $0.source.hasSuffix("/" + image.file) }
            let message = image.file == "mfcndef.json" ? Self.metrodroid : row.map { hex($0.hex) }
            let result = try await Self.read(image)
            #expect(result.capacity == expected.capacity, "\(image.file)")
            #expect(result.status == expected.status, "\(image.file)")
            #expect(result.message == message, "\(image.file)")
        }
    }

    /// Key A reads as zeros, so the images lack it: the key that belongs to the general purpose byte is put in.
    private static func read(_ image: Image) async throws -> NDEFReadResult {
        let is4K = image.units.count == 256 && !image.file.hasSuffix(".mfd")
        let size: MIFAREClassicSize = is4K ? .fourK : .oneK
        let product: VirtualMIFAREClassicProduct = is4K ? .fourK : .oneK
        var memory = Array(image.memory.prefix(product.memorySize))
        for sector in 0..<size.sectorCount {
            let trailer = ((size.blocks(of: sector)?.upperBound ?? 1) - 1) * 16
            let isNDEF = memory[trailer + 9] & 0xFC == 0x40
            let directory: [UInt8] = [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5]
            let other: [UInt8] = memory[trailer + 8] == 0x80 ? Array(repeating: 0xFF, count: 6) : directory
            memory.replaceSubrange(
                trailer..<trailer + 6, with: isNDEF ? [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7] : other)
        }
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: product, memory: memory))
        return try await ClassicCards.tag(reader, size).readNDEF()
    }
}
