import Testing
import VirtualTags

/// NTAG213 with password 01020304 and PACK A1A2, both to read and to write from page 4 on.
enum LockedTag {
    static let password: [UInt8] = [1, 2, 3, 4]

    static func make(_ message: [UInt8]) throws -> any VirtualTag {
        let tag = try #require(try VirtualTagModel.named("ntag213").makeTag(ndefMessage: message) as? Type2Tag)
        var memory = tag.memory
        memory[41 * 4 + 3] = 4
        memory[42 * 4] = 0x80
        memory.replaceSubrange(43 * 4..<45 * 4, with: password + [0xA1, 0xA2, 0, 0])
        return try Type2Tag(product: tag.product, memory: memory)
    }

    static func card(_ message: [UInt8]) throws -> any VirtualCard {
        let settings = try #require(VirtualReaderModel.named("acr122u")).settings
        return VirtualReader(tag: try make(message), settings: settings)
    }
}
