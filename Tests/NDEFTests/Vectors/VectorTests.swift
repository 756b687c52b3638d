import Foundation
import Testing

@testable import NDEF

@Suite(.enabled(if: !Vectors.rows.isEmpty, "no shared vectors here; set NFCD_VECTORS to their folder"))
struct VectorTests {
    @Test func `there are rows of each kind`() {
        #expect(Vectors.messages.count > 200)
        #expect(Vectors.payloads.count > 40)
        #expect(Vectors.records.count > 2)
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "error" })
    func `a faulty message is refused for the given reason`(_ row: VectorRow) throws {
        #expect(try decodingError(row.hex).code.rawValue == row.errorCode)
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "ok" })
    func `a sound message is decoded`(_ row: VectorRow) throws {
        let decoding = try NDEFMessage.decode(bytes(row.hex))
        #expect(Set(decoding.warnings.map(\.code.rawValue)) == Set(row.warnings ?? []))
        guard case .array(let expected) = row.decoded?["records"] else {
            Issue.record("the row has no records")
            return
        }
        try #require(decoding.message.records.count == expected.count)
        for (record, expected) in zip(decoding.message.records, expected) {
            #expect(VectorValue.number(Double(record.typeNameFormat.rawValue)) == expected["tnf"])
            #expect(try record.type == bytes(#require(expected["type"]?.string)))
            #expect(try record.identifier == bytes(#require(expected["id"]?.string)))
            #expect(try record.payload == bytes(#require(expected["payload"]?.string)))
            check(record, value: expected["value"], error: expected["value_error"]?.string)
        }
    }

    @Test(arguments: Vectors.messages.filter { $0.expect == "ok" })
    func `a sound message survives being written`(_ row: VectorRow) throws {
        let message = try NDEFMessage(decoding: bytes(row.hex))
        #expect(try NDEFMessage(decoding: message.encoded()) == message)
        let json = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(NDEFMessage.self, from: json) == message)
    }

    @Test(arguments: Vectors.payloads)
    func `a payload is decoded or refused`(_ row: VectorRow) throws {
        let type = try #require(row.payloadType)
        let record = NDEFRecord(
            typeNameFormat: try #require(TypeNameFormat(rawValue: type.tnf)), type: Array(type.type.utf8),
            payload: try bytes(row.hex))
        check(record, value: row.decoded, error: row.errorCode)
    }

    @Test(arguments: Vectors.records)
    func `a physical record is read without regard to its place`(_ row: VectorRow) throws {
        let input = try bytes(row.hex)
        let parsed = RecordHeader(input.span, at: 0)
        let header = try #require(parsed)
        guard case .array(let records) = row.decoded?["records"], let expected = records.first else {
            Issue.record("the row has no record")
            return
        }
        let flags = header.flags
        #expect(VectorValue.number(Double(flags.typeNameFormat.rawValue)) == expected["tnf"])
        #expect(.bool(flags.isMessageBegin) == expected["mb"])
        #expect(.bool(flags.isMessageEnd) == expected["me"])
        #expect(.bool(flags.isChunk) == expected["cf"])
        #expect(.bool(flags.isShortRecord) == expected["sr"])
        #expect(.bool(flags.hasIdentifierLength) == expected["il"])
        let fields = input.dropFirst(flags.headerLength)
        let type = fields.prefix(header.typeLength)
        let identifier = fields.dropFirst(header.typeLength).prefix(header.identifierLength)
        let payload = fields.dropFirst(header.typeLength + header.identifierLength).prefix(header.payloadLength)
        #expect(try Array(type) == bytes(#require(expected["type"]?.string)))
        #expect(try Array(identifier) == bytes(#require(expected["id"]?.string)))
        #expect(try Array(payload) == bytes(#require(expected["payload"]?.string)))
    }

    /// Compares what a record says with the row: the typed form, or the reason why there is none.
    private func check(_ record: NDEFRecord, value: VectorValue?, error: String?) {
        if case .failed(let failure) = record.decoded {
            #expect(failure.code.rawValue == error)
            return
        }
        #expect(error == nil)
        guard let value, case .object(let fields) = value else { return }
        let ignored = DecodedPayload.ignoredVectorFields[value["kind"]?.string ?? ""] ?? []
        #expect(record.decoded.vectorForm == VectorValue.object(fields).removing(ignored))
    }
}
