import NFCProtocol
import TestSupport

@testable import nfcd_relay

/// A journal, a consumer's machine and a receiver in virtual time, with outages and kills at random moments.
struct LaneWorld {
    /// What goes wrong.
    struct Plan {
        var readers = 2
        var taps = 200
        /// The time between two taps, to which up to 100 ms are added.
        var interval = Duration.milliseconds(100)
        /// The boot of the machine that the taps are of.
        var bootID = "boot"
        /// The receiver does not answer for half of the time.
        var hasOutages = false
        /// The receiver does not answer in this time, and the relay is not notified of its end.
        var outage: Range<Duration>?
        /// How often the relay is killed.
        var kills = 0
        /// Every so many taps, one is refused always.
        var poisonEvery: Int64?
        /// A reader whose taps are never taken.
        var stuckReader: String?
        var limits = ConsumerMachine.Limits()
    }

    private enum Event {
        case arrive(String)
        case outcome(ConsumerMachine.Action, Delivery)
        case saved(SavedConsumer)
        case kill
        case outage(Bool)
        case tick
    }

    private let plan: Plan
    private var random: SplitMix
    private var machine: ConsumerMachine
    private var now = Duration.zero
    private var queue: [(time: Duration, order: Int, generation: Int, event: Event)] = []
    private var order = 0
    private var generation = 0
    private var journal: [RecordedTap] = []
    private var counters: [String: Int64] = [:]
    private var isDownForNow = false
    /// When the machine is to be called again.
    private var tickAt: Duration?
    private var disk: SavedConsumer?
    private var inFlight: [String: Int] = [:]
    /// What the receiver got, in order.
    private(set) var received: [RecordedTap] = []
    private(set) var parked: [Int64: String] = [:]
    private(set) var announced: [LostTaps] = []
    /// Two taps of one reader were on their way at once.
    private(set) var hadTwoInFlight = false
    /// Taps of two readers were on their way at once.
    private(set) var hadTwoReadersInFlight = false
    /// When each tap came and when it was first received.
    private(set) var arrivedAt: [Int64: Duration] = [:]
    private(set) var receivedAt: [Int64: Duration] = [:]
    private(set) var saves = 0
    /// What the present machine shows.
    var counts: ConsumerMachine.Counts { machine.counts }
    var backlog: Int { machine.backlog }

    init(seed: UInt64, _ plan: Plan) {
        self.plan = plan
        random = SplitMix(seed: seed)
        machine = Self.machine(nil, plan.limits, seed, 0, .zero)
    }

    private static func machine(
        _ saved: SavedConsumer?, _ limits: ConsumerMachine.Limits, _ seed: UInt64, _ parked: Int, _ now: Duration
    ) -> ConsumerMachine {
        let dice = Dice(seed: seed)
        return ConsumerMachine(saved, parked: parked, limits: limits, now: now) { dice.roll() }
    }

    /// What the journal has.
    var taps: [RecordedTap] { journal }

    /// Runs until everything that can be delivered is.
    mutating func run(until end: Duration = .seconds(100_000)) {
        schedule()
        open()
        while let next = pop(), next.time <= end {
            now = max(now, next.time)
            guard next.generation == generation || next.generation < 0 else { continue }
            handle(next.event)
        }
    }

    private mutating func schedule() {
        for index in 0..<plan.taps {
            let reader = "reader-\(random.next() % UInt64(plan.readers))"
            at(plan.interval * index + .milliseconds(Int64(random.next() % 100)), .arrive(reader))
        }
        let span = UInt64(plan.interval * plan.taps / .milliseconds(1)) + 1
        for _ in 0..<plan.kills { at(.milliseconds(Int64(random.next() % span)), .kill) }
        guard plan.hasOutages else { return }
        for index in 0..<10 { at(.milliseconds(Int64(span) / 10 * Int64(index)), .outage(index % 2 == 0)) }
        at(.milliseconds(Int64(span) + 1), .outage(false))
    }

    /// Something of the world, which a kill of the relay does not change.
    private mutating func at(_ time: Duration, _ event: Event) { push(time, -1, event) }

    private mutating func push(_ time: Duration, _ generation: Int, _ event: Event) {
        order += 1
        queue.append((time, order, generation, event))
    }

    private mutating func pop() -> (time: Duration, order: Int, generation: Int, event: Event)? {
        guard
            let index = queue.indices.min(by: { (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order) })
        else { return nil }
        return queue.remove(at: index)
    }

    private mutating func open() {
        perform(machine.journalOpened(TapFactory.epoch, newest: 0, now: now))
        let known = Dictionary(journal.map { ($0.reader, KnownTap($0)) }) { $1 }
        perform(machine.journalHas(Array(known.values), through: journal.last?.sequence ?? 0, now: now))
    }

    private var isDown: Bool { isDownForNow || plan.outage?.contains(now) == true }

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrive(let reader): arrive(reader)
        case .outcome(let action, let delivery): finish(action, delivery)
        case .saved(let state):
            disk = state
            saves += 1
            perform(machine.saved(failure: nil, now: now))
        case .kill: kill()
        case .outage(let isDown):
            isDownForNow = isDown
            if !isDown { perform(machine.connected(now: now)) }
        case .tick:
            tickAt = nil
            perform(machine.tick(now: now))
        }
    }

    private mutating func arrive(_ reader: String) {
        counters[reader, default: 0] += 1
        let tap = TapFactory.tap(
            Int64(journal.count + 1), reader: reader, counters[reader], bootID: plan.bootID, bootTime: now / .seconds(1)
        )
        journal.append(tap)
        arrivedAt[tap.sequence] = now
        perform(machine.journalHas([KnownTap(tap)], through: tap.sequence, now: now))
    }

    private mutating func kill() {
        generation += 1
        (inFlight, tickAt) = ([:], nil)
        machine = Self.machine(disk, plan.limits, random.next(), parked.count, now)
        open()
    }

    private mutating func perform(_ actions: [ConsumerMachine.Action]) {
        for action in actions { perform(action) }
        guard let time = machine.deadline(after: now), time < tickAt ?? .seconds(Int64.max / 4) else { return }
        tickAt = time
        push(time, generation, .tick)
    }

    private mutating func perform(_ action: ConsumerMachine.Action) {
        let latency = Duration.milliseconds(Int64(random.next() % 40))
        switch action {
        case .deliver(let tap, _, _):
            inFlight[tap.reader, default: 0] += 1
            if inFlight[tap.reader] != 1 { hadTwoInFlight = true }
            if inFlight.count > 1 { hadTwoReadersInFlight = true }
            let delivery = delivery(of: tap)
            // The receiver has it, also where the relay is killed before it receives that.
            if case .delivered = delivery { receive(tap) }
            push(now + latency, generation, .outcome(action, delivery))
        case .save(let state, _): push(now + latency, generation, .saved(state))
        case .alarm: break
        default: push(now + latency, generation, .outcome(action, .delivered("")))
        }
    }

    private func delivery(of tap: RecordedTap) -> Delivery {
        if isDown { return .retry("down") }
        if tap.reader == plan.stuckReader { return .retry("stuck") }
        if let every = plan.poisonEvery, tap.sequence % every == 0 { return .refused("poison") }
        return .delivered("")
    }

    private mutating func receive(_ tap: RecordedTap) {
        received.append(tap)
        if receivedAt[tap.sequence] == nil { receivedAt[tap.sequence] = now }
    }

    private mutating func finish(_ action: ConsumerMachine.Action, _ delivery: Delivery) {
        switch action {
        case .deliver(let tap, _, _):
            inFlight[tap.reader] = nil
            perform(machine.delivered(tap.reader, delivery, now: now))
        case .fetch(let reader, let sequence, let limit):
            let rest = journal.filter { $0.reader == reader && $0.sequence > sequence }
            let page = TapsList.Result(
                epoch: TapFactory.epoch, taps: Array(rest.prefix(limit)), hasMore: rest.count > limit)
            perform(machine.fetched(page, reader: reader, now: now))
        case .announce(let lost):
            announced.append(lost)
            perform(machine.announced(lost, .delivered(""), now: now))
        case .park(let tap, let reason, _):
            parked[tap.sequence] = reason
            perform(machine.parked(tap.reader, failure: nil, now: now))
        case .save, .alarm: break
        }
    }
}

extension KnownTap {
    init(_ tap: RecordedTap) {
        self.init(reader: tap.reader, sequence: tap.sequence, readerSequence: tap.readerSequence)
    }
}
