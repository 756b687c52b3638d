import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// A session for messages whose delegate does not want tags.
@Suite(.timeLimit(.minutes(20)))
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

/// A session for messages whose delegate wants tags, to write them.
@Suite(.timeLimit(.minutes(20)))
struct WriterTests {
    static let link = NFCNDEFMessage(
        records: [NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://example.com/new")].compactMap { $0 })

    @Test(arguments: [TestTag.ntag213(uri: "https://a.b"), .type4(), .feliCaLiteS(), .slix(), .desfire(), .classic1K()])
    func `a message is written to every kind of tag`(_ tag: TestTag) async throws {
        try await withVirtualTag(tag) { tag in
            let writer = MessageWriter(Self.link)
            writer.beginWrite()
            await writer.happenings.wait(for: "over")
            #expect(writer.happenings.all == ["written", "over"])
            let message = try #require(try await tag.message)
            #expect(message.records.first?.wellKnownTypeURIPayload()?.absoluteString == "https://example.com/new")
        }
    }

    @Test func `of two tags at once, one has to go`() async throws {
        try await withVirtualReaders(2) { readers in
            let left = try readers[0].present(.ntag213())
            let right = try readers[1].present(.ntag213())
            let writer = MessageWriter(Self.link)
            writer.beginWrite()
            await writer.happenings.wait(for: "2 tags")
            readers[1].remove()
            await writer.happenings.wait(for: "over")
            #expect(writer.happenings.all == ["2 tags", "written", "over"])
            let messages = (try await left.message, try await right.message)
            #expect(messages.0?.records.count == 1)
            #expect(messages.1 == nil)
        }
    }

    @Test func `a message that does not fit is not tried`() async throws {
        try await withVirtualTag(.ntag213(uri: "https://a.b")) { tag in
            let text = NFCNDEFPayload.wellKnownTypeTextPayload(
                string: String(repeating: "a", count: 200), locale: Locale(identifier: "en"))
            let writer = MessageWriter(NFCNDEFMessage(records: [text].compactMap { $0 }))
            writer.beginWrite()
            await writer.happenings.wait(for: "over")
            #expect(writer.happenings.all.first?.hasSuffix("bytes do not go into 137") == true)
            let message = try await tag.message
            #expect(message?.records.first?.wellKnownTypeURIPayload()?.absoluteString == "https://a.b")
        }
    }

    @Test func `a tag that is not formatted says so`() async throws {
        try await withVirtualTag(.model("ultralight-c")) { _ in
            let writer = MessageWriter(Self.link)
            writer.beginWrite()
            await writer.happenings.wait(for: "over")
            #expect(writer.happenings.all == ["no place for messages", "over"])
        }
    }

    @Test func `a lock is permanent, and writing then fails with 400`() async throws {
        try await withVirtualTag(.ntag213(uri: "https://a.b")) { presented in
            let log = SessionLog()
            let session = NFCNDEFReaderSession(delegate: log, queue: nil, invalidateAfterFirstRead: false)
            session.begin()
            await log.happenings.wait(for: "tags: 1")
            let tag = try #require(log.messageTags.first)
            try await session.connect(to: tag)
            #expect(tag.isAvailable)
            try await tag.writeLock()
            let (status, capacity) = try await tag.queryNDEFStatus()
            #expect(status == .readOnly && capacity > 0)
            do {
                try await tag.writeNDEF(Self.link)
            } catch NFCReaderError.ndefReaderSessionErrorTagNotWritable {
                log.happenings.note("not writable")
            }
            #expect(log.happenings.all.last == "not writable")
            let isWritable = await presented.isWritable
            #expect(!isWritable)
            session.invalidate()
        }
    }

    @Test func `a tag torn away while it is written is lost, and found again`() async throws {
        try await withVirtualReaders { readers in
            let log = SessionLog()
            let session = NFCNDEFReaderSession(delegate: log, queue: nil, invalidateAfterFirstRead: false)
            session.begin()
            await log.happenings.wait(for: "active")
            try readers[0].present(.ntag213(uri: "https://a.b").tornAway(atExchange: 12))
            await log.happenings.wait(for: "tags: 1")
            let torn = try #require(log.messageTags.first)
            try await session.connect(to: torn)
            let error = await #expect(throws: NFCReaderError.self) {
                for _ in 0..<10 { try await torn.writeNDEF(Self.link) }
            }
            #expect([100, 102, 401].contains(error?.code.rawValue ?? 0))
            #expect(!torn.isAvailable)
            session.restartPolling()
            try readers[0].present(.ntag213(uri: "https://a.b"))
            await log.happenings.wait(for: "tags: 1")
            let next = try #require(log.messageTags.first)
            try await session.connect(to: next)
            try await next.writeNDEF(Self.link)
            session.invalidate()
        }
    }
}

/// An authenticator with a serial queue of commands, and the reasons for which its sessions end.
@Suite(.timeLimit(.minutes(20)))
struct AuthenticatorTests {
    @Test func `a key answers`() async throws {
        try await withVirtualTag(.type4()) { _ in
            let authenticator = CardAuthenticator(application: TagSessionTests.ndefApplication)
            authenticator.start()
            await authenticator.happenings.wait(for: "closed")
            #expect(authenticator.happenings.all == ["ready", "answered with 15 bytes", "closed"])
        }
    }

    @Test func `wrong tags are passed over until a key comes`() async throws {
        try await withVirtualReaders { readers in
            let authenticator = CardAuthenticator(application: TagSessionTests.ndefApplication)
            try readers[0].present(.ntag213())
            authenticator.start()
            await authenticator.happenings.wait(for: "not a key")
            readers[0].remove()
            try readers[0].present(.type4())
            await authenticator.happenings.wait(for: "closed")
            #expect(authenticator.happenings.all.suffix(2) == ["answered with 15 bytes", "closed"])
        }
    }

    @Test func `a card without the application is not the key, and polling continues`() async throws {
        try await withVirtualReaders { readers in
            let authenticator = CardAuthenticator(application: Data([0xA0, 0, 0, 0, 1]))
            try readers[0].present(.type4())
            authenticator.start()
            await authenticator.happenings.wait(for: "wrong key: 6a82")
            await authenticator.happenings.wait(for: "wrong key: 6a82")
            readers[0].remove()
        }
    }

    @Test func `a key that is torn away is an error, not a hang`() async throws {
        try await withVirtualReaders { readers in
            let authenticator = CardAuthenticator(application: TagSessionTests.ndefApplication)
            try readers[0].present(.type4().tornAway(atExchange: 3))
            authenticator.start()
            await authenticator.happenings.wait(for: "closed")
            #expect(authenticator.happenings.all.contains { $0.hasPrefix("failed: ") })
        }
    }

    @Test func `the reasons of an end are distinguished`() async throws {
        try await withoutNFC {
            let nowhere = CardAuthenticator(application: Data())
            nowhere.start()
            #expect(await nowhere.happenings.next() == "no NFC here")
        }
        let terminated = CardAuthenticator(application: Data())
        try await withVirtualReaders { _ in
            terminated.start()
            await terminated.happenings.wait(for: "ready")
            let busy = CardAuthenticator(application: Data())
            busy.start()
            #expect(await busy.happenings.next() == "busy")
        }
        #expect(await terminated.happenings.next() == "terminated")
    }
}
