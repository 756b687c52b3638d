import CoreNFC
import Testing

/// A name of the API, what it evaluates to, and what it must be.
struct ValueRow: Sendable {
    let name: String
    let value: Int
    let expected: Int

    init(_ name: String, _ value: some BinaryInteger, _ expected: Int) {
        (self.name, self.value, self.expected) = (name, Int(value), expected)
    }
}

@Suite struct RawValueTests {
    @Test(arguments: ValueRow.tags + ValueRow.feliCa + ValueRow.iso15693 + ValueRow.messages + ValueRow.passes)
    func `every value of the API is what it is on an iPhone`(row: ValueRow) {
        #expect(row.value == row.expected, "\(row.name)")
    }

    @Test func `numbers without a name give nil`() {
        #expect(NFCFeliCaEncryptionId(rawValue: 0x40) == nil)
        #expect(NFCVASResponse.ErrorCode(rawValue: 0x9001) == nil)
        #expect(NFCTypeNameFormat(rawValue: 7) == nil)
        #expect(NFCMiFareFamily(rawValue: 0) == nil)
        #expect(NFCNDEFStatus(rawValue: 0) == nil)
    }
}
