import FoundationEssentials
import Logging
import NFCProtocol
import ServiceClient
import ServiceSupport
import Synchronization
import Testing

@testable import nfcd_relay

/// A consumer that leaves out old taps.
@Suite struct `A consumer with an age limit` {
    private typealias Machine = ConsumerMachine

    /// A limit of 10 s, where taps were read at their `bootTime`.
    private static let limit = AgeLimit(.seconds(10)) { tap, now in
        tap.bootID == "unknown" ? nil : now - .seconds(tap.bootTime)
    }

    private func tap(
        _ sequence: Int64, at seconds: Double, reader: String = "reader-0", number: Int64? = nil, boot: String = "boot"
    ) -> RecordedTap {
        TapFactory.tap(sequence, reader: reader, number, bootID: boot, bootTime: seconds)
    }

    private func machine(_ limit: AgeLimit? = limit, isSerial: Bool = false) -> Machine {
        var limits = Machine.Limits()
        (limits.start, limits.lane.eligibility.ageLimit, limits.isSerial) = (.oldest, limit, isSerial)
        var machine = Machine(nil, parked: 0, limits: limits, now: .zero) { 1 }
        _ = machine.journalOpened(TapFactory.epoch, newest: 0, now: .zero)
        return machine
    }

    /// The journal has these taps of a reader, and the machine fetches them.
    private func read(_ taps: [RecordedTap], _ machine: inout Machine, now: Duration) -> [Machine.Action] {
        guard let last = taps.last else { return [] }
        _ = machine.journalHas([KnownTap(last)], through: last.sequence, now: now)
        let page = TapsList.Result(epoch: TapFactory.epoch, taps: taps, hasMore: false)
        return machine.fetched(page, reader: last.reader, now: now)
    }

    @Test func `gets the taps that are not older, and acknowledges and counts the others`() {
        var machine = machine()
        let taps = [tap(1, at: 0), tap(2, at: 9.9), tap(3, at: 10), tap(4, at: 20)]
        #expect(read(taps, &machine, now: .seconds(20)).deliveries == [3])
        #expect(machine.acknowledged == 2 && machine.counts.tooOld == 2 && machine.backlog == 2)
        #expect(machine.delivered("reader-0", .delivered(""), now: .seconds(30.5)).deliveries.isEmpty)
        #expect(machine.acknowledged == 4 && machine.backlog == 0)
        #expect(machine.counts.tooOld == 3 && machine.counts.delivered == 1 && machine.counts.passedOver == 0)
    }

    @Test func `gets everything without a limit`() {
        var machine = machine(nil)
        #expect(read([tap(1, at: 0)], &machine, now: .seconds(86_400)).deliveries == [1])
        #expect(machine.counts.tooOld == 0)
    }

    @Test func `does not get a tap whose age is unknown`() {
        var machine = machine()
        #expect(read([tap(1, at: 20, boot: "unknown")], &machine, now: .seconds(20)).deliveries.isEmpty)
        #expect(machine.acknowledged == 1 && machine.counts.tooOld == 1)
    }

    @Test func `gets the next tap at once when one that waits for an attempt gets too old`() {
        var machine = machine()
        _ = read([tap(1, at: 0), tap(2, at: 5)], &machine, now: .seconds(5))
        // Its next attempt is later than its end.
        _ = machine.delivered("reader-0", .retry("down", after: .seconds(60)), now: .seconds(5))
        #expect(machine.tick(now: .seconds(10)).deliveries.isEmpty && machine.counts.tooOld == 0)
        let end = machine.deadline(after: .seconds(10))
        #expect(end == .seconds(10) + .milliseconds(1))
        #expect(machine.tick(now: end ?? .zero).deliveries == [2])
        #expect(machine.counts.tooOld == 1 && machine.acknowledged == 1)
    }

    @Test(arguments: ["paused", "held"])
    func `has no backlog after its limit, also while it is`(state: String) {
        var machine = machine()
        if state == "paused" { _ = machine.pause(true, now: .zero) } else { _ = machine.held("no", now: .zero) }
        #expect(read([tap(1, at: 1), tap(2, at: 2)], &machine, now: .seconds(2)).deliveries.isEmpty)
        #expect(machine.backlog == 2)
        var (now, ticks) = (Duration.seconds(2), 0)
        while machine.backlog > 0, ticks < 10, let next = machine.deadline(after: now) {
            (now, ticks) = (next, ticks + 1)
            #expect(machine.tick(now: now).deliveries.isEmpty)
        }
        #expect(machine.backlog == 0 && machine.counts.tooOld == 2 && now < .seconds(13))
        _ = machine.pause(false, now: now)
        #expect(read([tap(3, at: 400)], &machine, now: .seconds(400)).deliveries == [3])
    }

    @Test func `announces lost taps before it leaves out those behind them`() {
        var machine = machine()
        _ = read([tap(1, at: 0, number: 1)], &machine, now: .seconds(5))
        _ = machine.delivered("reader-0", .delivered(""), now: .seconds(5))
        let actions = read([tap(4, at: 6, number: 4)], &machine, now: .seconds(30))
        let lost = actions.compactMap { if case .announce(let lost) = $0 { lost } else { nil } }
        #expect(lost.map(\.range?.numbers) == [2...3] && machine.counts.tooOld == 0)
        for lost in lost { #expect(machine.announced(lost, .delivered(""), now: .seconds(30)).deliveries.isEmpty) }
        #expect(machine.counts.tooOld == 1 && machine.acknowledged == 4)
    }

    @Test func `gets no old tap again on request`() {
        var machine = machine()
        _ = read([tap(1, at: 0)], &machine, now: .zero)
        _ = machine.delivered("reader-0", .delivered(""), now: .zero)
        _ = machine.replay(after: 0, now: .seconds(60))
        #expect(read([tap(1, at: 0)], &machine, now: .seconds(60)).deliveries.isEmpty)
        #expect(machine.counts.tooOld == 1 && machine.backlog == 0)
    }

    @Test func `gets one tap at a time of all readers, the oldest first`() {
        var machine = machine(nil, isSerial: true)
        #expect(read([tap(3, at: 0, reader: "c")], &machine, now: .zero).deliveries == [3])
        #expect(read([tap(5, at: 0, reader: "a")], &machine, now: .zero).deliveries.isEmpty)
        #expect(read([tap(4, at: 0, reader: "b")], &machine, now: .zero).deliveries.isEmpty)
        #expect(machine.delivered("c", .delivered(""), now: .zero).deliveries == [4])
        // A tap that waits for its next attempt holds up no other reader.
        #expect(machine.delivered("b", .retry("busy"), now: .zero).deliveries == [5])
        #expect(machine.delivered("a", .delivered(""), now: .zero).deliveries.isEmpty)
        #expect(machine.tick(now: .seconds(2)).deliveries == [4])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `gets nothing old through outages and kills, and keeps no backlog`(seed: UInt64) {
        var plan = LaneWorld.Plan()
        (plan.limits.start, plan.hasOutages, plan.kills, plan.readers) = (.oldest, true, 10, 3)
        // Shorter than an outage.
        let limit = AgeLimit(.milliseconds(500)) { tap, now in now - .seconds(tap.bootTime) }
        (plan.limits.isSerial, plan.limits.lane.eligibility.ageLimit) = (true, limit)
        var world = LaneWorld(seed: seed, plan)
        world.run()
        let ages = world.receivedAt.map { $0.value - (world.arrivedAt[$0.key] ?? .zero) }
        #expect(ages.allSatisfy { $0 <= .milliseconds(501) })
        #expect(world.backlog == 0 && !world.hadTwoReadersInFlight)
        #expect(!world.received.isEmpty && world.received.count < world.taps.count)
    }

    // MARK: Parked taps

    @Test(
        arguments: [
            (95, nil, nil), (1, nil, "it is older than the consumer's max-age; discard it"), (95, "reader-0", nil),
            (95, "Reader reader-0", nil),
            (95, "reader-1", "reader reader-0 is not one of the consumer's readers; discard it"),
        ] as [(Double, String?, String?)])
    func `gets a parked tap again on request, unless it is left out by now: then it stays parked, and shows why`(
        read: Double, reader: String?, reason: String?
    ) async throws {
        let (scratch, silent) = (try RelayScratch(), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let state = try StateFile(path: "\(scratch.path)/relay.db", logger: silent)
        let time = ServiceTime(now: { .seconds(100) }, sleep: { _ in await Task.yield() }, random: { 0.5 })
        let tap = TapFactory.tap(1, bootID: Boot.current.id, bootTime: read)
        try await state.park(ParkedTap(tap, time: "", attempts: 1, reason: "no", isRetried: true), of: "a")
        let sink = TakingSink()
        let consumer = Consumer(
            ConsumerSettings(
                name: "a", readers: reader.map { [$0] }, maxAge: .seconds(10),
                sink: CommandSettings(run: ["/bin/true"])), sink: sink,
            machine: Machine(nil, parked: 1, limits: .init(), now: .zero) { 0.5 },
            identity: RelayIdentity(site: "s", device: "d"),
            daemon: DaemonLink(FakeDaemon([:]), time: time, logger: silent), state: state, time: time, logger: silent)
        let life = Task { await consumer.run() }
        while try await state.nextRetried(of: "a") != nil { await Task.yield() }
        consumer.stop()
        await life.value
        #expect(sink.count == (reason == nil ? 1 : 0))
        let reasons = try await state.parkedList(of: "a").map(\.reason)
        #expect(reasons == [reason].compactMap(\.self))
    }

    // MARK: The clocks

    @Test(arguments: [
        // The same boot: the time since the start, whatever the wall clock.
        ("current", ClockQuality.unsynchronised, 90, 10, true), ("current", .unsynchronised, 90, 9, false),
        // An earlier boot, of which the clock was never right.
        ("other", .unsynchronised, 100, 1_000, false),
    ])
    func `knows the age by the clocks`(
        boot: String, clock: ClockQuality, read: Double, limit: Int, isAdmitted: Bool
    ) {
        let time = ServiceTime(now: { .seconds(100) }, sleep: { _ in }, random: { 0 })
        let settings = ConsumerSettings(
            name: "a", maxAge: .seconds(limit), sink: CommandSettings(run: ["/bin/true"]))
        let tap = TapFactory.tap(
            1, clock: clock, bootID: boot == "current" ? Boot.current.id : boot, bootTime: read)
        let omission = TapEligibility(settings, time).omission(of: tap, now: .seconds(100))
        #expect(omission == (isAdmitted ? nil : .tooOld))
    }
}

/// A sink that takes and counts every tap.
private final class TakingSink: Sink {
    private let taken = Mutex(0)

    var count: Int { taken.withLock { $0 } }

    func run(_ consumer: any SinkObserver) async {}

    func deliver(_ event: TapEvent) async -> Delivery {
        taken.withLock { $0 += 1 }
        return .delivered("")
    }

    func deliver(_ notice: RelayNotice) async -> Delivery { .delivered("") }
}
