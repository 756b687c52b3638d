import CoreNFCTesting
import Testing

@testable import corenfc_programs

/// A session that has found the tag on the only reader, and is connected to it.
struct Bench {
    let presented: PresentedTag
    let session: NFCTagReaderSession
    let log: SessionLog
    let tag: NFCTag

    static func use(
        _ tag: TestTag, _ option: NFCTagReaderSession.PollingOption, connects: Bool = true,
        _ body: (Bench) async throws -> Void
    ) async throws {
        try await use(tag, NFCTagReaderSession.Configuration(pollingOption: option), connects: connects, body)
    }

    static func use(
        _ tag: TestTag, _ configuration: NFCTagReaderSession.Configuration, connects: Bool = true,
        _ body: (Bench) async throws -> Void
    ) async throws {
        try await withVirtualTag(tag) { presented in
            let log = SessionLog()
            let session = NFCTagReaderSession(configuration: configuration, delegate: log)
            session.begin()
            await log.happenings.wait(for: "tags: 1")
            let found = try #require(log.tags.first)
            if connects { try await session.connect(to: found) }
            try await body(Bench(presented: presented, session: session, log: log, tag: found))
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    /// The tag is not of the kind that a test is about.
    func isOther() {
        Issue.record("the tag came as \(tag)")
    }
}
