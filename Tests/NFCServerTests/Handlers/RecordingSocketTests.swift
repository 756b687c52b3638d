import Glibc
import NFCReaders
import NFCSessions
import NFCTypes
import Synchronization
import TagRecordings
import Testing
import VirtualTags

@testable import NFCServer

/// `recording.*` over the socket.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `Recordings over the socket` {
    // MARK: Clients that do not read

    /// The lines that a recorder puts out, beside the server.
    private final class Lines: Sendable {
        private let lines = Mutex<[RecordingLine]>([])

        func add(_ line: RecordingLine) { lines.withLock { $0.append(line) } }

        /// The lines as a client receives them.
        func all() throws -> [JSON] {
            try lines.withLock { $0 }.map {
                try JSON(parsing: String(decoding: try Recording.encoded($0), as: UTF8.self))
            }
        }
    }

    /// The lines of the client's recording, up to the last one.
    private static func rest(of recording: String, _ client: RawClient) async throws -> [JSON] {
        var lines: [JSON] = []
        while lines.last?["event"] != "end" {
            let notification = try await client.json()
            #expect(notification["method"] == "recording.didRecord")
            #expect(notification["params"]["recording"] == .string(recording))
            lines.append(try JSON(parsing: try #require(notification["params"]["line"].text)))
        }
        return lines
    }

    /// Without the time, which is since the beginning of each recording.
    private static func timeless(_ lines: [JSON]) -> [JSON] {
        lines.map { line in
            guard case .object(var members) = line else { return line }
            members["time"] = nil
            return .object(members)
        }
    }

    private static func clients(_ client: RawClient) async throws -> Int {
        let text = try #require(try await client.call("server.metrics")["result"]["text"].text)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("nfcd_clients ") })
        return try #require(Int(line.dropFirst("nfcd_clients ".count)))
    }

    @Test func `a client that does not read its recording is cut off, and nobody else waits or loses a line`()
        async throws
    {
        var limits = ServerLimits()
        limits.outboundBytes = 65_536
        let recorder = ReaderRecorder()
        try await withServer(limits: limits, recorder: recorder) { server in
            let reference = Lines()
            let id = try #require(recorder.start(.init(), program: "test") { line, _ in reference.add(line) })
            let (slow, prompt) = (try server.client(reads: false), try server.client())
            let recording = try #require(
                try await prompt.call("recording.start")["result"]["recording"].text)
            await slow.send(#"{"jsonrpc":"2.0","id":1,"method":"recording.start"}"#)
            let user = try await TagBench.connected(server, model: "ntag216")
            // Each reading is answered while what the slow client does not take piles up. The clocks of readers and sessions stand
            // still: nothing is answered because a time is over.
            var readings = 0
            while try await Self.clients(user) == 3 {
                #expect(try await user.call("tag.dump", "{\(TagBench.tag)}")["error"] == .null)
                readings += 1
            }
            #expect(readings > 0)
            #expect(try await user.call("tag.dump", "{\(TagBench.tag)}")["error"] == .null)
            recorder.stop(id)
            #expect(try await prompt.call("recording.stop", #"{"recording":"\#(recording)"}"#)["error"] == .null)
            let lines = try await Self.rest(of: recording, prompt)
            let expected = try reference.all()
            #expect(lines.count(where: { $0["event"] == "transmit" }) > readings)
            // The first line names the program that records.
            #expect(Self.timeless(lines).dropFirst().dropLast() == Self.timeless(expected).dropFirst())
            // The recording of the slow client has ended with its connection.
            let further = (0...ReaderRecorder.mostRecordings).compactMap { _ in
                recorder.start(.init(), program: "test") { _, _ in }
            }
            #expect(further.count == ReaderRecorder.mostRecordings)
        }
    }

    // MARK: Grants

    /// What a user has, and the key that is missing.
    struct Grants: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sentences: [Entitlements]
        /// For a recording without contents, and for one with them; nil: it is permitted.
        let without, with: String?

        init(
            _ name: String, _ sentences: [Set<Capability>], readers: Entitlements.Names<String> = .all,
            without: String?, with: String?
        ) {
            testDescription = name
            self.sentences = sentences.map { Entitlements(capabilities: $0, readers: readers) }
            (self.without, self.with) = (without, with)
        }
    }

    private static let everyKey = #"capabilities = ["manage", "read", "raw"]"#
    private static let manage = #"capabilities = ["manage"]"#

    static let grants = [
        Grants("nothing", [[]], without: manage, with: manage),
        Grants("all but manage", [Set(Capability.allCases).subtracting([.manage])], without: manage, with: manage),
        Grants("monitor, which sees readers and sessions", [[.monitor]], without: manage, with: manage),
        Grants("manage", [[.manage]], without: nil, with: everyKey),
        Grants("manage without a reader", [[.manage]], readers: .some([]), without: nil, with: everyKey),
        Grants("manage and read", [[.manage, .read]], without: nil, with: everyKey),
        Grants("manage and raw", [[.manage, .raw]], without: nil, with: everyKey),
        Grants("manage, read and raw in several grants", [[.manage], [.read, .raw]], without: nil, with: everyKey),
        Grants("read and raw", [[.read, .raw]], without: manage, with: manage),
        Grants("manage, read and raw", [[.manage, .read, .raw]], without: nil, with: nil),
        Grants(
            "manage, read and raw without a reader", [[.manage, .read, .raw]], readers: .some([]), without: nil,
            with: #"readers = ["*"] together with \#(everyKey)"#),
        Grants(
            "manage, read and raw on one reader", [[.manage, .read, .raw]], readers: .some(["simulated-1"]),
            without: nil, with: nil),
    ]

    @Test(arguments: grants)
    func `a recording needs manage, its contents read and raw as well, and a refusal names the key`(
        grants: Grants
    ) async throws {
        let access = AccessPolicy(
            AccessRules(grants: grants.sentences.map { Grant(to: .user(geteuid()), $0) }, superusers: []))
        try await withServer(access: access, recorder: ReaderRecorder()) { server in
            for (withContent, missing) in [(false, grants.without), (true, grants.with)] {
                let client = try server.client()
                let answer = try await client.call("recording.start", #"{"withContent":\#(withContent)}"#)
                guard let missing else {
                    #expect(answer["result"]["recording"].text?.hasPrefix("recording-") == true, "\(answer)")
                    continue
                }
                #expect(answer["error"]["code"] == 2 && answer["error"]["data"]["name"] == "SecurityViolation")
                let detail = answer["error"]["data"]["detail"].text ?? ""
                #expect(detail.contains("no [[grant]] of nfcd.toml gives \(missing)"), "\(detail)")
                // The table to add gives what was missing.
                #expect(detail.contains("[[grant]]\n") && detail.contains(#""manage""#), "\(detail)")
            }
        }
    }

    @Test(
        arguments: [
            ([([.manage, .read, .raw], .all)], ["simulated-0", "simulated-1"], ["simulated-0", "simulated-1"]),
            ([([.manage, .read, .raw], .some(["simulated-1"]))], ["simulated-1"], ["simulated-1"]),
            (
                [([.manage], .all), ([.manage, .read, .raw], .some(["simulated-1"]))], ["simulated-0", "simulated-1"],
                ["simulated-1"]
            ),
        ] as [([(Set<Capability>, Entitlements.Names<String>)], [String], [String])])
    func `a recording has the readers of the grants, and contents those where one grant gives all of it`(
        sentences: [(Set<Capability>, Entitlements.Names<String>)], without: [String], with: [String]
    ) async throws {
        let grants = sentences.map { Entitlements(capabilities: $0.0, readers: $0.1) }
        let access = AccessPolicy(
            AccessRules(grants: grants.map { Grant(to: .user(geteuid()), $0) }, superusers: []))
        try await withServer(access: access, recorder: ReaderRecorder()) { server in
            let client = try server.client()
            for (withContent, readers) in [(false, without), (true, with)] {
                let start = try await client.call("recording.start", #"{"withContent":\#(withContent)}"#)
                let recording = try #require(start["result"]["recording"].text)
                _ = try await client.call("recording.stop", #"{"recording":"\#(recording)"}"#)
                let named = try await Self.rest(of: recording, client).compactMap { $0["reader"].text }
                #expect(named == readers, "\(withContent)")
            }
        }
    }

    // MARK: PINs

    @Test(arguments: [false, true])
    func `a PIN reaches a card only with the capability lock, and a recording of it never has its digits`(
        hasLock: Bool
    ) async throws {
        let capabilities: Set<Capability> = [.manage, .read, .raw, .write]
        let access = AccessPolicy.only(
            Entitlements(
                formats: [.tag], capabilities: hasLock ? capabilities.union([.lock]) : capabilities,
                selectIdentifiers: .all, systemCodes: .all, readers: .all))
        try await withServer(access: access, recorder: ReaderRecorder()) { server in
            let recorders = [try server.client(), try server.client()]
            var recordings: [String] = []
            for (client, withContent) in zip(recorders, [false, true]) {
                let start = try await client.call("recording.start", #"{"withContent":\#(withContent)}"#)
                recordings.append(try #require(start["result"]["recording"].text))
            }
            let user = try await TagBench.connected(server, model: "type4")
            let answer = try await user.call(
                "iso7816.sendCommand", #"{\#(TagBench.tag),"apdu":"0020008008313233344E4E4E4E"}"#)
            if hasLock {
                #expect(answer["error"] == .null && answer["result"]["sw1"] != .null, "\(answer)")
            } else {
                #expect(answer["error"]["code"] == 2 && answer["error"]["data"]["name"] == "SecurityViolation")
                let detail = answer["error"]["data"]["detail"].text ?? ""
                #expect(detail.contains(#"gives capabilities = ["raw", "lock"]"#), "\(detail)")
            }
            #expect(answer["error"]["data"]["detail"].text?.contains("313233344E") != true)
            for (client, recording) in zip(recorders, recordings) {
                _ = try await client.call("recording.stop", #"{"recording":"\#(recording)"}"#)
                let lines = try await Self.rest(of: recording, client)
                let commands = lines.compactMap { $0["command"].text }
                #expect(commands.count(where: { $0.hasPrefix("00200080") }) == (hasLock ? 1 : 0), "\(commands)")
                #expect(commands.contains("0020008008****************") == hasLock)
                #expect(!commands.contains { $0.contains("31323334") })
            }
        }
    }
}
