import Synchronization
import Testing
import Threading

/// What happened, in order.
private final class Record: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// A service that runs until the signal, or does what a test wants.
private struct TestService: Service {
    struct Failure: Error, Equatable { let name: String }

    let name: String
    let record: Record
    var began: @Sendable () -> Void = {}
    var fails = false
    var endsAtOnce = false

    func run(until stop: StopSignal) async throws {
        began()
        if fails { throw Failure(name: name) }
        if endsAtOnce { return }
        await stop.wait()
        record.add("\(name) closes")
        await Task.yield()
        record.add("\(name) is closed")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A group of services` {
    private let record = Record()

    @Test func `ends its services one after another, the last first`() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let services = ["a", "b", "c"].map { TestService(name: $0, record: record, began: { begin.yield() }) }
        try await ServiceGroup(services).run {
            var count = 0
            for await _ in begun {
                count += 1
                if count == 3 { return }
            }
        }
        #expect(
            record.all == ["c closes", "c is closed", "b closes", "b is closed", "a closes", "a is closed"])
    }

    @Test(arguments: [0, 1, 2]) func `ends when a service fails, with its error`(place: Int) async {
        let services = (0..<3).map { TestService(name: "\($0)", record: record, fails: $0 == place) }
        await #expect(throws: TestService.Failure(name: "\(place)")) {
            try await ServiceGroup(services).run { await StopSignal().wait() }
        }
        #expect(record.all.count == 4)
    }

    @Test(arguments: [0, 1, 2]) func `ends when a service ends`(place: Int) async throws {
        let services = (0..<3).map { TestService(name: "\($0)", record: record, endsAtOnce: $0 == place) }
        try await ServiceGroup(services).run { await StopSignal().wait() }
        #expect(record.all.count == 4)
    }

    @Test func `ends with the task that runs it`() async throws {
        let services = ["a", "b"].map { TestService(name: $0, record: record) }
        let task = Task { try await ServiceGroup(services).run { await StopSignal().wait() } }
        task.cancel()
        try await task.value
        #expect(record.all.count == 4)
    }

    @Test func `without services ends at the signal`() async throws {
        try await ServiceGroup([]).run {}
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A stop signal` {
    private let stop = StopSignal()
    private let record = Record()

    @Test func `calls what waits for it, once`() async {
        await stop.calling({ record.add("called") }) {
            stop.give()
            stop.give()
        }
        #expect(record.all == ["called"])
    }

    @Test func `that was given before is called at once`() async {
        stop.give()
        await stop.calling({ record.add("called") }) { record.add("runs") }
        #expect(record.all == ["called", "runs"])
    }

    @Test func `calls nothing of a function that has ended`() async {
        await stop.calling({ record.add("called") }) {}
        stop.give()
        #expect(record.all.isEmpty)
    }

    @Test(arguments: [true, false]) func `cancels what runs`(isGivenBefore: Bool) async {
        if isGivenBefore { stop.give() }
        let (begun, begin) = AsyncStream<Void>.makeStream()
        async let value = stop.cancelling {
            begin.yield()
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return Task.isCancelled
        }
        for await _ in begun { break }
        stop.give()
        #expect(await value)
    }

    @Test func `does not cancel the task around`() async {
        stop.give()
        await stop.cancelling {}
        #expect(!Task.isCancelled)
    }

    @Test func `passes on the result and the error of what runs`() async throws {
        #expect(await stop.cancelling { 7 } == 7)
        await #expect(throws: TestService.Failure(name: "x")) {
            try await stop.cancelling { throw TestService.Failure(name: "x") }
        }
    }
}
