@testable import CoreNFC
import NDEF
import Testing

@Suite struct MessageTests {
    /// A URI record with an identifier, and a chunked text record.
    static let bytes = "99 01 02 01 55 69 04 61  31 01 02 54 00 41  56 00 01 42"

    @Test func `bytes become records, chunks put together`() throws {
        let message = try #require(NFCNDEFMessage(data: Data(hex: Self.bytes)))
        #expect(message.records.count == 2)
        #expect(message.records.map(\.typeNameFormat) == [.nfcWellKnown, .nfcWellKnown])
        #expect(message.records.map(\.type) == [Data("U".utf8), Data("T".utf8)])
        #expect(message.records.map(\.identifier) == [Data("i".utf8), Data()])
        #expect(message.records.map(\.payload) == [Data(hex: "0461"), Data(hex: "004142")])
    }

    @Test func `the length is that of the records written whole`() throws {
        #expect(try #require(NFCNDEFMessage(data: Data(hex: Self.bytes))).length == 8 + 7)
        #expect(NFCNDEFMessage(records: []).length == 0)
        let long = NFCNDEFPayload(format: .unknown, type: Data(), identifier: Data(), payload: Data(count: 256))
        #expect(NFCNDEFMessage(records: [long]).length == 6 + 256)
    }

    @Test(arguments: ["", "D1", "D1 01 01 55", "D1 01 00 55 00", "91 01 00 55", "D6 00 00", "D0 00 01 00"])
    func `bytes that are not one message make none`(bytes: String) {
        #expect(NFCNDEFMessage(data: Data(hex: bytes)) == nil)
    }

    @Test func `a slice of data is read from its own start`() {
        #expect(NFCNDEFMessage(data: Data(hex: "FFFF D00000").dropFirst(2))?.records.first?.typeNameFormat == .empty)
    }

    @Test func `a reserved format reads as unknown and stays what it was`() throws {
        let message = try #require(NFCNDEFMessage(data: Data(hex: "D7 01 01 58 41")))
        #expect(message.records.map(\.typeNameFormat) == [.unknown])
        #expect(try message.ndefMessage.encoded() == [0xD7, 0x01, 0x01, 0x58, 0x41])
    }

    @Test func `records can be changed`() {
        let message = NFCNDEFMessage(records: [])
        message.records.append(NFCNDEFPayload(format: .empty, type: Data(), identifier: Data(), payload: Data()))
        #expect(message.records.count == 1)
        #expect(message.length == 3)
    }

    @Test func `an activity without NFC has a message with one empty record`() {
        let activity = NSUserActivity(activityType: "browsing")
        #expect(activity.activityType == "browsing")
        #expect(activity.ndefMessagePayload.records.map(\.typeNameFormat) == [.empty])
        activity.webpageURL = URL(string: "https://example.com")
        #expect(activity.webpageURL?.host == "example.com")
    }
}
