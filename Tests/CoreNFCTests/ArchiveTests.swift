import CoreNFC
import Testing

@Suite struct ArchiveTests {
    @Test func `a message comes back from an archive as it was`() throws {
        let original = try #require(NFCNDEFMessage(data: Data(hex: "9901020155690461 120102610102 5700020102")))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NFCNDEFMessage.self, from: archive))
        #expect(copy.records.map(\.typeNameFormat) == original.records.map(\.typeNameFormat))
        #expect(copy.records.map(\.type) == original.records.map(\.type))
        #expect(copy.records.map(\.identifier) == original.records.map(\.identifier))
        #expect(copy.records.map(\.payload) == original.records.map(\.payload))
        #expect(NFCNDEFMessage.supportsSecureCoding && NFCNDEFPayload.supportsSecureCoding)
    }

    @Test func `a record comes back from an archive as it was`() throws {
        let record = NFCNDEFPayload(
            format: .media, type: Data("a/b".utf8), identifier: Data([9]), payload: Data(repeating: 7, count: 300))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NFCNDEFPayload.self, from: archive))
        #expect(copy.typeNameFormat == .media)
        #expect((copy.type, copy.identifier, copy.payload) == (record.type, record.identifier, record.payload))
    }

    @Test(arguments: [nil, -1, 8, 256])
    func `an archive without a format of the standard makes no record`(format: Int?) throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        if let format { archiver.encode(format, forKey: "typeNameFormat") }
        for key in ["type", "identifier", "payload"] { archiver.encode(NSData(), forKey: key) }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(NFCNDEFPayload(coder: unarchiver) == nil)
    }
}
