import FoundationEssentials
import NFCProtocol
import Testing

@testable import nfcd_relay

/// Signatures, answers and events without a network.
@Suite struct WebhookRulesTests {
    private static let secrets = [
        "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eDf3t3c29rZ2NfW1dTT0tHQz87NzMvKycjHxsXEw8LBwA==",
    ]
    private static let event =
        #"{"specversion":"1.0","id":"0192f0c1-2b00-7000-8000-000000000002","source":"/nfcd/site-a/kiosk-1/reader-0","#
        + #""type":"org.nfcd.tap.read","time":"2025-01-01T00:00:00Z","subject":"046E11044D5A80","#
        + #""datacontenttype":"application/json","data":{"seq":1}}"#

    /// The vectors of the reference (PyPI standardwebhooks 1.1.0).
    @Test(
        arguments: [
            (
                [0], "0192f0c1-2b00-7000-8000-000000000001", 1_700_000_000, "{}",
                "v1,jgDwAQIpfCxRLY09iTIx/jDe2Pre/ECpIr5WKTFURbE="
            ),
            (
                [1], "0192f0c1-2b00-7000-8000-000000000002", 1_735_689_600, event,
                "v1,qZKmea6+Sb7N5Y/h0lQQzqR2vs9fBAHu80NwQ9HH5Y8="
            ),
            (
                [1, 0], "0192f0c1-2b00-7000-8000-000000000002", 1_735_689_600, event,
                "v1,qZKmea6+Sb7N5Y/h0lQQzqR2vs9fBAHu80NwQ9HH5Y8= v1,DzdMW59esz4WuM+h/f9UFwN8sXB7wWa8536uW+HDV6s="
            ),
            (
                [2], "msg_3", 2_147_483_648, "{\"text\":\"Grüße 👋\",\"n\":1.5}\n",
                "v1,t3wxWeOhhzJ8dFfHnl9RenRvD9koakcQzfkznPMJfhs="
            ),
        ] as [([Int], String, Int64, String, String)])
    func `signatures are those of Standard Webhooks`(
        keys: [Int], id: String, seconds: Int64, body: String, signature: String
    ) throws {
        let signer = WebhookSigner(try keys.map { try #require(WebhookSigner.Key(SecretLine(Self.secrets[$0].utf8))) })
        let headers = signer.headers(id: id, seconds: seconds, body: Data(body.utf8))
        #expect(headers.map(\.0) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(headers.map(\.1) == [id, "\(seconds)", signature])
    }

    private func clocks(_ isSynchronised: Bool = true) -> ClockReading {
        ClockReading(
            wall: Date(timeIntervalSince1970: 1_000_000), boot: .seconds(100), bootID: "boot",
            isSynchronised: isSynchronised)
    }

    @Test(arguments: [400, 413, 422] as [UInt])
    func `poison is only poison while the clock is right`(status: UInt) {
        let answer = WebhookAnswer(status: status, text: "bad")
        #expect(answer.delivery(clocks()) == .refused("HTTP \(status): bad"))
        #expect("\(answer.delivery(clocks(false)))".hasPrefix("retry"))
    }

    @Test func `a refused signature is temporary while the clock is wrong`() {
        #expect("\(WebhookAnswer(status: 401).delivery(clocks()))".hasPrefix("held"))
        #expect("\(WebhookAnswer(status: 401).delivery(clocks(false)))".hasPrefix("retry"))
    }

    @Test(
        arguments: [
            ("120", nil, 120), ("0", nil, 0), ("-5", nil, 0), ("99999999", nil, 86_400), ("soon", nil, nil),
            ("Mon, 12 Jan 1970 13:46:50 GMT", nil, 10), ("Mon, 12 Jan 1970 13:46:00 GMT", nil, 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:07 GMT", 30),
            ("Sun, 66 Nov 1994 08:49:37 GMT", nil, nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil, nil), ("", nil, nil),
        ] as [(String, String?, Int64?)])
    func `Retry-After is a number of seconds or a date`(header: String, date: String?, seconds: Int64?) {
        let answer = WebhookAnswer(status: 429, retryAfter: header, date: date)
        #expect(answer.delivery(clocks()) == .retry("HTTP 429", after: seconds.map { .seconds($0) }))
    }

    @Test func `an event has the attributes of CloudEvents and the tap as data`() throws {
        let identity = RelayIdentity(site: "site-a", device: "kiosk-1", sourcePrefix: "https://example.com")
        let tap = TapFactory.tap(70, reader: "reader-0", 7)
        let event = try CloudEvent(tap, identity, clocks: clocks(), isReplay: false).json
        let data = String(decoding: try JSONLine.encode(tap).dropLast(), as: UTF8.self)
        #expect(
            String(decoding: event, as: UTF8.self)
                == #"{"data":\#(data),"datacontenttype":"application/json","id":"\#(tap.id)","sequence":"00000000000000000007","#
                + #""source":"https://example.com/nfcd/site-a/kiosk-1/reader-0","specversion":"1.0","subject":"046E11044D5A80","#
                + #""time":"2025-01-01T00:00:00.000Z","type":"org.nfcd.tap.read"}"#)
    }

    @Test func `a time of an unsynchronised clock is corrected within the same boot`() throws {
        let tap = TapFactory.tap(1, clock: .unsynchronised, bootTime: 40)
        #expect(clocks().correctedTime(of: tap) == "1970-01-12T13:45:40.000Z")
        #expect(clocks().age(of: tap) == .seconds(60))
        #expect(clocks(false).correctedTime(of: tap) == nil)
        let earlier = TapFactory.tap(1, clock: .unsynchronised, bootID: "other")
        #expect(clocks().correctedTime(of: earlier) == nil)
        #expect(clocks().age(of: earlier) == nil)
        let json = try CloudEvent(earlier, RelayIdentity(site: "s", device: "d"), clocks: clocks(), isReplay: true).json
        #expect(String(decoding: json, as: UTF8.self).contains(#""timequality":"unsynchronised""#))
        #expect(String(decoding: json, as: UTF8.self).contains(#""replay":"true""#))
    }

    @Test func `the notice of a loss has the same id for the same loss`() throws {
        let identity = RelayIdentity(site: "s", device: "d")
        let lost = LostTaps(epoch: "e", range: .init(reader: "reader-0", numbers: 2...4))
        let notices = try ["a", "b"].map { try RelayNotice(lost, identity, time: $0) }
        #expect(notices[0].id == notices[1].id)
        #expect(lost.text == "3 taps of reader reader-0 are missing in the journal: numbers 2 to 4")
        #expect(String(decoding: notices[0].cloudEvent, as: UTF8.self).contains(#""type":"org.nfcd.journal.lost""#))
    }
}
