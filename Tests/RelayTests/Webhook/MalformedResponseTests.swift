import FoundationEssentials
import Logging
import NFCProtocol
import TestSupport
import Testing

@testable import nfcd_relay

/// Receivers whose answers are not HTTP: none of them ends the relay, and the tap is kept.
@Suite(.serialized) struct MalformedResponseTests {
    private static let identity = RelayIdentity(site: "site-a", device: "kiosk-1")

    /// Delivers a tap, and another one, so that the connection is used again where it was kept.
    private func deliver(
        _ behaviours: [HostileServer.Behaviour], timeout: Duration = .seconds(60)
    ) async throws -> [Delivery] {
        let server = try HostileServer(behaviours)
        defer { server.stop() }
        let settings = WebhookSettings(
            url: "http://127.0.0.1:\(server.port)/", timeout: timeout, bodyWait: .milliseconds(20))
        let sink = WebhookSink(
            settings, identity: Self.identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            name: "a")
        var deliveries: [Delivery] = []
        for attempt in 0..<2 {
            let event = try TapEvent(TapFactory.tap(7), Self.identity, attempt: attempt, isReplay: false)
            deliveries.append(await sink.deliver(event))
        }
        let life = Task { await sink.run(NoObserver()) }
        life.cancel()
        await life.value
        return deliveries
    }

    private static let end = "content-length: 0\r\n\r\n"

    /// Status lines that mean nothing.
    private static let statuses =
        ["000 Zero", "001", "007 Bond", "010 Ten", "042 Answer", "099 Nearly", "00 Two", "0 One", "-1 Less", "1 One"]
        + ["20 Two", "101 Switching Protocols", "2000 Long", "99999999999999999999 Long", "2e2 OK", "２００ OK"]
        + ["0x200 OK", "+200 OK", "", "OK", "\u{0}", "65636 Wraps"]

    @Test(arguments: statuses)
    func `an invalid status is temporary`(status: String) async throws {
        let deliveries = try await deliver([.init(answer: "HTTP/1.1 \(status)\r\n\(Self.end)", closes: true)])
        for delivery in deliveries { #expect("\(delivery)".hasPrefix("retry"), "\(delivery)") }
    }

    @Test(arguments: [0, 16, 17, 5_000])
    func `interim answers are passed over, within a limit`(count: Int) async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n", count: count)
        let deliveries = try await deliver([.init(answer: "\(interim)HTTP/1.1 200 OK\r\n\(Self.end)")])
        for delivery in deliveries { #expect((delivery == .delivered("HTTP 200")) == (count <= 16), "\(delivery)") }
    }

    /// Answers of which only one thing is asked: the relay survives them.
    private static let answers: [String] = {
        let ok = "HTTP/1.1 200 OK\r\n"
        let heads = [
            "", "\r\n", "\n", "H", "HTTP", "HTTP/1.1", "HTTP/1.1 ", "HTTP/0.9 200 OK\r\n\r\n",
            "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/1.7 200 OK\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/-1.1 200 OK\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n", "ICY 200 OK\r\n\r\n", "RTSP/1.0 200 OK\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\nabc",
            "HTTP/1.1 000 Zero\r\n\r\n", "HTTP/1.1 000 Zero\r\ncontent-length: 3\r\n\r\nabc",
            "HTTP/1.1 000 Zero\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        ]
        let fields = [
            "content-length: -1", "content-length: 18446744073709551616", "content-length: 9223372036854775807",
            "content-length: 1e3", "content-length: ", "content-length: 1, 2", "content-length: 1\r\ncontent-length: 2",
            "content-length: 0\r\ntransfer-encoding: chunked", "transfer-encoding: chunked\r\ncontent-length: 5",
            "transfer-encoding: gzip", "transfer-encoding: chunked, chunked", "transfer-encoding: identity",
            "transfer-encoding: chunked, identity", "transfer-encoding: ",
            "content-encoding: gzip\r\ncontent-length: 2",
            "connection: upgrade\r\nupgrade: websocket", "connection: close\r\ncontent-length: 0", ": empty", "a b: c",
            "no-colon",
            " folded: a", "a: b\r\n c", "a:\u{0}", "a: \u{7F}\u{1}", "\u{0}: a", "é: ü", "a\u{1F600}: b",
            "retry-after: 99999999999999999999", "retry-after: -9223372036854775808",
            "date: Mon, 99 Zzz 99999999999 99:99:99 GMT", "trailer: x\r\ntransfer-encoding: chunked",
            String(repeating: "a: b\r\n", count: 300) + "c: d", "a: " + String(repeating: "b", count: 100_000),
            String(repeating: "a", count: 100_000) + ": b", "set-cookie: " + String(repeating: ";", count: 10_000),
        ]
        let bodies = [
            "", "abc", "0\r\n\r\n", "zz\r\nabc\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\na", "-1\r\na\r\n", "1\r\nabc",
            "1;a=b;\u{0}\r\na\r\n0\r\n\r\n", "0\r\nx: y\r\n\r\n", "0\r\nx:\r\n\r\n", "0\r\n: \r\n\r\n",
            "0\r\nx y\r\n\r\n",
            "0\r\ncontent-length: 5\r\n\r\n", "1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ]
        return heads + fields.flatMap { field in ["", "abc"].map { "\(ok)\(field)\r\n\r\n\($0)" } }
            + bodies.map { "\(ok)transfer-encoding: chunked\r\n\r\n\($0)" }
            + [
                "\(ok)\(end)\(ok)\(end)", "\(ok)\(end)HTTP/1.1 000 Zero\r\n\(end)",
                "\(ok)\(end)HTTP/1.1 100 Continue\r\n\r\n",
                "\(ok)\(end)garbage", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 000 Zero\r\n\(end)",
                "HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\nhello\(ok)\(end)",
                "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello",
                "HTTP/1.1 304 Not\r\ntransfer-encoding: chunked\r\n\r\n5",
                "HTTP/1.1 205 Reset\r\n\r\n", "HTTP/1.1 413 Large\r\nconnection: close\r\n\(end)",
            ]
    }()

    enum Way: CaseIterable { case closes, holds, resets, early }

    private static func behaviour(_ answer: String, _ way: Way) -> HostileServer.Behaviour {
        switch way {
        case .closes: .init(answer: answer, closes: true)
        case .holds: .init(answer: answer, holds: true)
        case .resets: .init(answer: answer, resets: true)
        case .early: .init(answer: answer, isEarly: true, closes: true)
        }
    }

    /// Delivers to each receiver, some of them at once: a test process has few descriptors.
    private func deliverToAll(_ behaviours: [HostileServer.Behaviour]) async throws {
        for start in stride(from: 0, to: behaviours.count, by: 16) {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for behaviour in behaviours[start...].prefix(16) {
                    group.addTask { try await deliver([behaviour], timeout: .milliseconds(100)).count }
                }
                for try await count in group { #expect(count == 2) }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `no malformed answer ends the relay`(way: Way) async throws {
        try await deliverToAll(Self.answers.map { Self.behaviour($0, way) })
    }

    @Test(arguments: 0..<4)
    func `no random change of an answer ends the relay`(seed: UInt64) async throws {
        var dice = SplitMix(seed: seed)
        var answers: [[UInt8]] = []
        for _ in 0..<60 {
            var bytes = Array((Self.answers.randomElement(using: &dice) ?? "").utf8.prefix(2_000))
            for _ in 0..<Int.random(in: 1...4, using: &dice) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: bytes[place] = .random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
                default: bytes.removeLast(bytes.count - place)
                }
            }
            answers.append(bytes)
        }
        let ways = Way.allCases
        try await deliverToAll(
            answers.enumerated().map { index, bytes in
                var behaviour = Self.behaviour("", ways[index % ways.count])
                behaviour.bytes = bytes
                return behaviour
            })
    }

    @Test func `a refused status names itself`() async throws {
        let deliveries = try await deliver([.init(answer: "HTTP/1.1 000 Zero\r\n\(Self.end)")])
        #expect("\(deliveries)".contains("response code") || "\(deliveries)".contains("000 Zero"), "\(deliveries)")
    }
}
