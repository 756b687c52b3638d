import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// A session for messages whose delegate wants tags, to write them.
@Suite(.timeLimit(.minutes(5)))
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

    @Test func `a lock is for ever, and writing then fails with 400`() async throws {
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
