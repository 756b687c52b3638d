import FoundationEssentials
import NDEF
import NFCProtocol
import NFCTypes
import ServiceSupport
import Testing

@testable import nfcd_relay

/// What Spoolman gets, and what its answers mean.
@Suite struct `A scan for Spoolman` {
    private static let identity = RelayIdentity(site: "site-a", device: "kiosk-1")

    private func body(_ tap: RecordedTap, contents: Bool = false) throws -> String {
        let settings = WebhookSettings(url: "http://127.0.0.1/", preset: .spoolman, contents: contents)
        let event = try TapEvent(tap, Self.identity, attempt: 0, isReplay: false)
        return String(decoding: try WebhookBody(event, settings, Self.identity).data, as: UTF8.self)
    }

    private func failure(_ tap: RecordedTap) -> Delivery? {
        do {
            _ = try SpoolmanScan(tap, Self.identity, contents: false)
            return nil
        } catch {
            return error.delivery
        }
    }

    private static func media(_ type: String, _ payload: String = "") -> NDEFRecord {
        NDEFRecord(typeNameFormat: .media, type: Array(type.utf8), payload: Array(payload.utf8))
    }

    @Test func `has the UID, the reader and its name`() throws {
        #expect(
            try body(TapFactory.tap(7))
                == #"{"name":"Reader reader-0","reader_id":"kiosk-1:reader-0","uid":"046E11044D5A80"}"#)
    }

    @Test func `has the UID of a tag of ISO 15693 as nfcd has it, E0 first`() throws {
        let tap = TapFactory.tap(7, identifier: [0xE0, 0x04, 0x01, 0x08, 0x66, 0x2F, 0x6F, 0xBC])
        #expect(try body(tap).hasSuffix(#""uid":"E0040108662F6FBC"}"#))
    }

    @Test(
        arguments: [
            ([media("application/vnd.openprinttag")], "openprinttag"),
            ([media("APPLICATION/VND.OpenPrintTag")], "openprinttag"),
            (
                [
                    NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x55], payload: Array("\u{4}a.org".utf8)),
                    media("application/opentag3d"),
                ], "opentag3d"
            ),
            ([media("application/opentag3d"), media("application/vnd.openprinttag")], "opentag3d"),
            ([media("application/json", #"{"protocol":"openspool","version":"1.0"}"#)], "openspool"),
            ([media("application/json", #"{"protocol":"other"}"#)], nil), ([media("application/json", "{")], nil),
            ([media("application/json", #"{"sm_id":"3"}"#)], nil),
            ([media("application/vnd.openprinttag2")], nil),
            ([NDEFRecord(typeNameFormat: .nfcExternal, type: Array("application/opentag3d".utf8))], nil), ([], nil),
        ] as [([NDEFRecord], String?)])
    func `names the format that the records show`(records: [NDEFRecord], format: String?) throws {
        let text = try body(TapFactory.tap(7, message: NDEFMessage(records: records)))
        #expect(text.contains(#""format":"#) == (format != nil), "\(text)")
        if let format { #expect(text.contains(#""format":"\#(format)""#), "\(text)") }
    }

    @Test func `names no format for a tag without a message`() {
        #expect(SpoolmanScan.Format(nil) == nil)
    }

    @Test(arguments: [(0, true), (6_000, true), (6_120, true), (6_140, false), (20_000, false)])
    func `has the message in base64 where it is asked for, and at most 8192 characters of it`(
        length: Int, isSent: Bool
    ) throws {
        let message = NDEFMessage(records: [Self.media("a/b", String(repeating: "x", count: length))])
        let base64 = Data(try message.encoded()).base64EncodedString().replacing("/", with: "\\/")
        let text = try body(TapFactory.tap(7, message: message), contents: true)
        #expect(text.contains("payload_b64") == isSent)
        let plain = text.replacing("\\/", with: "/")
        if isSent { #expect(plain.contains(#""payload_b64":"\#(base64.replacing("\\/", with: "/"))""#)) }
        #expect(try !body(TapFactory.tap(7, message: message)).contains("payload_b64"))
        #expect(try !body(TapFactory.tap(7), contents: true).contains("payload_b64"))
    }

    @Test func `has a reader id and a name that Spoolman accepts`() throws {
        var tap = TapFactory.tap(7, reader: "Leser ü/ä " + String(repeating: "x", count: 80))
        tap.readerName = String(repeating: "e\u{301}", count: 64)
        let text = try body(tap)
        let id = try #require(text.firstMatch(of: /"reader_id":"([^"]*)"/)).1
        #expect(id.wholeMatch(of: /[A-Za-z0-9._:-]{1,64}/) != nil && id.hasPrefix("kiosk-1:Leser-"))
        let name = try #require(text.firstMatch(of: /"name":"([^"]*)"/)).1
        #expect(name.unicodeScalars.count == 64)
    }

    @Test(arguments: [IdentifierForm.hashed, .omitted])
    func `parks a tap of a time when the journal did not store the UID`(form: IdentifierForm) throws {
        var tap = TapFactory.tap(7, identifier: form == .hashed ? [UInt8](repeating: 0xAB, count: 16) : [])
        tap.tag.identifierForm = form
        guard case .unacceptable(let reason) = failure(tap) else {
            return #expect(Bool(false), "\(failure(tap) as Any)")
        }
        #expect(reason.contains("the UID of the tap \(form.rawValue)") && reason.contains("discard it"))
    }

    @Test func `parks a tap without a UID`() {
        guard case .unacceptable(let reason) = failure(TapFactory.tap(7, identifier: [])) else {
            return #expect(Bool(false))
        }
        #expect(reason.contains("has no UID"))
        #expect(failure(TapFactory.tap(7)) == nil)
    }

    @Test(
        arguments: [
            (200, "delivered"), (201, "delivered"), (400, "unacceptable"), (413, "unacceptable"), (422, "unacceptable"),
            (404, "held"), (405, "held"), (403, "held"), (302, "held"), (409, "retry"), (429, "retry"), (500, "retry"),
            (503, "retry"),
        ] as [(UInt, String)])
    func `is delivered, parked at once, held or repeated by the status`(status: UInt, kind: String) {
        for isSynchronised in [true, false] {
            let clocks = ClockReading(
                wall: Date(timeIntervalSince1970: 0), boot: .zero, bootID: "b", isSynchronised: isSynchronised)
            let delivery = WebhookAnswer(status: status, text: "why").scanDelivery(clocks, address: "url")
            #expect("\(delivery)".hasPrefix(kind), "\(delivery)")
        }
    }

    @Test func `explains an old Spoolman, and a refusal`() {
        let old = WebhookAnswer(status: 404, text: "Not Found").scanDelivery(.now, address: "url")
        #expect(
            old
                == .held(
                    "HTTP 404: Spoolman does not take scans, which it does since version 0.27; update it, or correct url"
                ))
        let refused = WebhookAnswer(status: 400, text: #"{"message":"no"}"#).scanDelivery(.now, address: "url")
        #expect(refused == .unacceptable(#"Spoolman refuses the scan: HTTP 400: {"message":"no"}"#))
    }
}
