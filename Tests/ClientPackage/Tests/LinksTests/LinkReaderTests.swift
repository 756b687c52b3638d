import CoreNFCTesting
import Links
import XCTest

nonisolated final class LinkReaderTests: XCTestCase {
    private var links: [URL?] = []

    func testTheLinkOfATagIsRead() async throws {
        try await withVirtualTag(.ntag215(uri: "https://example.com/client")) { tag in
            let link = try await link()
            XCTAssertEqual(link?.absoluteString, "https://example.com/client")
            let message = try await tag.message
            XCTAssertEqual(message?.records.count, 1)
        }
    }

    func testATestKeepsWhatItReads() async throws {
        try await withVirtualReaders(2) { readers in
            try await readers[0].whileHeldByAnotherProgram {
                readers[1].unplug()
                await self.keep(nil)
            }
            readers[1].plugIn()
            try readers[1].present(.ntag213(uri: "https://example.com/kept"))
            await keep(try await link())
        }
        XCTAssertEqual(links.map { $0?.lastPathComponent }, [nil, "kept"])
    }

    func testWithoutNFCTheReasonIsToldApart() async throws {
        try await withoutNFC {
            do {
                _ = try await link()
                XCTFail("there is no NFC")
            } catch let error as NFCReaderError {
                XCTAssertEqual(error.code, .readerErrorUnsupportedFeature)
            }
        }
    }

    private func keep(_ link: URL?) async {
        links.append(link)
    }
}

/// Reads the link of a tag, as a screen of an app does.
@MainActor private func link() async throws -> URL? {
    var reader: LinkReader?
    defer { withExtendedLifetime(reader) {} }
    return try await withCheckedThrowingContinuation { continuation in
        reader = LinkReader { continuation.resume(with: $0) }
        reader?.scan()
    }
}
