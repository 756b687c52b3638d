import NDEFProperties
import TestSupport
import Testing

@testable import NDEF

@Suite("Properties")
struct PropertyTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what was encoded decodes to the same message`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<25 {
            let message = generator.message()
            let encoded = try message.encoded()
            #expect(encoded.count == message.encodedLength)
            let decoding = try NDEFMessage.decode(encoded)
            #expect(decoding.message == message)
            #expect(!decoding.warnings.contains { [.ilWithEmptyID, .longFormForShortPayload].contains($0.code) })
            #expect(try decoding.message.encoded() == encoded)
        }
    }

    @Test(arguments: 100..<110 as Range<UInt64>)
    func `a message cut at any byte is refused`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let encoded = try generator.message().encoded()
        for length in encoded.indices {
            #expect(throws: NDEFError.self) { try NDEFMessage.decode(encoded.span.extracting(0..<length)) }
        }
        #expect(throws: NDEFError.self) { try NDEFMessage.decode(encoded + [0]) }
    }

    @Test(arguments: 200..<220 as Range<UInt64>)
    func `random bytes never stop the program`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<2_000 {
            guard let message = try? NDEFMessage(decoding: generator.bytes(0...40)) else { continue }
            exercise(message)
        }
    }

    @Test(arguments: 300..<320 as Range<UInt64>)
    func `a message with a byte changed never stops the program`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        var encoded = try generator.message().encoded()
        for _ in 0..<500 {
            let index = Int.random(in: encoded.indices, using: &generator)
            let byte = encoded[index]
            encoded[index] = UInt8.random(in: .min ... .max, using: &generator)
            if let message = try? NDEFMessage(decoding: encoded) { exercise(message) }
            encoded[index] = byte
        }
    }

    @Test(arguments: 400..<420 as Range<UInt64>, ["T", "U", "Sp", "act", "s", "t", "Di", "Sig", "Gc"])
    func `random payloads never stop the program`(_ seed: UInt64, _ type: String) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<500 {
            let payload = generator.bytes(0...12)
            let record = NDEFRecord(typeNameFormat: .nfcWellKnown, type: Array(type.utf8), payload: payload)
            exercise(NDEFMessage(records: [record]))
        }
    }

    @Test(arguments: 500..<520 as Range<UInt64>, TextRecord.Encoding.allCases)
    func `a text decodes to the same characters`(_ seed: UInt64, _ encoding: TextRecord.Encoding) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<200 {
            let text = generator.text()
            let written = try TextRecord(text, language: "x-test", encoding: encoding)
            var warnings: [NDEFWarning.Code] = []
            let read = try TextRecord(payload: written.payload, warnings: &warnings)
            #expect(read.text.unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(read == written)
            #expect(warnings.isEmpty)
        }
    }

    @Test(arguments: 600..<620 as Range<UInt64>)
    func `a URI decodes to the same characters`(_ seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let starts = ["", "http://", "https://www.", "tel:", "urn:epc:", "urn:", "HTTP://"]
        for _ in 0..<200 {
            let uri = (starts.randomElement(using: &generator) ?? "") + generator.text()
            guard let written = try? URIRecord(uri) else { continue }
            #expect(try URIRecord(payload: written.payload).uri.utf8.elementsEqual(uri.utf8))
        }
    }

    /// Does everything that a client may do with a message from a tag.
    private func exercise(_ message: NDEFMessage) {
        for record in message.records {
            let line = record.description
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        _ = message.payloadWarnings
        #expect(throws: Never.self) { try message.encoded() }
    }
}

@Suite("Properties of every typed payload")
struct TypedPayloadPropertyTests {
    static let kinds = PayloadRegistry.all.map { $0.content.kind }

    @Test(arguments: kinds)
    func `there are seeds, and one of them can be decoded`(_ kind: String) throws {
        let seeds = try #require(Seeds.payloads(kind), "Fuzz/Seeds/\(kind).txt is missing or not hexadecimal")
        #expect(try seeds.contains { try record(kind, $0).decoded.content != nil })
    }

    @Test(arguments: kinds)
    func `promises hold for the seeds, cut anywhere or with a byte more`(_ kind: String) throws {
        for seed in try #require(Seeds.payloads(kind)) {
            for length in 0...seed.count {
                let broken = try record(kind, Array(seed.prefix(length))).brokenPromises
                #expect(broken == [], "\(Array(seed.prefix(length)).hexadecimal)")
            }
            let longer = seed + [0x00]
            #expect(try record(kind, longer).brokenPromises == [], "\(longer.hexadecimal)")
        }
    }

    @Test(arguments: kinds)
    func `promises hold for seeds with bytes changed, and for random bytes`(_ kind: String) throws {
        var generator = SplitMix(seed: 800)
        let seeds = try #require(Seeds.payloads(kind))
        for _ in 0..<300 {
            var payload = seeds.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !payload.isEmpty {
                let index = Int.random(in: payload.indices, using: &generator)
                payload[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            #expect(try record(kind, payload).brokenPromises == [], "\(payload.hexadecimal)")
            let noise = generator.bytes(0...24)
            #expect(try record(kind, noise).brokenPromises == [], "\(noise.hexadecimal)")
        }
    }

    private func record(_ kind: String, _ payload: [UInt8]) throws -> NDEFRecord {
        let form = try #require(PayloadRegistry.all.first { $0.content.kind == kind })
        let type = try #require(form.recordTypes.first)
        return NDEFRecord(typeNameFormat: type.typeNameFormat, type: type.type, payload: payload)
    }
}
