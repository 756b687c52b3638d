import CoreNFCTesting
import Testing

@Test func `a person who cancels gets no link`() async throws {
    try await withVirtualReaders { _ in
        let reading = Task { try await LinkReader().link() }
        try await SystemSheet.waitUntil { $0 == "Hold the tag to the reader." }
        try await SystemSheet.cancel()
        await #expect(throws: NFCReaderError.self) { try await reading.value }
    }
}

@Test func `a tag that comes after the reader was unplugged is read`() async throws {
    try await withVirtualReaders { readers in
        let first = Task { try await LinkReader().link() }
        try await SystemSheet.appears()
        readers[0].unplug()
        await #expect(throws: NFCReaderError.self) { try await first.value }

        readers[0].plugIn()
        try readers[0].present(.ntag215(uri: "https://example.com"))
        let link = try await LinkReader().link()
        #expect(link?.absoluteString == "https://example.com")
    }
}
