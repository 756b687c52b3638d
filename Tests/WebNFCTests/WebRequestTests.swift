import NDEF
import Testing
import WebNFC

@Suite struct `Requests of the extension` {
    private static let record = #"{"typeNameFormat":"unknown","payload":"01"}"#

    @Test(arguments: [
        (#"{"verb":"hello","version":1}"#, WebRequest.hello(version: 1)),
        (#"{"verb":"scan","id":1,"document":"d","origin":"o"}"#, .scan(1, "d", origin: "o")),
        (#"{"verb":"stop","id":1,"document":"d"}"#, .stop(1, "d")),
        (#"{"verb":"lock","id":1,"document":"d","origin":"o"}"#, .lock(1, "d", origin: "o")),
        (#"{"verb":"cancel","id":1}"#, .cancel(1)),
        (#"{"verb":"front","document":"d"}"#, .front("d")),
        (#"{"verb":"front","document":null}"#, .front(nil)),
        (#"{"verb":"forget","document":"d"}"#, .forget("d")),
        (
            #"{"verb":"write","id":1,"document":"d","origin":"o","overwrite":true,"records":[\#(record)]}"#,
            .write(1, "d", origin: "o", Desk.newMessage, overwrite: true)
        ),
    ])
    func `a verb is read`(frame: String, request: WebRequest) throws {
        #expect(try WebRequest(frame: Array(frame.utf8)) == request)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{}", #"{"verb":"session.begin"}"#, #"{"verb":"scan"}"#, #"{"verb":"scan","id":"1"}"#,
        #"{"verb":"front"}"#, #"{"verb":"cancel","id":1.5}"#,
        #"{"verb":"write","id":1,"document":"d","origin":"o","overwrite":true,"records":[{"typeNameFormat":"unknown","payload":"0"}]}"#,
        #"{"verb":"write","id":1,"document":"d","origin":"o","overwrite":true,"records":{}}"#,
        #"{"verb":"write","id":1,"document":"d","origin":"o","overwrite":true,"records":[{"typeNameFormat":"empty","payload":"00"}]}"#,
    ])
    func `anything else is refused`(frame: String) {
        #expect(throws: (any Error).self) { try WebRequest(frame: Array(frame.utf8)) }
    }

    @Test func `names, origins and messages have a limit`() throws {
        let frames = [
            #"{"verb":"forget","document":"\#(String(repeating: "d", count: 65))"}"#,
            #"{"verb":"scan","id":1,"document":"d","origin":"\#(String(repeating: "o", count: 513))"}"#,
            Self.write(payload: 32 * 1024),
        ]
        for frame in frames { #expect(throws: (any Error).self) { try WebRequest(frame: Array(frame.utf8)) } }
        #expect(throws: Never.self) { try WebRequest(frame: Array(Self.write(payload: 32 * 1024 - 6).utf8)) }
    }

    private static func write(payload: Int) -> String {
        let digits = String(repeating: "00", count: payload)
        let record = #"{"typeNameFormat":"unknown","payload":"\#(digits)"}"#
        return #"{"verb":"write","id":1,"document":"d","origin":"o","overwrite":true,"records":[\#(record)]}"#
    }

    @Test func `a tap is reported with its serial number and raw records`() throws {
        let report = WebReport.tap("d", scans: [1], identifier: [0x04, 0xA1], Desk.message)
        let frame = String(decoding: try #require(report.frame), as: UTF8.self)
        #expect(frame.contains(#""serialNumber":"04:a1""#))
        #expect(frame.contains(#""payload":"0261""#))
    }

    @Test func `a message that is too long for the browser is reported as an error`() throws {
        let record = NDEFRecord(typeNameFormat: .unknown, payload: [UInt8](repeating: 0, count: 600_000))
        let report = WebReport.tap("d", scans: [1], identifier: [], NDEFMessage(records: [record]))
        #expect(report.frame == nil)
        #expect(report.shortened?.frame != nil)
    }

    @Test(arguments: [
        (["chrome-extension://lnpchfbnbpebodealjjcimoekolinkho/"], true),
        (["/usr/lib/mozilla/native-messaging-hosts/org.nfcd.web.json", "web-nfc@nfcd"], true),
        (["chrome-extension://abcdefghijklmnopabcdefghijklmnop/"], false),
        (["/usr/lib/mozilla/native-messaging-hosts/org.nfcd.web.json", "other@example.com"], false),
        (["/x.json", "mine@example.com"], true), (["chrome-extension://mine/"], true),
    ])
    func `only known extensions are served`(arguments: [String], isAllowed: Bool) throws {
        let caller = try #require(BrowserExtension(arguments: arguments))
        #expect(caller.isAllowed(others: ["mine@example.com", "chrome-extension://mine/"]) == isAllowed)
    }

    @Test(arguments: [[], ["web-nfc@nfcd"], ["--help"], ["/x.json"], ["/x.json", "--check"]])
    func `a program that no browser started has no caller`(arguments: [String]) {
        #expect(BrowserExtension(arguments: arguments) == nil)
    }
}
