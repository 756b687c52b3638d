import NFCReaders
import NFCTags
import Synchronization
import Testing
import TestSupport

@testable import NFCSessions

/// What thousands of waiting sessions cost, as the number of decisions: every decision about a session that has to wait reads
/// the label of the client that is in its way.
@Suite(.timeLimit(.minutes(20))) struct `Many waiting sessions` {
    static let readers = (1...64).map { Fixtures.reader("reader-\($0)") }
    static let count = 2_000
    static let perClient = 10

    /// A client that counts how often its label is read.
    private final class CountingClient: SessionClient {
        let id: ClientID
        let permissions = Permissions.everything
        private let counter: DecisionCounter

        init(_ number: Int, _ counter: DecisionCounter) {
            id = ClientID(rawValue: UInt64(number))
            self.counter = counter
        }

        var label: String {
            counter.add()
            return "uid \(id.rawValue)"
        }

        func send(_ event: SessionEvent, of session: SessionID) {}
    }

    private final class DecisionCounter: Sendable {
        private let number = Mutex(0)

        func add() { number.withLock { $0 += 1 } }

        /// The number since the last call.
        func take() -> Int {
            number.withLock { number in
                defer { number = 0 }
                return number
            }
        }
    }

    /// A holder of every reader, and 2,000 sessions of 200 clients that wait for two readers each, every tenth for all of them.
    private struct Crowd {
        let holder: CountingClient
        let session: SessionID
        var clients: [CountingClient] = []
        let counter = DecisionCounter()

        init(at desk: Desk) async throws {
            holder = CountingClient(1, counter)
            session = try await desk.begin(by: holder)
            for number in 0..<count / perClient {
                let client = CountingClient(number + 2, counter)
                clients.append(client)
                for index in 0..<perClient {
                    let places = [number % 64, (number * 7 + index) % 64]
                    try await desk.begin(
                        SessionRequest(
                            readers: index == 9 ? nil : places.map { readers[$0].id.rawValue }, whenBusy: .queue),
                        by: client)
                }
            }
        }
    }

    @Test func `are decided on once as they begin`() async throws {
        try await Desk.open(Self.readers) { desk in
            let crowd = try await Crowd(at: desk)
            #expect(crowd.counter.take() <= 3 * Self.count)
            #expect(await desk.coordinator.overview().waitingSessions == Self.count)
        }
    }

    @Test func `that leave with their clients cost what they are, not what waits besides`() async throws {
        try await Desk.open(Self.readers) { desk in
            let crowd = try await Crowd(at: desk)
            _ = crowd.counter.take()
            for client in crowd.clients { await desk.coordinator.clientDisconnected(client.id) }
            #expect(crowd.counter.take() <= 3 * Self.count)
            #expect(await desk.coordinator.overview().waitingSessions == 0)
        }
    }

    @Test func `are tried only where a reader became free`() async throws {
        try await Desk.open(Self.readers) { desk in
            let crowd = try await Crowd(at: desk)
            _ = crowd.counter.take()
            try await desk.coordinator.invalidate(crowd.session, errorMessage: nil, by: crowd.holder.id)
            // At most one for each reader becomes active, and what is logged of each reads the label as well.
            #expect(crowd.counter.take() <= 3 * Self.readers.count)
        }
    }

    @Test func `are left alone by a tap`() async throws {
        try await Desk.open(Self.readers) { desk in
            let crowd = try await Crowd(at: desk)
            _ = crowd.counter.take()
            desk.driver.tap(.url, on: Self.readers[0])
            await desk.settle()
            desk.driver.lift(Self.readers[0])
            await desk.settle()
            #expect(crowd.counter.take() <= 3)
        }
    }
}
