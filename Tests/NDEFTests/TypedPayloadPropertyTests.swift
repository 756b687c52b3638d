import NDEFProperties
import TestSupport
import Testing

@testable import NDEF

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
