import Foundation
import Testing

/// `nfcctl write --each` with a real pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A batch with a real pcscd` {
    private static let count = 100
    private static let command = ["write", "--each", "--uri", "https://ex.am/{n:05}", "--count", "\(count)", "--json"]

    /// A tag of the pile, with the UID that its number gives.
    private struct PileTag {
        let number: Int
        var uid: String { "04" + String(format: "%08X", number * 0x01_0203) + "5A80" }
    }

    /// What happens with the tags: every seventh is removed at one of its exchanges and comes back, at once or after the next.
    private static func taps() -> [(tag: PileTag, exchange: Int?)] {
        var taps: [(PileTag, Int?)] = []
        var late: PileTag?
        for number in 1...count {
            let tag = PileTag(number: number)
            if number % 7 == 0 { taps.append((tag, 3 + number / 7 % 8)) }
            if number % 14 == 0, number < count - 1 { late = tag } else { taps.append((tag, nil)) }
            if let other = late, other.number != number {
                taps.append((other, nil))
                late = nil
            }
        }
        return taps
    }

    @Test
    func `writes a hundred tags once each, although every seventh is removed too early, and continues after Ctrl-C`()
        async throws
    {
        try await withReaders { daemon, _ in
            let report = "\(daemon.scratch.path)/tags.csv"
            let pile = try daemon.startTagPile()
            var batch = try await daemon.startBatch(Self.command + ["--report", report])
            var memories: [String: String] = [:]
            var taps = Self.taps()[...]
            let half = taps.count / 2
            while let (tag, exchange) = taps.popFirst() {
                if taps.count == half {
                    #expect(await batch.end(SIGINT) == 130)
                    batch = try await daemon.startBatch(Self.command + ["--report", report])
                }
                pile.send(Array("put \(tag.uid)\(exchange.map { " \($0)" } ?? "")\n".utf8))
                guard exchange == nil else {
                    _ = try #require(await pile.output.next(containing: "left \(tag.uid)"))
                    // pcscd does not notice a tag that is replaced between two of its polls.
                    try await daemon.wait(for: "tagLeft")
                    continue
                }
                let line = try #require(
                    await batch.output.next(containing: "\"event\":\"written\""), "\(batch.errors.all)")
                #expect(line.contains(tag.uid), "\(line)")
                pile.send(Array("lift\n".utf8))
                let left = try #require(await pile.output.next(containing: "left \(tag.uid)"))
                try await daemon.wait(for: "tagLeft")
                memories[tag.uid] = left.split(separator: " ").last.map(String.init)
            }
            #expect(await batch.status() == 0, "\(batch.errors.all)")
            try check(report, memories)
            await pile.end(SIGKILL)
        }
    }

    /// Compares each line of the report with the memory of its tag.
    private func check(_ report: String, _ memories: [String: String]) throws {
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.first == "number,uid,time,reader,content,ndef")
        let rows = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        #expect(rows.count == Self.count && Set(rows.map { $0[1] }).count == Self.count)
        #expect(rows.compactMap { Int($0[0]) }.sorted() == Array(1...Self.count))
        for row in rows {
            // A URI record with the prefix https:// (NFC Forum URI RTD, 3.2.2) in an NDEF message TLV on page 4.
            let uri = Array("ex.am/\(String(format: "%05d", Int(row[0]) ?? 0))".utf8)
            let message = [0xD1, 0x01, UInt8(uri.count + 1), 0x55, 0x04] + uri
            let digits = message.map { String(format: "%02X", $0) }.joined()
            let memory = try #require(memories[row[1]], "\(row)")
            let pages = String(memory.dropFirst(4 * 8))
            // It follows the lock control TLV of the factory (NTAG213 data sheet, 8.5.6).
            let expected = "0103A00C34" + String(format: "03%02X", message.count) + digits + "FE"
            #expect(pages.hasPrefix(expected), "\(row): \(pages.prefix(60))")
            #expect(row[5] == digits && row[4].contains("https://"), "\(row)")
        }
    }
}

extension DaemonUnderTest {
    /// Starts a batch and waits for its session.
    func startBatch(_ arguments: [String]) async throws -> ChildProcess {
        let batch = try start(arguments)
        try await wait(for: "is active")
        return batch
    }
}
