import CoreNFCTesting
import Links
import XCTest

final class LinkReaderTests: XCTestCase {
    func testTheLinkOfATagIsRead() async throws {
        try await withVirtualTag(.ntag215(uri: "https://example.com/client")) { tag in
            let link = try await link()
            XCTAssertEqual(link?.absoluteString, "https://example.com/client")
            let message = try await tag.message
            XCTAssertEqual(message?.records.count, 1)
        }
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

    private func link() async throws -> URL? {
        var reader: LinkReader?
        defer { withExtendedLifetime(reader) {} }
        return try await withCheckedThrowingContinuation { continuation in
            reader = LinkReader { continuation.resume(with: $0) }
            reader?.scan()
        }
    }
}
