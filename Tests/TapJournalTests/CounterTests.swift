import FoundationEssentials
import NFCTypes
import SQLite
import SQLiteJournal
import TapJournal
import TestSupport
import Testing

/// The counters of proven messages: each counts once, whatever happens to the machine.
@Suite struct CounterTests {
    private static func line(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }

    private static func proof(_ status: TapProof.Status = .proven) -> TapProof {
        TapProof(status, .sun, profile: "door", key: "door", keyVersion: 1, identifier: HexBytes([0x04, 0xA1]))
    }

    private static func tap(
        _ test: TestJournal, _ counter: Int64, line: UInt8 = 1, _ status: TapProof.Status = .proven,
        reader: String = "r1"
    ) -> TapRecord {
        var tap = test.tap(reader)
        tap.proof = proof(status)
        tap.proof?.counter = Int(counter)
        tap.claim = CounterClaim(line: Self.line(line), value: counter)
        return tap
    }

    private static func statuses(_ test: TestJournal, _ counters: [Int64]) async throws -> [TapProof.Status?] {
        var statuses: [TapProof.Status?] = []
        for counter in counters {
            statuses.append(try await test.journal.append(tap(test, counter)).record.proof?.status)
        }
        return statuses
    }

    @Test(
        arguments: [
            ([5, 6, 7], [TapProof.Status.proven, .proven, .proven]),
            ([5, 5], [.proven, .replayed]),
            ([5, 4, 6], [.proven, .replayed, .proven]),
            ([0, 0, 1], [.proven, .replayed, .proven]),
            ([1, 1000, 999, 0xFF_FFFF, 0xFF_FFFF], [.proven, .proven, .replayed, .proven, .replayed]),
        ] as [([Int64], [TapProof.Status])])
    func `a counter is accepted once, and only above the highest`(
        counters: [Int64], statuses: [TapProof.Status]
    ) async throws {
        let test = try TestJournal()
        #expect(try await Self.statuses(test, counters) == statuses)
        #expect(try await test.allTaps().map(\.record.proof?.status) == statuses)
        await test.journal.close()
    }

    @Test func `lines do not affect each other`() async throws {
        let test = try TestJournal()
        for line in UInt8(1)...3 {
            let stored = try await test.journal.append(Self.tap(test, 9, line: line))
            #expect(stored.record.proof?.status == .proven)
        }
        await test.journal.close()
    }

    @Test(arguments: [TapProof.Status.failed, .unknownKey, .notProven, .delayed, .incomplete, .weak, .replayed])
    func `only a right message takes a counter`(status: TapProof.Status) async throws {
        let test = try TestJournal()
        #expect(try await test.journal.append(Self.tap(test, 9, status)).record.proof?.status == status)
        #expect(try await Self.statuses(test, [9]) == [.proven])
        await test.journal.close()
    }

    @Test func `an open tamper loop takes its counter, and a copy of its message is a replay`() async throws {
        let test = try TestJournal()
        #expect(try await test.journal.append(Self.tap(test, 9, .tamperOpen)).record.proof?.status == .tamperOpen)
        #expect(try await test.journal.append(Self.tap(test, 9, .tamperOpen)).record.proof?.status == .replayed)
        await test.journal.close()
    }

    @Test func `a stored proof is read as it was returned`() async throws {
        let test = try TestJournal()
        var tap = Self.tap(test, 9)
        tap.proof?.credential = HexBytes([1, 2])
        tap.proof?.tamper = .init(permanent: "C", current: "C")
        let stored = try await test.journal.append(tap)
        #expect(stored.record.proof?.scope == .thisMachine && stored.record.proof?.previousCounter == nil)
        #expect(stored.record.claim == nil)
        #expect(try await test.allTaps() == [stored])
        let again = try await test.journal.append(Self.tap(test, 12))
        #expect(again.record.proof?.previousCounter == 9)
        await test.journal.close()
    }

    @Test func `a counter without a tap is stored as well`() async throws {
        let test = try TestJournal()
        let claim = CounterClaim(line: Self.line(1), value: 7)
        #expect(try await test.journal.settle(Self.proof(), claim).status == .proven)
        #expect(try await test.journal.settle(Self.proof(), claim).status == .replayed)
        await test.journal.close()
        let again = try TestJournal(test.folder)
        #expect(try await Self.statuses(again, [7, 8]) == [.replayed, .proven])
        #expect(try await again.allTaps().count == 2)
        await again.journal.close()
    }

    @Test func `of the same message at several readers one is accepted`() async throws {
        let test = try TestJournal()
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let tap = Self.tap(test, 3, reader: "r\(number % 2)")
                    return try await test.journal.append(tap).record.proof?.status == .proven
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
        await test.journal.close()
    }

    @Test func `a new journal at the place of a lost one limits what it says of counters`() async throws {
        let test = try TestJournal()
        #expect(try await Self.statuses(test, [5]) == [.proven])
        await test.journal.close()
        for name in test.folder.names where name.hasPrefix("taps.db") && !name.hasSuffix(".lock") {
            try FileManager.default.removeItem(atPath: test.folder.file(name))
        }
        let again = try TestJournal(test.folder)
        #expect(try await again.journal.append(Self.tap(again, 5)).record.proof?.scope == .limited)
        #expect(try await again.journal.append(Self.tap(again, 6)).record.proof?.scope == .thisMachine)
        await again.journal.close()
    }

    @Test func `a restored copy of the journal is noticed by the counters that it lacks`() async throws {
        let test = try TestJournal()
        #expect(try await Self.statuses(test, [5]) == [.proven])
        await test.journal.close()
        let copy = try Data(contentsOf: URL(fileURLWithPath: test.folder.file("taps.db")))
        let second = try TestJournal(test.folder)
        #expect(try await Self.statuses(second, [6]) == [.proven])
        await second.journal.close()
        try copy.write(to: URL(fileURLWithPath: test.folder.file("taps.db")))
        let restored = try TestJournal(test.folder)
        #expect(try await Self.statuses(restored, [5]) == [.replayed])
        #expect(try await restored.journal.append(Self.tap(restored, 6)).record.proof?.scope == .limited)
        #expect(try await restored.journal.append(Self.tap(restored, 7)).record.proof?.scope == .thisMachine)
        #expect(
            restored.events.contains { event in
                if case .repaired(let what) = event { what.contains { $0.contains("older copy") } } else { false }
            })
        await restored.journal.close()
    }

    @Test func `a journal that was closed and opened again is not taken for a copy`() async throws {
        let folder = try TestFolder()
        for counter in Int64(1)...4 {
            let test = try TestJournal(folder)
            let stored = try await test.journal.append(Self.tap(test, counter))
            #expect(stored.record.proof?.scope == .thisMachine)
            await test.journal.close()
        }
    }

    @Test(arguments: ["-5", "99999999999", "0"])
    func `a damaged counter refuses instead of accepting a copy`(value: String) async throws {
        let test = try TestJournal()
        #expect(try await Self.statuses(test, [5]) == [.proven])
        await test.journal.close()
        let database = try Database(path: test.folder.file("taps.db"), mode: .readWrite)
        try database.run("UPDATE counter SET highest = \(value)")
        let again = try TestJournal(test.folder)
        let expected: [TapProof.Status] = value == "0" ? [.proven] : [.replayed]
        #expect(try await Self.statuses(again, [6]) == expected)
        await again.journal.close()
    }

    @Test func `a journal of version 2 keeps its taps, and takes proofs`() async throws {
        let test = try TestJournal()
        try await test.append(3)
        await test.journal.close()
        let database = try Database(path: test.folder.file("taps.db"), mode: .readWrite)
        for statement in [
            "ALTER TABLE tap DROP COLUMN proof", "ALTER TABLE set_aside DROP COLUMN proof", "DROP TABLE counter",
            "ALTER TABLE journal DROP COLUMN generation", "ALTER TABLE journal DROP COLUMN counters",
            "PRAGMA user_version = 2",
        ] { try database.run(statement) }
        try "journal\n".write(toFile: test.folder.file("taps.db.lock"), atomically: true, encoding: .utf8)
        let again = try TestJournal(test.folder)
        let stored = try await again.journal.append(Self.tap(again, 5))
        #expect(stored.sequence == 4 && stored.record.proof?.scope == .thisMachine)
        #expect(try await again.allTaps().map(\.sequence) == [1, 2, 3, 4])
        await again.journal.close()
    }

    @Test func `a full journal accepts no counter`() async throws {
        let test = try TestJournal { ($0.tapLimit, $0.services) = (2, [1000]) }
        _ = try await test.acknowledge("relay", 0)
        #expect(try await Self.statuses(test, [1, 2]) == [.proven, .proven])
        let claim = CounterClaim(line: Self.line(1), value: 3)
        await #expect(throws: JournalError.self) { try await test.journal.append(Self.tap(test, 3)) }
        await #expect(throws: JournalError.self) { try await test.journal.settle(Self.proof(), claim) }
        _ = try await test.acknowledge("relay", 2)
        #expect(try await Self.statuses(test, [3]) == [.proven])
        await test.journal.close()
    }
}
