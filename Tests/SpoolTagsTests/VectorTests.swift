import Foundation
import TestSupport
import Testing

@testable import SpoolTags

/// The dumps of spools.jsonl, where the shared vectors are available, against what other programs read there.
@Suite(.enabled(if: SpoolVector.isAvailable, "spools.jsonl is not available")) struct SpoolVectorTests {
    @Test(arguments: SpoolVector.rows("tigertag.dump"))
    func `a TigerTag reads as its own SDK reads it`(row: SpoolVector) throws {
        let tag = try #require(TigerTag(SpoolMemory(type2Dump: row.dump)))
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(tag)) as? [String: Any]
        let fields = try #require(json)
        #expect(row.numbers.count == 30)
        for (name, number) in row.numbers { #expect((fields[name] as? NSNumber)?.doubleValue == number, "\(name)") }
        #expect(tag.text == row.texts["message"])
        #expect(fields["uid"] as? String == row.texts["uid"])
        #expect(tag.signature().rawValue == row.signature)
        #expect(tag.doubts.count == row.warnings)
    }

    @Test(
        arguments: SpoolVector.rows("elegoo.dump") + SpoolVector.rows("anycubic.dump") + SpoolVector.rows("qidi.dump"))
    func `a vendor's spool reads as another program reads it`(row: SpoolVector) throws {
        let isClassic = row.kind == "qidi.dump"
        let memory = isClassic ? SpoolMemory.classic(row.dump) : SpoolMemory(type2Dump: row.dump)
        let content = try #require(SpoolContent.recognised(in: memory))
        let facts = content.facts
        #expect(content.format + ".dump" == row.kind)
        let words = [row.texts["type"]].compactMap(\.self) + (row.lists["modifiers"] ?? [])
        #expect(facts.material == words.joined(separator: " "))
        // The other program fills in what Qidi's tag does not give, and no transparency.
        let digits = isClassic ? 6 : 8
        #expect(
            facts.colors.map { $0.hexadecimal.prefix(digits) }
                == row.lists["colors_rgba_hex"]?.map { $0.prefix(digits) })
        guard !isClassic else { return }
        #expect(facts.diameter == row.numbers["diameter_mm"])
        #expect(facts.fullWeight == row.numbers["weight_grams"])
        #expect(facts.nozzle == SpoolRange(row.numbers["hotend_min_temp_c"], row.numbers["hotend_max_temp_c"]))
    }

    @Test func `the rows are read`() {
        #expect(SpoolVector.rows("tigertag.dump").count >= 10)
        #expect(!SpoolVector.rows("elegoo.dump").isEmpty)
        #expect(!SpoolVector.rows("qidi.dump").isEmpty)
    }
}
