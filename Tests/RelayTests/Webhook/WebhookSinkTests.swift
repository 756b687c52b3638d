import FoundationEssentials
import Logging
import NFCProtocol
import ServiceSupport
import Synchronization
import Testing

@testable import nfcd_relay

/// The webhook against a real server that misbehaves.
@Suite struct WebhookSinkTests {
    private static let identity = RelayIdentity(site: "site-a", device: "kiosk-1")

    /// Delivers a tap so many times, and returns what came of each.
    private func deliver(
        _ behaviours: [HostileServer.Behaviour], times: Int = 1, preset: WebhookSettings.Preset = .cloudevents,
        keys: [String] = [], path: String = "/taps", timeout: Duration = .seconds(300),
        bodyWait: Duration = .seconds(300)
    ) async throws -> (deliveries: [Delivery], requests: [String], connections: Int) {
        let server = try HostileServer(behaviours)
        defer { server.stop() }
        let settings = WebhookSettings(
            url: "http://127.0.0.1:\(server.port)\(path)", preset: preset,
            keys: keys.compactMap { .init(SecretLine($0.utf8)) },
            headers: [("authorization", "Bearer x")], timeout: timeout, bodyWait: bodyWait)
        let sink = WebhookSink(
            settings, identity: Self.identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            name: "a")
        var deliveries: [Delivery] = []
        for attempt in 0..<times { deliveries.append(await sink.deliver(try Self.event(attempt))) }
        let life = Task { await sink.run(NoObserver()) }
        life.cancel()
        await life.value
        return (deliveries, server.requests, server.connections)
    }

    private static func event(_ attempt: Int) throws -> TapEvent {
        try TapEvent(TapFactory.tap(7), identity, attempt: attempt, isReplay: false)
    }

    @Test func `a tap is posted as a signed CloudEvent`() async throws {
        let (deliveries, requests, _) = try await deliver(
            [.status("200 OK")], keys: ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"])
        #expect(deliveries == [.delivered("HTTP 200")])
        let request = try #require(requests.first)
        #expect(request.hasPrefix("POST /taps HTTP/1.1\r\n"))
        for header in [
            "content-type: application/cloudevents+json", "webhook-id: \(TapFactory.tap(7).id)", "webhook-timestamp: ",
            "webhook-signature: v1,", "authorization: Bearer x",
        ] {
            #expect(request.contains("\r\n\(header)"), "\(header)")
        }
        #expect(request.contains("\"specversion\":\"1.0\""))
    }

    @Test(arguments: [
        ("200 OK", "delivered"), ("204 No Content", "delivered"), ("301 Moved", "held"), ("302 Found", "held"),
        ("308 Permanent", "held"), ("403 Forbidden", "held"), ("404 Not Found", "held"), ("410 Gone", "gone"),
        ("408 Timeout", "retry"), ("409 Conflict", "retry"), ("429 Too Many", "retry"), ("500 Oops", "retry"),
        ("503 Busy", "retry"), ("599 Odd", "retry"),
    ])
    func `the status decides what happens to the tap`(status: String, kind: String) async throws {
        let (deliveries, requests, _) = try await deliver([.status(status, "location: http://127.0.0.1:1/\r\n")])
        #expect("\(try #require(deliveries.first))".hasPrefix(kind), "\(deliveries)")
        #expect(requests.count == 1)
    }

    @Test func `a receiver that never answers is given up`() async throws {
        let (deliveries, _, _) = try await deliver([.init(isSilent: true)], timeout: .seconds(1))
        #expect("\(deliveries[0])".hasPrefix("retry"))
    }

    @Test func `a status line that never ends is given up`() async throws {
        let (deliveries, _, _) = try await deliver(
            [.init(answer: "HTTP/1.1 200 OK\r\nx-a: b", closes: true)], timeout: .seconds(2))
        #expect("\(deliveries[0])".hasPrefix("retry"))
    }

    @Test func `a body that is cut off after a good status counts as delivered`() async throws {
        let (deliveries, _, _) = try await deliver(
            [.init(answer: "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf", closes: true)])
        #expect(deliveries == [.delivered("HTTP 200")])
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf", "HTTP/1.1 200 OK\r\n\r\nh",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n",
    ])
    func `a body that never ends after a good status counts as delivered`(answer: String) async throws {
        let (deliveries, requests, _) = try await deliver(
            [.init(answer: answer, holds: true)], timeout: .seconds(1), bodyWait: .milliseconds(20))
        #expect(deliveries == [.delivered("HTTP 200")])
        #expect(requests.count == 1)
    }

    @Test func `the beginning of a body that never ends explains a refusal`() async throws {
        let (deliveries, _, _) = try await deliver(
            [.init(answer: "HTTP/1.1 422 No\r\ncontent-length: 1000\r\n\r\nbad", holds: true)], timeout: .seconds(1),
            bodyWait: .milliseconds(100))
        #expect("\(deliveries)".contains("HTTP 422") && "\(deliveries)".contains(": bad"))
    }

    @Test func `a reset before the answer is temporary`() async throws {
        let (deliveries, _, _) = try await deliver([.init(resets: true)])
        #expect("\(deliveries[0])".hasPrefix("retry"))
    }

    @Test func `a huge answer is not read to its end`() async throws {
        let body = String(repeating: "x", count: 8_000_000)
        let (deliveries, _, _) = try await deliver([.status("500 Oops", body: body)])
        guard case .retry(let reason, _) = deliveries[0] else { return #expect(Bool(false), "\(deliveries)") }
        #expect(reason.utf8.count < 1_200)
    }

    @Test func `what is not HTTP is temporary`() async throws {
        let (deliveries, _, _) = try await deliver([.init(answer: "\u{0}\u{1}hello\r\n\r\n", closes: true)])
        #expect("\(deliveries[0])".hasPrefix("retry"))
    }

    @Test func `a connection is used again`() async throws {
        let (deliveries, requests, connections) = try await deliver([.status("200 OK")], times: 3)
        #expect(deliveries.count == 3 && requests.count == 3)
        #expect(connections == 1)
    }

    @Test func `a connection that was closed meanwhile does not fail the next tap`() async throws {
        var closing = HostileServer.Behaviour.status("200 OK")
        closing.closes = true
        let (deliveries, _, _) = try await deliver([closing], times: 3)
        #expect(deliveries == Array(repeating: .delivered("HTTP 200"), count: 3))
    }

    @Test func `a connection that was reset meanwhile does not fail the next tap`() async throws {
        let good = HostileServer.Behaviour.status("200 OK")
        let (deliveries, requests, connections) = try await deliver(
            [good, .init(resets: true), .init(resets: true), good], times: 2)
        #expect(deliveries == Array(repeating: .delivered("HTTP 200"), count: 2))
        #expect(requests.count == 4 && connections == 3)
    }

    @Test func `a receiver that closes every connection is asked three times for each attempt`() async throws {
        for behaviour in [HostileServer.Behaviour(resets: true), .init(closes: true)] {
            let (deliveries, requests, _) = try await deliver([behaviour])
            #expect("\(deliveries[0])".hasPrefix("retry"))
            #expect(requests.count == 3)
        }
    }

    @Test func `a receiver that is not there is temporary`() async throws {
        let server = try HostileServer([.status("200 OK")])
        let port = server.port
        server.stop()
        let sink = WebhookSink(
            WebhookSettings(url: "http://127.0.0.1:\(port)/"), identity: Self.identity,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, name: "a")
        let delivery = await sink.deliver(try Self.event(0))
        let life = Task { await sink.run(NoObserver()) }
        life.cancel()
        await life.value
        #expect("\(delivery)".hasPrefix("retry"))
    }

    @Test(arguments: [1_700_000_000, 0, 4_102_444_800])
    func `the time of a signature is that of the given clock`(seconds: Int64) async throws {
        let server = try HostileServer([.status("200 OK")])
        defer { server.stop() }
        let settings = WebhookSettings(
            url: "http://127.0.0.1:\(server.port)/",
            keys: ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"].compactMap { .init(SecretLine($0.utf8)) })
        let date = Date(timeIntervalSince1970: Double(seconds))
        let sink = Self.sink(
            settings,
            ServiceTime(
                now: ServiceTime.system.now, wall: { date }, sleep: ServiceTime.system.sleep, random: { 0 }))
        #expect(await sink.deliver(try Self.event(0)) == .delivered("HTTP 200"))
        #expect(server.requests[0].contains("webhook-timestamp: \(seconds)\r\n"))
    }

    @Test func `a time limit ends by the given clock`() async throws {
        let server = try HostileServer([.init(isSilent: true)])
        defer { server.stop() }
        // Each reading of the clock is a minute later.
        let minutes = Atomic<Int>(0)
        let time = ServiceTime(
            now: { .seconds(60 * minutes.add(1, ordering: .relaxed).newValue) }, sleep: ServiceTime.system.sleep,
            random: { 0 })
        let settings = WebhookSettings(url: "http://127.0.0.1:\(server.port)/", timeout: .seconds(120))
        #expect(await Self.sink(settings, time).deliver(try Self.event(0)) == .retry("no answer within 120 s"))
    }

    @Test func `a date of Retry-After is compared with the given clock`() async throws {
        let server = try HostileServer([.status("503 Busy", "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n")])
        defer { server.stop() }
        let time = ServiceTime(
            now: ServiceTime.system.now, wall: { Date(timeIntervalSince1970: 784_111_777 - 90) },
            sleep: ServiceTime.system.sleep, random: { 0 })
        let delivery = await Self.sink(WebhookSettings(url: "http://127.0.0.1:\(server.port)/"), time).deliver(
            try Self.event(0))
        #expect(delivery == .retry("HTTP 503", after: .seconds(90)))
    }

    private static func sink(_ settings: WebhookSettings, _ time: ServiceTime) -> WebhookSink {
        WebhookSink(
            settings, identity: identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, name: "a",
            time: time)
    }

    @Test func `ntfy gets a message for its topic`() async throws {
        let (_, requests, _) = try await deliver([.status("200 OK")], preset: .ntfy, path: "/front-door")
        #expect(requests[0].hasPrefix("POST / HTTP/1.1\r\n"))
        #expect(requests[0].contains(#""topic":"front-door""#))
        #expect(requests[0].contains(#""title":"Reader reader-0""#))
    }

    @Test func `plain JSON is the tap`() async throws {
        let (_, requests, _) = try await deliver([.status("200 OK")], preset: .json)
        let tap = String(decoding: try JSONLine.encode(TapFactory.tap(7)).dropLast(), as: UTF8.self)
        #expect(requests[0].hasSuffix("\r\n\r\n\(tap)"))
    }
}

/// An observer that nothing is reported to.
struct NoObserver: SinkObserver {
    func connected() async {}
    func disconnected(_ reason: String) async {}
    func held(_ reason: String) async {}
    func receiverLostTaps(within window: Duration) async -> Bool { true }
}
