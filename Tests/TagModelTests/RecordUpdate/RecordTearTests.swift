import Foundation
import NFCTags
import TestSupport
import Testing
import VirtualTags

/// Random changes inside a record, torn at every exchange.
///
/// `NFCD_UPDATES` is how many for each kind of tag, 6 without; `make random-test` makes 2,000.
@Suite struct `A change inside a record that is torn` {
    private static let count = ProcessInfo.processInfo.environment["NFCD_UPDATES"].flatMap { Int($0) } ?? 6

    @Test(arguments: RecordCard.all.indices) func `leaves the old bytes, the new ones, or what was asked for`(
        index: Int
    ) async throws {
        let card = RecordCard.all[index]
        var numbers = SplitMix(seed: UInt64(index))
        var kinds = [String: Int]()
        for number in 0..<Self.count {
            let change = try RandomChange(using: &numbers)
            let test = try RecordTear(card, change)
            try await test.run()
            kinds["\(change.kind), \(test.isOneUnit ? "one write" : "several")", default: 0] += 1
            if number % 250 == 249 { print("\(card.testDescription): \(number + 1) updates, \(kinds)") }
        }
    }
}

/// A random change of the second record of a message.
private struct RandomChange {
    let records: TwoRecords
    let update: RecordUpdate
    let kind: String

    init(using numbers: inout SplitMix) throws {
        // The first record takes up what is locked.
        var made = TwoRecords(
            front: numbers.bytes(count: Int.random(in: 64...80, using: &numbers)),
            payload: numbers.bytes(count: Int.random(in: 8...100, using: &numbers)))
        made.isLong = Bool.random(using: &numbers)
        made.hasIdentifier = Bool.random(using: &numbers)
        records = made
        let offset = Int.random(in: 0..<made.payload.count, using: &numbers)
        let size = Int.random(in: 1...min(30, made.payload.count - offset), using: &numbers)
        let old = Array(made.payload[offset..<offset + size])
        let first = Int.random(in: 0..<size, using: &numbers)
        var new = old
        for place in first..<size where place == first || Bool.random(using: &numbers) {
            new[place] = old[place] ^ UInt8.random(in: 1...255, using: &numbers)
        }
        kind = ["stop", "steps", "plain"].randomElement(using: &numbers) ?? "plain"
        let stop = RecordUpdate.Stop(offset: offset + Int.random(in: 0...first, using: &numbers), byte: 0xFF)
        let steps = (0..<Int.random(in: 1...2, using: &numbers)).map { _ in numbers.bytes(count: size) }
        update = try RecordUpdate(
            record: 1, offset: offset, old: old, new: new, stop: kind == "stop" ? stop : nil,
            steps: kind == "steps" ? steps : [])
    }
}

/// One change on one kind of tag, interrupted before, during and after each exchange.
private struct RecordTear {
    let card: RecordCard
    let change: RandomChange
    private let tag: any VirtualTag
    private let before: [UInt8]
    /// Where the bytes of the change are in the memory of the model.
    private let places: [Int]

    init(_ card: RecordCard, _ change: RandomChange) throws {
        (self.card, self.change) = (card, change)
        let update = change.update
        tag = try card.make(change.records.message)
        before = RecordCard.memory(of: tag)
        let other = try card.make(change.records.with(update.old.map { ~$0 }, at: update.offset).message)
        places = zip(before, RecordCard.memory(of: other)).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    }

    /// Whether one write makes the change.
    var isOneUnit: Bool {
        let contents = change.update.steps + [change.update.new]
        let changed = change.update.old.indices.filter { index in
            contents.contains { $0[index] != change.update.old[index] }
        }
        guard let first = changed.first, let last = changed.last else { return true }
        if card.isFile { return last - first < card.unit }
        return Set(changed.map { places[$0] / card.unit }).count <= 1
    }

    func run() async throws {
        if !before.isEmpty { try #require(places.count == change.update.old.count) }
        for exchange in 1...200 {
            var hasHappened = false
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try card.reader(tag)
                let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                let driver = card.driver(ModelChannel(torn))
                let error = await failure {
                    try await driver.updateRecord(change.update, verifying: exchange % 2 == 0, progress: nil)
                }
                hasHappened = hasHappened || !torn.isPresent
                try await check(reader, error, "\(card.testDescription): \(fault) at \(exchange), \(change.update)")
            }
            if !hasHappened { return }
        }
        Issue.record("the change does not end")
    }

    private func check(_ reader: VirtualReader, _ error: TagError?, _ name: String) async throws {
        let update = change.update
        let memory = RecordCard.memory(of: reader.tag)
        var expected = before
        for place in places where memory.indices.contains(place) { expected[place] = memory[place] }
        #expect(memory == expected, "\(name): other memory was changed")
        var found = update.old
        if memory.isEmpty || memory != before {
            let message = try await card.driver(ModelChannel(reader)).readNDEF().message
            guard let read = change.records.bytes(of: message, at: update.offset, count: update.old.count) else {
                Issue.record("\(name): the record is lost")
                return
            }
            found = read
        }
        #expect(isAllowed(found), "\(name): \(found)")
        switch error?.leaves {
        case nil: #expect(found == (error == nil ? update.new : update.old), "\(name): \(String(describing: error))")
        case .old: #expect(found == update.old, "\(name)")
        case .new: #expect(found == update.new, "\(name)")
        case .oldOrNew: #expect(found == update.old || found == update.new, "\(name)")
        case .partial: #expect(!isOneUnit, "\(name)")
        default: Issue.record("\(name): \(String(describing: error))")
        }
    }

    private func isAllowed(_ found: [UInt8]) -> Bool {
        let update = change.update
        if found == update.old || found == update.new { return true }
        if isOneUnit { return false }
        if let stop = update.stop {
            let index = stop.offset - update.offset
            return found.prefix(index) == update.old.prefix(index) && found[index] == stop.byte
        }
        let contents = [update.old] + update.steps + [update.new]
        return zip(contents, contents.dropFirst()).contains { before, after in
            found.indices.allSatisfy { found[$0] == before[$0] || found[$0] == after[$0] }
        }
    }
}
