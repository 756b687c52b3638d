import NFCSessions
import NFCTypes
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

#if canImport(Glibc)
    import Glibc
#endif

/// Tags that are set up, rotated and reset at random, and leave, are lied to, and lose their records on the way.
///
/// `NFCD_SETUPS` is how many tags, 40 without; `make random-test` takes 10,000.
@Suite("Random set-ups") struct RandomSetUpTests {
    private static let wanted = getenv("NFCD_SETUPS").flatMap { Int(String(cString: $0)) }
    private static let parts = 4

    @Test(arguments: 0..<parts) func `no tag is lost, and no attempt fails`(part: Int) async throws {
        var tally = RandomTagLife.Tally()
        for number in stride(from: part, to: Self.wanted ?? 40, by: Self.parts) {
            var life = try RandomTagLife(number)
            try await life.perform(.setUp)
            for _ in 0..<life.laterTasks { try await life.perform(life.nextTask) }
            tally.add(life.tally)
            if Self.wanted != nil, tally.tags % 250 == 0 { print("set-ups, part \(part): \(tally)") }
        }
    }
}

/// The life of one tag.
private struct RandomTagLife {
    /// What happened.
    struct Tally {
        var tags = 1
        var tasks = 0
        var visits = 0
        var interrupted = 0
        var lostRecords = 0
        /// Attempts that failed because the tag's answer before was another one than the tag's.
        var misled = 0

        init() { tags = 0 }
        fileprivate init(tags: Int) { self.tags = tags }

        mutating func add(_ other: Tally) {
            tags += other.tags
            tasks += other.tasks
            visits += other.visits
            interrupted += other.interrupted
            lostRecords += other.lostRecords
            misled += other.misled
        }
    }

    private static let forged: [Fault] = ["91AE", "911E", "917E", "9100", "6700", "00000000000000009100"].map {
        .answer(hex($0))
    }

    private let number: Int
    private var random: SplitMix
    private var bench: SetUpBench
    /// The current version of all keys.
    private var version: UInt8 = 1
    private(set) var tally = Tally(tags: 1)

    init(_ number: Int) throws {
        self.number = number
        random = SplitMix(seed: 38 + UInt64(number))
        bench = try (SetUpVariant.allCases.randomElement(using: &random) ?? .plain).bench()
    }

    var laterTasks: Int {
        mutating get { .random(in: 0...2, using: &random) }
    }

    var nextTask: SetUpTask {
        mutating get {
            guard bench.tag.state.keyVersions[0] != 0 else { return .setUp }
            return Bool.random(using: &random) ? .rotate : .reset
        }
    }

    // MARK: Tasks

    /// Begins a task, has it interrupted some times, and finishes it.
    mutating func perform(_ task: SetUpTask) async throws {
        if tally.tasks > 0, task != .reset { rotateKeys() }
        tally.tasks += 1
        for visit in 0..<Int.random(in: 0...3, using: &random) {
            bench.records.fail(at: isChance(of: 6) ? .random(in: 1...7, using: &random) : nil)
            await interrupt(task, isFirst: visit == 0)
            if isChance(of: 6) {
                bench.records.lose()
                tally.lostRecords += 1
            }
            if isChance(of: 12), task != .reset { rotateKeys() }
        }
        bench.records.fail(at: nil)
        try await finish(task)
    }

    private mutating func isChance(of count: Int) -> Bool { Int.random(in: 1...count, using: &random) == 1 }

    /// The key file gets a new version of each key, and keeps the ones before.
    private mutating func rotateKeys() {
        version += 1
        let current = Site.ring.entries.enumerated().map { index, entry in
            KeyRing.Entry(
                name: entry.name, version: version, state: .current,
                master: Site.key(0x60 &+ UInt8(index) &+ version &* 7))
        }
        let earlier = bench.ring.entries.map {
            KeyRing.Entry(name: $0.name, version: $0.version, state: .previous, master: $0.master)
        }
        bench.ring = KeyRing(current + earlier)
    }

    private mutating func interrupt(_ task: SetUpTask, isFirst: Bool) async {
        let isForged = isChance(of: 4)
        let faults = isForged ? Self.forged : SetUpTearTests.faults
        let plan = FaultPlan(
            faults.randomElement(using: &random) ?? .removeAfter, at: .random(in: 1...60, using: &random))
        let before = bench.failures
        let visit = isFirst || isChance(of: 3) ? await bench.run(task, plan) : await bench.resume(plan)
        tally.visits += 1
        if visit.error != nil { tally.interrupted += 1 }
        // A version that is not the tag's makes the attempt in flight fail, and no other.
        let counted = bench.failures - before
        if counted > 0 { tally.misled += counted }
        let allowed = isForged ? 1 : 0
        #expect(bench.hasKnownKeys && counted <= allowed, "\(number) \(task) \(visit.result)")
    }

    private mutating func finish(_ task: SetUpTask) async throws {
        let first = await bench.resume()
        #expect(first.error.map { $0.reason == .nothingToResume } ?? true, "\(number) \(task) \(first.result)")
        tally.visits += 1
        if !isFinished(task) {
            // The record may have been of keys that are not current any more.
            let isOutdated = task == .setUp && bench.tag.state.keyVersions[0] != 0
            let second = await bench.run(isOutdated ? .rotate : task)
            #expect(second.error == nil, "\(number) \(task) \(second.result)")
            tally.visits += 1
        }
        #expect(isFinished(task) && bench.isUncounted, "\(number) \(task)")
        if task == .reset {
            #expect(bench.hasDeliveredContent, "\(number)")
        } else {
            #expect(try await bench.status().status == .proven, "\(number) \(task)")
        }
    }

    private func isFinished(_ task: SetUpTask) -> Bool {
        bench.hasKeys(version: task == .reset ? 0 : version) && bench.hasOnlyDoneRecords
    }
}
