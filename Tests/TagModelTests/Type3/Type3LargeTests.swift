import NFCTags
import Testing

@testable import VirtualTags

/// A card with more blocks than a short block list element can name, and more a command than the reader carries.
@Suite struct `Large Type 3 tags` {
    static let product = FeliCaProduct(
        name: "Large", manufactureParameter: [0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00], readLimit: 15,
        writeLimit: 13, dataBlocks: 300, family: .plain)

    @Test func `commands are cut to what the reader carries`() async throws {
        let reader = try Type3Bench.reader(Self.product)
        let message = Type3Bench.message(4800)
        try await Type3Bench.tag(reader).writeNDEF(message, verifying: true)
        // Polling, attributes, 300 blocks in 14s, in 12s, in 14s again, attributes twice.
        #expect(reader.exchanges.apdus == 2 + 22 + 25 + 22 + 2)
        let result = try await Type3Bench.tag(reader).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: 4800, message: message))
    }
}
