import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// A session for messages whose delegate does not want tags.
@Suite(.timeLimit(.minutes(5)))
struct ScannerTests {
    @Test func `the first message ends the session`() async throws {
        try await withVirtualTag(.ntag215(uri: "https://example.com/a")) { _ in
            let scanner = MessageScanner(endsAfterFirst: true)
            scanner.scan()
            await scanner.happenings.wait(for: "done")
            #expect(scanner.happenings.all == ["active", "https://example.com/a", "done"])
        }
    }

    @Test func `messages come as tags come, and tags without any are passed over`() async throws {
        try await withVirtualReaders { readers in
            let scanner = MessageScanner(endsAfterFirst: false)
            scanner.scan()
            await scanner.happenings.wait(for: "active")
            try readers[0].present(.ntag213())
            readers[0].remove()
            try readers[0].present(.type4(uri: "https://example.com/b"))
            await scanner.happenings.wait(for: "https://example.com/b")
            readers[0].remove()
            try readers[0].present(.slix(Self.everyFormat))
            await scanner.happenings.wait(for: "example.com:lock: 42")
            scanner.stop()
            await scanner.happenings.wait(for: "canceled")
            #expect(
                scanner.happenings.all == [
                    "active", "https://example.com/b", "Grüße (de)", "text/plain: hello", "example.com:lock: 42",
                    "canceled",
                ])
        }
    }

    @Test func `without nfcd there is no reading, and a session ends with 1 and the reason`() async throws {
        try await withoutNFC {
            let scanner = MessageScanner(endsAfterFirst: true)
            scanner.scan()
            #expect(await scanner.happenings.next() == "there is no reader")
            let log = SessionLog()
            let session = NFCNDEFReaderSession(delegate: log, queue: nil, invalidateAfterFirstRead: false)
            session.begin()
            #expect(await log.happenings.next() == "over: 1")
            let reason = try #require(log.error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String)
            #expect(reason.contains("start nfcd"))
        }
    }

    @Test func `an nfcd without a reader has no reading, and a session ends with 1`() async throws {
        try await withVirtualReaders(0) { _ in
            #expect(!NFCNDEFReaderSession.readingAvailable)
            let log = SessionLog()
            NFCNDEFReaderSession(delegate: log, queue: nil, invalidateAfterFirstRead: false).begin()
            #expect(await log.happenings.next() == "over: 1")
        }
    }

    private static var everyFormat: NFCNDEFMessage {
        func payload(_ format: NFCTypeNameFormat, _ type: String, _ payload: String) -> NFCNDEFPayload {
            NFCNDEFPayload(format: format, type: Data(type.utf8), identifier: Data(), payload: Data(payload.utf8))
        }
        let text = NFCNDEFPayload.wellKnownTypeTextPayload(string: "Grüße", locale: Locale(identifier: "de"))
        return NFCNDEFMessage(
            records: [text].compactMap { $0 } + [
                payload(.media, "text/plain", "hello"), payload(.nfcExternal, "example.com:lock", "42"),
            ])
    }
}
