import LocalSocket
import NFCSessions
import NFCTags
import Synchronization
import TestSupport
import Testing

@testable import NFCServer

/// The lines that a log received.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// A log that keeps its lines.
    var log: EventLog { EventLog { _, message, _ in self.lines.withLock { [text = message()] in $0.append(text) } } }

    /// The lines about refusals.
    var refusals: [String] { lines.withLock { $0 }.filter { $0.contains(" was refused ") } }
}

@Suite(.timeLimit(.minutes(20)))
struct `The log of refusals` {
    private static let error = {
        var error = TagError(.securityViolation, "not granted")
        error.refusal = Refusal(nil, missing: #"capabilities = ["lock"]"#, on: "desk", grant: [])
        return error
    }()

    private let lines = LogLines()
    private let clock = TestClock()

    @Test func `names who, what, the reader and what is missing`() {
        RefusalLog(lines.log, clock: clock).log(Self.error, of: "tag.writeLock", to: PeerCredentials(userID: 7))
        #expect(
            lines.refusals == [
                #"uid 7, pid 1 was refused tag.writeLock on reader desk; missing: capabilities = ["lock"]"#
            ])
    }

    @Test func `has ten lines of a user at once, then one a minute with the number of the others`() {
        let log = RefusalLog(lines.log, clock: clock)
        for _ in 0..<1_000 { log.log(Self.error, of: "tag.writeLock", to: PeerCredentials(userID: 7)) }
        #expect(lines.refusals.count == 10)
        #expect(lines.refusals.last?.hasSuffix("(further ones of this user are only counted for a minute)") == true)
        clock.advance(by: .seconds(60))
        for _ in 0..<1_000 { log.log(Self.error, of: "tag.writeLock", to: PeerCredentials(userID: 7)) }
        #expect(lines.refusals.count == 11)
        #expect(lines.refusals.last?.contains("(990 earlier ones of this user were not logged)") == true)
        clock.advance(by: .seconds(86_400))
        for _ in 0..<1_000 { log.log(Self.error, of: "tag.writeLock", to: PeerCredentials(userID: 7)) }
        #expect(lines.refusals.count == 21)
    }

    @Test func `of one user does not hide what another is refused`() {
        let log = RefusalLog(lines.log, clock: clock)
        for _ in 0..<100 { log.log(Self.error, of: "tag.writeLock", to: PeerCredentials(userID: 7)) }
        log.log(Self.error, of: "tag.format", to: PeerCredentials(userID: 8))
        #expect(lines.refusals.last?.hasPrefix("uid 8, pid 1 was refused tag.format") == true)
    }

    @Test func `is bounded for any number of users`() {
        let log = RefusalLog(lines.log, clock: clock)
        for user in 0..<10_000 { log.log(Self.error, of: "tag.format", to: PeerCredentials(userID: UInt32(user))) }
        #expect(lines.refusals.count < 300)
    }

    @Test func `keeps what a client sent on one short line`() throws {
        var error = Self.error
        let name = "x\n\u{1B}[2J" + String(repeating: "y", count: 100_000)
        error.refusal = Refusal(name, missing: #"readers = ["\#(name)"]"#, on: nil, grant: [])
        RefusalLog(lines.log, clock: clock).log(error, of: "session.begin", to: PeerCredentials(userID: 7))
        let line = try #require(lines.refusals.first)
        #expect(!line.contains("\n") && !line.contains("\u{1B}") && line.utf8.count < 1_000)
    }

    private static let granted = Entitlements(
        formats: [.ndef, .tag], capabilities: [.read, .raw, .simulate], selectIdentifiers: .all, systemCodes: .all,
        readers: .some(["simulated-0"]))

    @Test(arguments: [
        ("tag.writeLock", "", " on reader simulated-0", #"["lock"]"#),
        ("iso7816.sendCommand", #","apdu":"00D6000001FF""#, ") on reader simulated-0", #"["raw", "lock"]"#),
    ])
    func `has the reader of a command to a tag`(
        method: String, parameters: String, place: String, missing: String
    ) async throws {
        try await withServer(access: .only(Self.granted), logger: lines.log) { server in
            let client = try await TagBench.connected(server, model: "type4")
            #expect(try await client.call(method, "{\(TagBench.tag)\(parameters)}")["error"]["code"] == 2)
        }
        #expect(lines.refusals.count == 1)
        let line = try #require(lines.refusals.first)
        #expect(line.contains(" was refused \(method)") && !line.contains(",)"))
        #expect(line.hasSuffix("\(place); missing: capabilities = \(missing)"), "\(line)")
    }

    @Test(arguments: [
        ("events.subscribe", "{}", #"events.subscribe; missing: capabilities = ["monitor"]"#),
        (
            "session.begin", #"{"kind":"ndef","readers":["simulated-1"]}"#,
            #"session.begin (the reader) on reader simulated-1; missing: readers = ["simulated-1"]"#
        ),
        ("sessions.cancel", #"{"session":"session-9"}"#, #"sessions.cancel; missing: capabilities = ["manage"]"#),
    ])
    func `has calls that are not about a tag`(method: String, parameters: String, line: String) async throws {
        try await withServer(access: .only(Self.granted), logger: lines.log) { server in
            _ = try await server.client().call(method, parameters)
        }
        #expect(lines.refusals.count == 1)
        #expect(lines.refusals.first?.hasSuffix("was refused \(line)") == true, "\(lines.refusals)")
    }
}
