import NFCProtocol
import Testing

@testable import nfcd_relay

/// One case after another of a consumer's machine.
@Suite struct ConsumerMachineTests {
    private typealias Machine = ConsumerMachine

    /// A machine with one reader whose tap 1 is on its way.
    private func started(
        _ change: (inout Machine.Limits) -> Void = { _ in }, random: Double = 1, taps: Int64 = 3, parked: Int = 0
    ) -> (Machine, [Machine.Action]) {
        var limits = Machine.Limits()
        limits.start = .oldest
        change(&limits)
        var machine = Machine(nil, parked: parked, limits: limits, now: .zero) { random }
        _ = machine.journalOpened(TapFactory.epoch, newest: 0, now: .zero)
        let actions = machine.journalHas(
            [KnownTap(reader: "reader-0", sequence: taps, readerSequence: taps)], through: taps, now: .zero)
        #expect(actions.fetches == [0])
        let fetched = machine.fetched(page(1...taps), reader: "reader-0", now: .zero)
        return (machine, fetched)
    }

    private func page(_ range: ClosedRange<Int64>, epoch: String = TapFactory.epoch) -> TapsList.Result {
        TapsList.Result(epoch: epoch, taps: range.map { TapFactory.tap($0, epoch: epoch) }, hasMore: false)
    }

    @Test func `the next tap begins when the one before is finished`() {
        var (machine, actions) = started()
        #expect(actions.deliveries == [1])
        #expect(machine.tick(now: .seconds(9)).deliveries.isEmpty)
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).deliveries == [2])
        #expect(machine.backlog == 2)
    }

    @Test func `a temporary failure waits with full jitter up to the cap, without a limit of attempts`() {
        var (machine, _) = started()
        var (now, waits) = (Duration.zero, [Int64]())
        for _ in 0..<9 {
            _ = machine.delivered("reader-0", .retry("down"), now: now)
            let time = machine.deadline(after: now + .seconds(1) / 2) ?? .zero
            waits.append((time - now).components.seconds)
            now = time
            #expect(machine.tick(now: now).deliveries == [1])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test(arguments: [(Int64(120), Int64(120)), (10_000, 3600), (0, 1)])
    func `Retry-After is a lower bound of at most an hour`(asked: Int64, expected: Int64) {
        var (machine, _) = started()
        _ = machine.delivered("reader-0", .retry("busy", after: .seconds(asked)), now: .zero)
        let early = machine.tick(now: .seconds(expected) - .milliseconds(1)).deliveries
        #expect(early.isEmpty)
        #expect(machine.tick(now: .seconds(expected)).deliveries == [1])
    }

    @Test func `a refused tap is parked after so many attempts within ten minutes, and the next one follows`() {
        var (machine, actions) = started()
        var now = Duration.zero
        for _ in 0..<4 {
            actions = machine.delivered("reader-0", .refused("no"), now: now)
            #expect(actions.parked.isEmpty)
            now += .seconds(120)
            #expect(machine.tick(now: now).deliveries == [1])
        }
        actions = machine.delivered("reader-0", .refused("no"), now: now)
        #expect(actions.parked == [1])
        #expect(actions.deliveries.isEmpty)
        #expect(machine.parked("reader-0", failure: nil, now: now).deliveries == [2])
        #expect(now <= .seconds(600))
    }

    @Test func `outages between refusals do not count as refusals`() {
        var (machine, _) = started()
        var now = Duration.zero
        for attempt in 0..<40 {
            let delivery: Delivery = attempt % 10 == 0 ? .refused("no") : .retry("down")
            #expect(machine.delivered("reader-0", delivery, now: now).parked.isEmpty)
            now += .seconds(200)
            #expect(machine.tick(now: now).deliveries == [1])
        }
        #expect(machine.delivered("reader-0", .refused("no"), now: now).parked == [1])
    }

    @Test func `an unacceptable tap is parked at once`() {
        var (machine, _) = started()
        #expect(machine.delivered("reader-0", .unacceptable("no"), now: .zero).parked == [1])
    }

    @Test func `a tap that cannot be parked is attempted again`() {
        var (machine, _) = started()
        _ = machine.delivered("reader-0", .unacceptable("no"), now: .zero)
        #expect(machine.parked("reader-0", failure: "disk full", now: .zero).deliveries.isEmpty)
        #expect(machine.lastError?.reason == "disk full")
        #expect(machine.tick(now: .seconds(5)).deliveries == [1])
    }

    @Test func `a full list of parked taps holds the consumer until one is removed`() {
        var (machine, _) = started(parked: 1_000)
        let actions = machine.delivered("reader-0", .unacceptable("no"), now: .zero)
        #expect(actions.parked.isEmpty)
        #expect(actions.alarms.count == 1)
        #expect(machine.hold != nil)
        #expect(machine.parkedTapsAre(999, now: .zero).deliveries == [1])
        #expect(machine.delivered("reader-0", .unacceptable("no"), now: .zero).parked == [1])
    }

    @Test func `a held consumer attempts one delivery after five minutes, and all of them when it passes`() {
        var (machine, _) = started()
        _ = machine.journalHas(
            [KnownTap(reader: "reader-1", sequence: 9, readerSequence: 1)], through: 9, now: .zero)
        let other = TapsList.Result(
            epoch: TapFactory.epoch, taps: [TapFactory.tap(9, reader: "reader-1", 1)], hasMore: false)
        #expect(machine.delivered("reader-0", .held("401"), now: .zero).alarms == ["401"])
        #expect(machine.fetched(other, reader: "reader-1", now: .zero).deliveries.isEmpty)
        #expect(machine.tick(now: .seconds(299)).deliveries.isEmpty)
        #expect(machine.tick(now: .seconds(300)).deliveries.count == 1)
        #expect(machine.delivered("reader-0", .held("401"), now: .seconds(300)).alarms.isEmpty)
        #expect(machine.tick(now: .seconds(600)).deliveries == [1])
        let actions = machine.delivered("reader-0", .delivered(""), now: .seconds(600))
        #expect(Set(actions.deliveries) == [2, 9])
        #expect(machine.hold == nil)
    }

    @Test func `a receiver that is gone pauses the consumer, also after a restart`() throws {
        var (machine, _) = started()
        let actions = machine.delivered("reader-0", .gone("410"), now: .zero)
        #expect(actions.alarms == ["410"])
        #expect(machine.pause == .receiverGone("410"))
        #expect(machine.tick(now: .seconds(100_000)).deliveries.isEmpty)
        let state = machine.finalState(now: .zero)
        let saved = try #require(state).0
        let again = Machine(saved, parked: 0, limits: .init(), now: .zero) { 0 }
        #expect(again.pause == .receiverGone("410"))
        #expect(machine.pause(false, now: .seconds(100_000)).deliveries == [1])
    }

    @Test func `a paused consumer begins nothing, and takes what is under way`() {
        var (machine, _) = started()
        _ = machine.pause(true, now: .zero)
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).deliveries.isEmpty)
        #expect(machine.backlog == 2)
        #expect(machine.pause(false, now: .zero).deliveries == [2])
    }

    @Test func `journals that are lost one after another are all announced, also after a restart`() throws {
        var (machine, _) = started()
        #expect(machine.journalOpened("second", newest: 1, now: .zero).announced.map(\.epoch) == [TapFactory.epoch])
        #expect(machine.journalOpened("third", newest: 1, now: .zero).announced.isEmpty)
        let first = LostTaps(epoch: TapFactory.epoch)
        let state = machine.finalState(now: .zero)
        let saved = try #require(state).0
        #expect(machine.announced(first, .delivered(""), now: .zero).announced.map(\.epoch) == ["second"])
        #expect(machine.announced(LostTaps(epoch: "second"), .delivered(""), now: .zero).announced.isEmpty)
        var again = Machine(saved, parked: 0, limits: .init(), now: .zero) { 0 }
        #expect(again.journalOpened("third", newest: 1, now: .zero).announced.map(\.epoch) == [TapFactory.epoch])
        #expect(again.announced(first, .delivered(""), now: .zero).announced.map(\.epoch) == ["second"])
    }

    @Test func `a connection that ends with a refusal is lost then, not when the next attempt fails`() {
        var (machine, _) = started({ $0.lane.replayWindow = .seconds(120) }, taps: 6)
        _ = machine.connected(now: .zero)
        for second in 0..<6 {
            let now = Duration.seconds(second * 60)
            _ = machine.delivered("reader-0", .delivered(""), now: now)
            _ = machine.tick(now: now + .seconds(1))
            _ = machine.saved(failure: nil, now: now + .seconds(1))
        }
        _ = machine.held("not authorized", now: .seconds(301))
        machine.disconnected("broker down", now: .seconds(850))
        #expect(machine.receiverLostTaps(within: .seconds(120), now: .seconds(900)).fetches == [4])
    }

    @Test func `a removed parked tap does not end a hold by the receiver`() {
        var (machine, _) = started(parked: 1_000)
        _ = machine.delivered("reader-0", .held("401"), now: .zero)
        #expect(machine.parkedTapsAre(999, now: .zero).deliveries.isEmpty)
        #expect(machine.hold == "401")
        #expect(machine.tick(now: .seconds(300)).deliveries == [1])
    }

    /// A machine with two readers whose first taps are on their way.
    private func startedWithTwo() -> Machine {
        var (machine, _) = started()
        let other = TapsList.Result(
            epoch: TapFactory.epoch, taps: [TapFactory.tap(9, reader: "reader-1", 1)], hasMore: false)
        _ = machine.journalHas([KnownTap(reader: "reader-1", sequence: 9, readerSequence: 1)], through: 9, now: .zero)
        #expect(machine.fetched(other, reader: "reader-1", now: .zero).deliveries == [9])
        return machine
    }

    @Test func `an outcome that no longer counts does not end a hold`() {
        var machine = startedWithTwo()
        _ = machine.delivered("reader-0", .delivered(""), now: .zero)
        _ = machine.delivered("reader-1", .held("401"), now: .zero)
        _ = machine.replay(after: 0, now: .zero)
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).fetches == [0])
        #expect(machine.hold == "401")
        #expect(machine.fetched(page(1...3), reader: "reader-0", now: .zero).deliveries.isEmpty)
    }

    @Test func `a probe whose outcome no longer counts is followed by one other`() {
        var machine = startedWithTwo()
        for reader in ["reader-0", "reader-1"] { _ = machine.delivered(reader, .delivered(""), now: .zero) }
        _ = machine.delivered("reader-0", .held("401"), now: .zero)
        #expect(machine.tick(now: .seconds(300)).deliveries == [2])
        _ = machine.replay(after: 0, now: .seconds(300))
        _ = machine.fetched(
            TapsList.Result(
                epoch: TapFactory.epoch, taps: [TapFactory.tap(9, reader: "reader-1", 1)], hasMore: false),
            reader: "reader-1", now: .seconds(300))
        #expect(machine.delivered("reader-0", .delivered(""), now: .seconds(300)).deliveries == [9])
        #expect(machine.hold == "401")
        #expect(machine.fetched(page(1...3), reader: "reader-0", now: .seconds(300)).deliveries.isEmpty)
        #expect(machine.delivered("reader-1", .delivered(""), now: .seconds(300)).deliveries == [1])
        #expect(machine.hold == nil)
    }

    @Test func `a receiver that is gone without a reason is not taken for a person who paused the consumer`() {
        var (machine, _) = started()
        _ = machine.delivered("reader-0", .gone(""), now: .zero)
        let gone = machine.pause
        _ = machine.pause(false, now: .zero)
        _ = machine.pause(true, now: .zero)
        #expect(gone != machine.pause)
    }

    @Test func `after a lost connection deliveries begin within the jitter`() {
        var (machine, _) = started(random: 0.5)
        machine.disconnected("broker down", now: .zero)
        _ = machine.delivered("reader-0", .retry("not connected"), now: .zero)
        _ = machine.connected(now: .seconds(10))
        #expect(machine.deadline(after: .seconds(10)) == .milliseconds(12_500))
        #expect(machine.tick(now: .milliseconds(12_499)).deliveries.isEmpty)
        #expect(machine.tick(now: .milliseconds(12_500)).deliveries == [1])
    }

    @Test func `the drain limit spreads a backlog`() {
        var (machine, actions) = started({ $0.drain = 5 }, taps: 20)
        var (now, times) = (Duration.zero, [Duration]())
        for _ in 0..<20 {
            if actions.deliveries.isEmpty {
                now = machine.deadline(after: now) ?? now
                actions = machine.tick(now: now)
                guard !actions.deliveries.isEmpty else { continue }
            }
            times.append(now)
            actions = machine.delivered("reader-0", .delivered(""), now: now)
        }
        let span = (times.last ?? .zero) - (times.first ?? .zero)
        #expect(span >= .milliseconds(200 * (times.count - 2)))
    }

    @Test func `a gap in the counter of a reader is announced with its range, before the next tap`() {
        var (machine, _) = started(taps: 1)
        _ = machine.delivered("reader-0", .delivered(""), now: .zero)
        _ = machine.journalHas([KnownTap(reader: "reader-0", sequence: 9, readerSequence: 5)], through: 9, now: .zero)
        let page = TapsList.Result(
            epoch: TapFactory.epoch, taps: [TapFactory.tap(9, reader: "reader-0", 5)], hasMore: false)
        let actions = machine.fetched(page, reader: "reader-0", now: .zero)
        let lost = LostTaps(epoch: TapFactory.epoch, range: .init(reader: "reader-0", numbers: 2...4))
        #expect(actions.announced == [lost])
        #expect(machine.announced(lost, .delivered(""), now: .zero).deliveries == [9])
        #expect(machine.counts.lost == 3)
    }

    @Test func `a new journal is announced once, and read from its beginning`() throws {
        var (machine, _) = started()
        _ = machine.delivered("reader-0", .delivered(""), now: .zero)
        _ = machine.delivered("reader-0", .delivered(""), now: .zero)
        let actions = machine.journalOpened("new", newest: 1, now: .zero)
        #expect(actions.announced == [LostTaps(epoch: TapFactory.epoch)])
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).fetches == [0])
        // Killed before the announcement was taken: it comes again.
        let state = machine.finalState(now: .zero)
        let saved = try #require(state).0
        var again = Machine(saved, parked: 0, limits: .init(), now: .zero) { 0 }
        #expect(again.journalOpened("new", newest: 1, now: .zero).announced == [LostTaps(epoch: TapFactory.epoch)])
        _ = again.announced(LostTaps(epoch: TapFactory.epoch), .delivered(""), now: .zero)
        #expect(again.journalOpened("new", newest: 1, now: .zero).announced.isEmpty)
        #expect(again.fetched(page(1...1, epoch: "new"), reader: "reader-0", now: .zero).deliveries == [1])
    }

    @Test func `a new consumer begins with the next tap, or where nfcd knows it to be`() {
        var new = Machine(nil, parked: 0, limits: .init(), now: .zero) { 0 }
        _ = new.journalOpened(TapFactory.epoch, newest: 7, now: .zero)
        #expect(new.base == 7)
        let old = KnownTap(reader: "reader-0", sequence: 7, readerSequence: 7)
        #expect(new.journalHas([old], through: 7, now: .zero).fetches.isEmpty)
        var known = Machine(nil, parked: 0, limits: .init(), now: .zero) { 0 }
        _ = known.journalOpened(TapFactory.epoch, newest: 7, acknowledged: 3, now: .zero)
        #expect(known.journalHas([old], through: 7, now: .zero).fetches == [3])
    }

    @Test(arguments: [
        // At once, and after an outage that is longer than the window.
        (connectedAt: 0, lostAt: 301, returnsAt: 302), (connectedAt: 0, lostAt: 302, returnsAt: 900),
        // A relay that was started in the outage: the window ends with the last delivery.
        (connectedAt: nil, lostAt: 850, returnsAt: 900),
    ])
    func `what was acknowledged within the window before an outage is delivered again`(
        connectedAt: Int?, lostAt: Int, returnsAt: Int
    ) {
        var (machine, _) = started({ $0.lane.replayWindow = .seconds(120) }, taps: 6)
        if let connectedAt { _ = machine.connected(now: .seconds(connectedAt)) }
        for second in 0..<6 {
            let now = Duration.seconds(second * 60)
            _ = machine.delivered("reader-0", .delivered(""), now: now)
            _ = machine.tick(now: now + .seconds(1))
            _ = machine.saved(failure: nil, now: now + .seconds(1))
        }
        machine.disconnected("broker down", now: .seconds(lostAt))
        // Tap 4 was saved at 181 s, tap 6 at 301 s.
        let actions = machine.receiverLostTaps(within: .seconds(120), now: .seconds(returnsAt))
        #expect(actions.fetches == [4])
    }

    @Test func `a replay marks the taps that were delivered before`() {
        var (machine, _) = started()
        for _ in 0..<2 { _ = machine.delivered("reader-0", .delivered(""), now: .zero) }
        // Tap 3 is under way; its outcome no longer counts.
        #expect(machine.replay(after: 0, now: .zero).fetches.isEmpty)
        #expect(machine.delivered("reader-0", .delivered(""), now: .zero).fetches == [0])
        var replays: [Bool] = []
        var actions = machine.fetched(page(1...3), reader: "reader-0", now: .zero)
        for _ in 0..<3 {
            replays += actions.replays
            actions = machine.delivered("reader-0", .delivered(""), now: .zero)
        }
        #expect(replays == [true, true, false])
    }

    @Test(arguments: ["too many", "another reader", "out of order", "again"])
    func `an invalid page is refused and asked for again later`(fault: String) {
        var limits = Machine.Limits()
        limits.start = .oldest
        var machine = Machine(nil, parked: 0, limits: limits, now: .zero) { 0 }
        _ = machine.journalOpened(TapFactory.epoch, newest: 0, now: .zero)
        let known = KnownTap(reader: "reader-0", sequence: 90, readerSequence: 90)
        _ = machine.journalHas([known], through: 90, now: .zero)
        let taps =
            switch fault {
            case "too many": (1...26).map { TapFactory.tap($0) }
            case "another reader": [TapFactory.tap(1, reader: "reader-9")]
            case "out of order": [TapFactory.tap(2), TapFactory.tap(1)]
            default: [TapFactory.tap(1), TapFactory.tap(1)]
            }
        let page = TapsList.Result(epoch: TapFactory.epoch, taps: taps, hasMore: true)
        let actions = machine.fetched(page, reader: "reader-0", now: .zero)
        #expect(actions.deliveries.isEmpty && actions.fetches.isEmpty)
        #expect(machine.lastError != nil)
        #expect(machine.tick(now: .seconds(5)).fetches == [0])
    }

    @Test func `an answer without end is not asked for in a loop`() {
        var (machine, _) = started()
        let empty = TapsList.Result(epoch: TapFactory.epoch, taps: [], hasMore: true)
        for _ in 0..<3 { _ = machine.delivered("reader-0", .delivered(""), now: .zero) }
        _ = machine.journalHas([KnownTap(reader: "reader-0", sequence: 9, readerSequence: 9)], through: 9, now: .zero)
        #expect(machine.fetched(empty, reader: "reader-0", now: .zero).fetches.isEmpty)
        #expect(machine.backlog == 0)
    }

    @Test func `the acknowledgement is the smallest place of all lanes`() {
        var (machine, _) = started(taps: 3)
        _ = machine.journalHas(
            [KnownTap(reader: "reader-1", sequence: 5, readerSequence: 1)], through: 5, now: .zero)
        #expect(machine.acknowledged == 0)
        for _ in 0..<3 { _ = machine.delivered("reader-0", .delivered(""), now: .zero) }
        #expect(machine.acknowledged == 0)
        let other = TapsList.Result(
            epoch: TapFactory.epoch, taps: [TapFactory.tap(5, reader: "reader-1", 1)], hasMore: false)
        _ = machine.fetched(other, reader: "reader-1", now: .zero)
        _ = machine.delivered("reader-1", .delivered(""), now: .zero)
        #expect(machine.acknowledged == 5)
    }
}

extension [ConsumerMachine.Action] {
    /// The sequence numbers of the taps to deliver.
    var deliveries: [Int64] { compactMap { if case .deliver(let tap, _, _) = $0 { tap.sequence } else { nil } } }
    var replays: [Bool] { compactMap { if case .deliver(_, _, let isReplay) = $0 { isReplay } else { nil } } }
    /// After which taps to fetch.
    var fetches: [Int64] { compactMap { if case .fetch(_, let after, _) = $0 { after } else { nil } } }
    var parked: [Int64] { compactMap { if case .park(let tap, _, _) = $0 { tap.sequence } else { nil } } }
    var announced: [LostTaps] { compactMap { if case .announce(let lost) = $0 { lost } else { nil } } }
    var alarms: [String] { compactMap { if case .alarm(let reason) = $0 { reason } else { nil } } }
}
