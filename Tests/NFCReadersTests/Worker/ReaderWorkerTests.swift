import NFCTags
import TestSupport
import Testing

@testable import NFCReaders

@Suite(.timeLimit(.minutes(20))) struct `A reader's worker` {
    static let desk = ReaderID(rawValue: "desk")

    /// A worker with hardware and a clock that a test controls.
    struct Setup: Sendable {
        let hardware = FakeHardware()
        let clock = TestClock()
        let log = EventLog()
        let worker: ReaderWorker

        init() {
            let (hardware, log) = (hardware, log)
            worker = ReaderWorker(
                id: desk, clock: clock, report: { log.add($0) }, makeReader: { hardware.makeReader() })
        }

        /// The error of connecting; nil on success.
        func connectFailure() async -> CardChannelError? {
            do throws(CardChannelError) {
                _ = try await worker.connect()
                return nil
            } catch {
                return error
            }
        }

        /// Connects to hardware that hangs, and lets the deadline expire.
        func connectAndGetStuck() async -> CardChannelError? {
            hardware.hang()
            async let failure = connectFailure()
            await hardware.entered()
            await clock.sleeping(for: .seconds(5))
            clock.advance(by: .seconds(5))
            return await failure
        }
    }

    @Test func `connects, exchanges and disconnects on one thread`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        #expect(connection.answerToReset == hex("3B00"))
        #expect(try await connection.transmit(hex("FFCA000000")) == hex("FFCA0000009000"))
        await connection.close()
        let again = try await setup.worker.connect()
        await again.close()
        #expect(setup.hardware.calls == ["connect", "transmit", "disconnect", "connect", "disconnect"])
        #expect(setup.hardware.readersMade == 1)
        #expect(setup.log.all == [])
        #expect(setup.clock.remaining == [])
    }

    @Test func `a replaced connection has no card, and disconnects none`() async throws {
        let setup = Setup()
        let replaced = try await setup.worker.connect()
        let latest = try await setup.worker.connect()
        await #expect(throws: CardChannelError.tagLost) { try await replaced.transmit(hex("FFCA000000")) }
        await #expect(throws: CardChannelError.tagLost) { try await replaced.reconnect() }
        await replaced.close()
        #expect(try await latest.transmit(hex("FFCA000000")) == hex("FFCA0000009000"))
        await latest.close()
        #expect(setup.hardware.calls == ["connect", "connect", "transmit", "disconnect"])
    }

    @Test func `resets the tag on the same thread, within a deadline`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        try await connection.reconnect()
        setup.hardware.hang()
        async let failure: CardChannelError? = {
            do throws(CardChannelError) {
                try await connection.reconnect()
                return nil
            } catch {
                return error
            }
        }()
        await setup.hardware.entered(3)
        await setup.clock.sleeping(for: .seconds(5))
        setup.clock.advance(by: .seconds(5))
        #expect(await failure == .timedOut)
        #expect(setup.hardware.calls == ["connect", "reconnect", "reconnect"])
        setup.hardware.release()
        #expect(await setup.log.next(2) == ["failed desk", "recovered desk"])
    }

    @Test func `abandons a call at its deadline, not earlier`() async throws {
        let setup = Setup()
        setup.hardware.hang()
        async let failure = setup.connectFailure()
        await setup.hardware.entered()
        await setup.clock.sleeping(for: .seconds(5))
        setup.clock.advance(by: .milliseconds(4_999))
        #expect(setup.clock.remaining == [.milliseconds(1)])
        #expect(setup.log.all == [])
        setup.clock.advance(by: .milliseconds(1))
        #expect(await failure == .timedOut)
        #expect(await setup.log.next() == .failed(Self.desk, reason: "connecting took longer than 5.0 seconds"))
        setup.hardware.release()
        #expect(await setup.log.next() == .recovered(Self.desk))
    }

    @Test func `uses a new thread after a call got stuck`() async throws {
        let setup = Setup()
        #expect(await setup.connectAndGetStuck() == .timedOut)
        setup.hardware.hang(false)
        let connection = try await setup.worker.connect()
        #expect(setup.hardware.readersMade == 2)
        #expect(try await connection.transmit([0x00]) == hex("009000"))
        setup.hardware.release()
        #expect(await setup.log.next(2) == ["failed desk", "recovered desk"])
        #expect(try await connection.transmit([0x01]) == hex("019000"))
    }

    @Test func `fails at once after four threads got stuck, until one returns`() async throws {
        let setup = Setup()
        for _ in 1...4 { #expect(await setup.connectAndGetStuck() == .timedOut) }
        #expect(await setup.connectFailure() == .readerFailed)
        #expect(setup.hardware.readersMade == 4)
        setup.hardware.hang(false)
        setup.hardware.release(4)
        #expect(await setup.log.next(5) == Array(repeating: "failed desk", count: 4) + ["recovered desk"])
        #expect(await setup.connectFailure() == nil)
        #expect(setup.hardware.readersMade == 5)
    }

    @Test func `fails calls of a connection whose thread was abandoned`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        await setup.hardware.entered()
        setup.hardware.hang()
        let response = Task { try await connection.transmit([0x00]) }
        await setup.hardware.entered()
        await setup.clock.sleeping(for: .seconds(5))
        setup.clock.advance(by: .seconds(5))
        await #expect(throws: CardChannelError.timedOut) { try await response.value }
        await #expect(throws: CardChannelError.readerFailed) { try await connection.transmit([0x01]) }
        await connection.close()
        #expect(setup.hardware.calls == ["connect", "transmit"])
        setup.hardware.release()
        #expect(await setup.log.next(2) == ["failed desk", "recovered desk"])
    }

    @Test func `closes the connection of a stuck call before the reader is reported as recovered`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        await setup.hardware.entered()
        setup.hardware.hang()
        let response = Task { try await connection.transmit([0x00]) }
        await setup.hardware.entered()
        await setup.clock.sleeping(for: .seconds(5))
        setup.clock.advance(by: .seconds(5))
        await #expect(throws: CardChannelError.timedOut) { try await response.value }
        #expect(await setup.log.next(1) == ["failed desk"])
        setup.hardware.release()
        #expect(await setup.log.next(1) == ["recovered desk"])
        #expect(setup.hardware.calls == ["connect", "transmit", "disconnect"])
    }

    @Test func `waits at most two seconds to disconnect`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        await setup.hardware.entered()
        setup.hardware.hang()
        async let closing: Void = connection.close()
        await setup.hardware.entered()
        await setup.clock.sleeping(for: .seconds(2))
        setup.clock.advance(by: .seconds(2))
        await closing
        setup.hardware.release()
        #expect(await setup.log.next(2) == ["failed desk", "recovered desk"])
    }

    @Test func `limits the total time of the exchanges of a limited connection`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        let limited = connection.limited(to: .seconds(60))
        await setup.hardware.entered()
        setup.clock.advance(by: .seconds(20))
        #expect(try await limited.transmit([0x00]) == hex("009000"))
        setup.hardware.hang()
        let response = Task { try await limited.transmit([0x01]) }
        await setup.hardware.entered(2)
        setup.clock.advance(by: .milliseconds(39_999))
        #expect(setup.log.all == [])
        await setup.clock.sleeping(for: .milliseconds(1))
        setup.clock.advance(by: .milliseconds(1))
        await #expect(throws: CardChannelError.timedOut) { try await response.value }
        await #expect(throws: CardChannelError.readerFailed) { try await connection.transmit([0x02]) }
        setup.hardware.hang(false)
        setup.hardware.release()
        #expect(await setup.log.next(2) == ["failed desk", "recovered desk"])
        let again = try await setup.worker.connect()
        #expect(try await again.transmit([0x03]) == hex("039000"))
    }

    @Test(arguments: [true, false])
    func `has failed when its own limit is over, not at a shorter one of a client`(answers: Bool) async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        await setup.hardware.entered()
        setup.hardware.hang()
        let response = Task { try await connection.limited(to: .seconds(1)).transmit([0x00]) }
        await setup.hardware.entered()
        await setup.clock.sleeping(for: .seconds(1))
        setup.clock.advance(by: .seconds(1))
        await #expect(throws: CardChannelError.timedOut) { try await response.value }
        setup.hardware.hang(false)
        let again = try await setup.worker.connect()
        #expect(try await again.transmit([0x01]) == hex("019000"))
        await setup.clock.sleeping(for: .seconds(4))
        #expect(setup.log.all == [])
        if answers { setup.hardware.release() }
        setup.clock.advance(by: .seconds(4))
        guard !answers else { return }
        #expect(await setup.log.next() == .failed(Self.desk, reason: "an exchange took longer than 5.0 seconds"))
        setup.hardware.release()
        #expect(await setup.log.next() == .recovered(Self.desk))
    }

    @Test func `has failed because of a call that is stuck, not of one that has returned`() async throws {
        let setup = Setup()
        setup.hardware.hang()
        func getStuck(_ entered: Int) async throws {
            setup.hardware.hang(false)
            let connection = try await setup.worker.connect()
            setup.hardware.hang()
            let response = Task { try await connection.limited(to: .seconds(1)).transmit([0x00]) }
            await setup.hardware.entered(entered)
            await setup.clock.sleeping(for: .seconds(1))
            setup.clock.advance(by: .seconds(1))
            await #expect(throws: CardChannelError.timedOut) { try await response.value }
        }
        try await getStuck(2)
        await setup.clock.sleeping(for: .seconds(4))
        setup.clock.advance(by: .seconds(2))
        setup.hardware.release()
        try await getStuck(2)
        // The first call has returned, and the second still has time when that of the first is over.
        await setup.clock.sleeping(for: .seconds(1))
        setup.clock.advance(by: .seconds(1))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(setup.log.all == [])
        setup.clock.advance(by: .seconds(3))
        #expect(await setup.log.next(1) == ["failed desk"])
        setup.hardware.release()
        #expect(await setup.log.next(1) == ["recovered desk"])
    }

    @Test func `starts no exchange after the limit, and keeps the reader`() async throws {
        let setup = Setup()
        let connection = try await setup.worker.connect()
        let limited = connection.limited(to: .seconds(1))
        setup.clock.advance(by: .seconds(1))
        await #expect(throws: CardChannelError.timedOut) { try await limited.transmit([0x00]) }
        #expect(setup.hardware.calls == ["connect"] && setup.log.all == [])
        #expect(try await connection.transmit([0x01]) == hex("019000"))
    }

    static let attempts: [(busy: Int, failure: CardChannelError?)] = [
        (0, nil), (1, nil), (4, nil), (5, .busy), (9, .busy),
    ]

    @Test(arguments: attempts)
    func `tries a busy card five times`(busy: Int, failure: CardChannelError?) async throws {
        let setup = Setup()
        setup.hardware.connecting(gives: Array(repeating: .failure(.busy), count: busy))
        async let result = setup.connectFailure()
        for _ in 0..<min(busy, 4) {
            await setup.clock.sleeping(for: .milliseconds(100))
            setup.clock.advance(by: .milliseconds(100))
        }
        #expect(await result == failure)
        #expect(setup.hardware.calls.count == min(busy + 1, 5))
        #expect(setup.log.all == [])
    }

    @Test(arguments: [.tagLost, .readerFailed, .transport(code: 1, message: "?")] as [CardChannelError])
    func `does not try again after other errors`(error: CardChannelError) async {
        let setup = Setup()
        setup.hardware.connecting(gives: [.failure(error)])
        #expect(await setup.connectFailure() == error)
        #expect(setup.hardware.calls == ["connect"])
    }

    @Test func `stops trying when its caller is cancelled`() async throws {
        let setup = Setup()
        setup.hardware.connecting(gives: Array(repeating: .failure(.busy), count: 5))
        let connecting = Task { await setup.connectFailure() }
        await setup.clock.sleeping(for: .milliseconds(100))
        connecting.cancel()
        #expect(await connecting.value == .busy)
        #expect(setup.hardware.calls == ["connect"])
    }

    /// Calls a worker on an executor that a test can pause.
    private actor Caller {
        let executor = HeldExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func connect(_ worker: ReaderWorker) async throws(CardChannelError) {
            _ = try await worker.connect()
        }
    }

    @Test func `recovers if a call returns just when its deadline expires`() async throws {
        let (setup, caller) = (Setup(), Caller())
        setup.hardware.hang()
        let result = Task { try await caller.connect(setup.worker) }
        await setup.hardware.entered()
        await setup.clock.sleeping(for: .seconds(5))
        caller.executor.hold()
        setup.clock.advance(by: .seconds(5))
        await caller.executor.held()
        setup.hardware.release()
        // Give the late return time to be processed before the deadline.
        for _ in 0..<1_000 { await Task.yield() }
        caller.executor.release()
        await #expect(throws: CardChannelError.timedOut) { try await result.value }
        #expect(await setup.log.next(2) == ["failed desk", "recovered desk"])
    }
}
