import FoundationEssentials
import Logging
import NFCProtocol
import ServiceSupport
import Testing

@testable import nfcd_relay

/// The active spool, with an imitation of Moonraker.
@Suite struct `The active spool of Moonraker` {
    private static let identity = RelayIdentity(site: "site-a", device: "kiosk-1")

    private static func found(_ spool: String) -> HostileServer.Behaviour {
        .status(
            "200 OK", "content-type: application/json\r\n",
            body:
                #"{"result":{"response":{"uid":"046E11044D5A80","new":[1],"matched_spool_id":\#(spool),"spool":{"id":1}},"#
                + #""response_headers":{"x":"y"},"error":null}}"#)
    }

    private static func failed(_ status: String, _ message: String = #""why""#) -> HostileServer.Behaviour {
        .status(
            "200 OK", body: #"{"result":{"response":null,"error":{"status_code":\#(status),"message":\#(message)}}}"#)
    }

    private static func active(_ spool: String) -> HostileServer.Behaviour {
        .status("200 OK", body: #"{"result":{"spool_id":\#(spool)}}"#)
    }

    /// Delivers a tap, or a test, and returns what came of it and the requests.
    private func deliver(
        _ behaviours: [HostileServer.Behaviour], isTest: Bool = false
    ) async throws -> (Delivery, [String]) {
        let server = try HostileServer(behaviours)
        defer { server.stop() }
        let settings = WebhookSettings(
            url: "http://127.0.0.1:\(server.port)", preset: .moonraker, headers: [("X-Api-Key", "k")])
        let sink = WebhookSink(
            settings, identity: Self.identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            name: "a")
        let delivery =
            if isTest {
                await sink.deliver(try RelayNotice(testing: "a", Self.identity, time: ""))
            } else {
                await sink.deliver(try TapEvent(TapFactory.tap(7), Self.identity, attempt: 0, isReplay: false))
            }
        return (delivery, server.requests)
    }

    @Test func `becomes the one that Spoolman names for the tag`() async throws {
        let (delivery, requests) = try await deliver([Self.found("7"), Self.active("7")])
        #expect(delivery == .delivered("Moonraker's active spool is 7"))
        #expect(requests.count == 2)
        #expect(requests[0].hasPrefix("POST /server/spoolman/proxy HTTP/1.1\r\n"))
        #expect(requests[0].contains("X-Api-Key: k\r\n") && requests[1].contains("X-Api-Key: k\r\n"))
        #expect(
            requests[0].replacing("\\/", with: "/").hasSuffix(
                #"{"body":{"name":"Reader reader-0","reader_id":"kiosk-1:reader-0","uid":"046E11044D5A80"},"#
                    + #""path":"/v1/tag/scan","request_method":"POST","use_v2_response":true}"#))
        #expect(requests[1].hasPrefix("POST /server/spoolman/spool_id HTTP/1.1\r\n"))
        #expect(requests[1].hasSuffix("\r\n\r\n{\"spool_id\":7}"))
    }

    @Test func `is not changed by a tag that no spool has`() async throws {
        let (delivery, requests) = try await deliver([Self.found("null")])
        #expect(delivery == .delivered("Spoolman answers through Moonraker; no spool has this tag"))
        #expect(requests.count == 1)
    }

    @Test func `is not changed by a test`() async throws {
        let (delivery, requests) = try await deliver([Self.found("7")], isTest: true)
        #expect(delivery == .delivered("Spoolman answers through Moonraker"))
        #expect(requests.count == 1 && requests[0].contains(#""uid":"00000000""#))
    }

    @Test(arguments: [
        #"{"result":{"response":{"uid":"04"},"error":null}}"#, #"{"result":{"response":null,"error":null}}"#,
        #"{"result":{}}"#, "{}", "", "[", "null", #"{"result":{"response":{"matched_spool_id":"7"},"error":null}}"#,
        #"{"result":{"response":{"matched_spool_id":0},"error":null}}"#,
        #"{"result":{"response":{"matched_spool_id":-7},"error":null}}"#,
        #"{"result":{"response":{"matched_spool_id":1.5},"error":null}}"#,
        #"{"result":{"response":{"matched_spool_id":99999999999999999999},"error":null}}"#,
        #"{"result":{"response":[{"id":7}],"error":null}}"#, #"{"result":{"matched_spool_id":7}}"#,
        #"{"result":{"response":{"matched_spool_id":7}"#,
    ])
    func `is not changed by an answer that names no spool`(body: String) async throws {
        let (delivery, requests) = try await deliver([.status("200 OK", body: body)])
        #expect("\(delivery)".hasPrefix("retry") && requests.count == 1, "\(delivery)")
    }

    @Test(arguments: [
        ("404", "held", "update it, or correct server in section [spoolman] of moonraker.conf"),
        ("422", "unacceptable", "Spoolman refuses the scan: HTTP 422: why"), ("400", "unacceptable", "why"),
        ("503", "retry", "why"), ("500", "retry", "why"), ("599", "retry", "why"),
        ("0", "retry", "does not reach Spoolman: why"), ("-1", "retry", "does not reach Spoolman: why"),
        ("200", "retry", "does not reach Spoolman"),
    ])
    func `waits, is parked or held by what Spoolman answers to Moonraker`(
        status: String, kind: String, words: String
    ) async throws {
        let (delivery, requests) = try await deliver([Self.failed(status)])
        #expect("\(delivery)".hasPrefix(kind) && "\(delivery)".contains(words), "\(delivery)")
        #expect(requests.count == 1)
    }

    @Test(arguments: [
        ("401 Unauthorized", "held", "trusted_clients of moonraker.conf"), ("403 Forbidden", "held", "X-Api-Key"),
        ("404 Not Found", "held", "add [spoolman]"), ("500 Oops", "retry", "HTTP 500"),
        ("503 Busy", "retry", "HTTP 503"), ("502 Bad Gateway", "retry", "HTTP 502"),
    ])
    func `waits or is held by what Moonraker itself answers`(status: String, kind: String, words: String) async throws {
        let (first, _) = try await deliver([.status(status)])
        #expect("\(first)".hasPrefix(kind) && "\(first)".contains(words), "\(first)")
        let (second, requests) = try await deliver([Self.found("7"), .status(status)])
        #expect("\(second)".hasPrefix(kind) && "\(second)".contains(words), "\(second)")
        #expect(requests.count == 2)
    }

    @Test(arguments: [active("8"), active("null"), active("\"7\""), .status("200 OK"), .status("200 OK", body: "{}")])
    func `counts as set only when Moonraker confirms it`(answer: HostileServer.Behaviour) async throws {
        let (delivery, _) = try await deliver([Self.found("7"), answer])
        #expect("\(delivery)".hasPrefix("retry"), "\(delivery)")
    }

    @Test func `is found in a long answer, and not in one that is longer than 64 KiB`() async throws {
        for (length, isFound) in [(40_000, true), (80_000, false)] {
            let comment = String(repeating: "x", count: length)
            let body = #"{"result":{"response":{"spool":"\#(comment)","matched_spool_id":7},"error":null}}"#
            let (delivery, _) = try await deliver([.status("200 OK", body: body), Self.active("7")])
            #expect("\(delivery)".hasPrefix(isFound ? "delivered" : "retry"), "\(length)")
            #expect("\(delivery)".utf8.count < 400)
        }
    }

    @Test func `needs no second request where the first was not answered`() async throws {
        let (delivery, requests) = try await deliver([.init(closes: true)])
        #expect("\(delivery)".hasPrefix("retry") && requests.count == 3)
        #expect(requests.allSatisfy { $0.hasPrefix("POST /server/spoolman/proxy") })
    }
}
