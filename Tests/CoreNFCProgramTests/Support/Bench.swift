import CoreNFC
import CoreNFCTesting
import Synchronization
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
        ending: String = "over: 200", _ body: (Bench) async throws -> Void
    ) async throws {
        try await use(
            tag, NFCTagReaderSession.Configuration(pollingOption: option), connects: connects, ending: ending, body)
    }

    static func use(
        _ tag: TestTag, _ configuration: NFCTagReaderSession.Configuration, connects: Bool = true,
        ending: String = "over: 200", _ body: (Bench) async throws -> Void
    ) async throws {
        try await withVirtualTag(tag) { try await use($0, configuration, connects: connects, ending: ending, body) }
    }

    private static func use(
        _ presented: PresentedTag, _ configuration: NFCTagReaderSession.Configuration, connects: Bool = true,
        ending: String = "over: 200", _ body: (Bench) async throws -> Void
    ) async throws {
        let log = SessionLog()
        let session = NFCTagReaderSession(configuration: configuration, delegate: log)
        session.begin()
        await log.happenings.wait(for: "tags: 1")
        let found = try #require(log.tags.first)
        if connects { try await session.connect(to: found) }
        try await body(Bench(presented: presented, session: session, log: log, tag: found))
        // One that has ended in another way would still end with 200, as long as the session has not been notified.
        if ending == "over: 200" { session.invalidate() }
        await log.happenings.wait(for: ending)
    }

    /// The same in a program that declares nothing.
    static func undeclared(
        _ tag: TestTag, _ option: NFCTagReaderSession.PollingOption, selecting names: [String] = [],
        _ body: (Bench) async throws -> Void
    ) async throws {
        let configuration = NFCTagReaderSession.Configuration(pollingOption: option, iso7816SelectIdentifiers: names)
        try await withVirtualTag(tag) { presented in
            try await withDeclarations { try await use(presented, configuration, body) }
        }
    }

    /// The tag is not of the kind that a test is about.
    func isOther() {
        Issue.record("the tag came as \(tag)")
    }
}

/// Waits until a condition holds, for a minute at most.
func wait(until holds: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !holds(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
}

/// A delegate of every kind of session that only records its notifications.
final class SessionLog: NSObject, @unchecked Sendable {
    let happenings = Happenings()
    private let state = Mutex<(error: NFCReaderError?, tags: [NFCTag], messageTags: [any NFCNDEFTag])>((nil, [], []))

    /// Why the session ended.
    var error: NFCReaderError? { state.withLock { $0.error } }
    /// The tags of the latest detection of a session for tags.
    var tags: [NFCTag] { state.withLock { $0.tags } }
    /// The tags of the latest detection of a session for messages.
    var messageTags: [any NFCNDEFTag] { state.withLock { $0.messageTags } }

    private func end(_ error: any Error) {
        let known = error as? NFCReaderError
        state.withLock { $0.error = known }
        happenings.note("over: \(known?.code.rawValue ?? -1)")
    }
}

extension SessionLog: NFCTagReaderSessionDelegate {
    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) { happenings.note("active") }
    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) { end(error) }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        state.withLock { $0.tags = tags }
        happenings.note("tags: \(tags.count)")
    }
}

extension SessionLog: NFCNDEFReaderSessionDelegate {
    func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) { happenings.note("active") }
    func readerSession(_ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error) { end(error) }

    func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
        happenings.note("messages: \(messages.count)")
    }

    func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
        state.withLock { $0.messageTags = tags }
        happenings.note("tags: \(tags.count)")
    }
}

extension SessionLog: NFCVASReaderSessionDelegate {
    func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error) { end(error) }
    func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {
        happenings.note("passes: \(responses.count)")
    }
}
