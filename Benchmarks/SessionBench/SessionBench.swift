import NFCReaders
import NFCSessions
import NFCTypes

/// `session-bench`: what it costs to begin and to end a session, and to lose a client, while 2,000 sessions wait for 64 readers.
/// Prints a line of JSON for each, with the median and the longest in milliseconds.
@main
enum SessionBench {
    static let readers = 64
    static let waiting = 2_000
    static let sessionsPerClient = 16
    static let repetitions = 4 * readers

    static func main() async throws {
        let coordinator = SessionCoordinator(
            driver: SimulatedDriver(readers: readers),
            limits: SessionLimits(timeout: .seconds(3_600), sessionsPerClient: waiting), logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await coordinator.run() }
            defer { group.cancelAll() }
            try await Crowd(coordinator).measure()
        }
    }
}

/// A client that takes no notice of its events.
private struct SilentClient: SessionClient {
    let id: ClientID
    let permissions = Permissions.everything
    var label: String { "uid \(id.rawValue)" }

    init(_ number: Int) { id = ClientID(rawValue: UInt64(number)) }

    func send(_ event: SessionEvent, of session: SessionID) {}
}

/// The sessions on the readers. On each, one is active and a few wait for their turn; then come 2,000 of many clients, which wait
/// for one reader, for some, or for all.
private struct Crowd {
    let coordinator: SessionCoordinator
    let names: [String]
    let holder = SilentClient(1)
    var turns: [SessionID] = []

    init(_ coordinator: SessionCoordinator) async throws {
        self.coordinator = coordinator
        names = await coordinator.readers().map(\.entry.description.id.rawValue)
        for number in 0..<SessionBench.repetitions + names.count {
            let request = SessionRequest(readers: [names[number % names.count]], whenBusy: .queue)
            turns.append(try await begin(request, by: holder))
        }
        for number in 0..<SessionBench.waiting / SessionBench.sessionsPerClient {
            try await join(SilentClient(number + 2))
        }
    }

    func measure() async throws {
        let clock = ContinuousClock()
        var (begins, ends, leavings) = ([Duration](), [Duration](), [Duration]())
        for number in 0..<SessionBench.repetitions {
            let newcomer = SilentClient(10_000 + number)
            let id = try await coordinator.open(request(number), for: newcomer)
            begins.append(await clock.measure { await coordinator.begin(id) })
            await coordinator.clientDisconnected(newcomer.id)

            ends.append(
                try await clock.measure {
                    try await coordinator.invalidate(turns[number], errorMessage: nil, by: holder.id)
                })

            let leaver = SilentClient(20_000 + number)
            try await join(leaver)
            leavings.append(await clock.measure { await coordinator.clientDisconnected(leaver.id) })
        }
        report("begin", begins)
        report("end", ends)
        report("client leaves", leavings)
    }

    /// Lets a client wait with as many sessions as it may have by default.
    private func join(_ client: SilentClient) async throws {
        for index in 0..<SessionBench.sessionsPerClient { try await begin(request(index), by: client) }
    }

    private func request(_ index: Int) -> SessionRequest {
        let some = (0..<4).map { names[(index * 5 + $0 * 11) % names.count] }
        let wanted = [nil, names, some, [names[index % names.count]]][index % 4]
        return SessionRequest(readers: wanted, whenBusy: .queue)
    }

    @discardableResult
    private func begin(_ request: SessionRequest, by client: SilentClient) async throws -> SessionID {
        let id = try await coordinator.open(request, for: client)
        await coordinator.begin(id)
        return id
    }

    private func report(_ operation: String, _ times: [Duration]) {
        let sorted = times.sorted().map { $0 / .milliseconds(1) }
        print(
            #"{"operation":"\#(operation)","median":\#(sorted[sorted.count / 2]),"longest":\#(sorted[sorted.count - 1])}"#
        )
    }
}
