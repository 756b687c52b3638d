import NFCTags
import TestSupport
import Testing

@testable import NFCReaders

@Suite(.timeLimit(.minutes(20))) struct `A connection that fails` {
    private static let desk = ReaderID(rawValue: "desk")
    private static let empty = SlotState()
    private static let tag = card(1)
    private static let nextTag = card(3)

    private static func card(_ counter: UInt16 = 1, _ change: (inout SlotState) -> Void = { _ in }) -> SlotState {
        var state = SlotState()
        (state.hasCard, state.cardCounter) = (true, counter)
        change(&state)
        return state
    }

    /// A worker whose hardware, slot and clock a test controls.
    private struct Setup: Sendable {
        let hardware = FakeHardware()
        let clock = TestClock()
        let log = EventLog()
        let slot: FakeSlot
        let worker: ReaderWorker

        init(_ slot: FakeSlot) {
            let (hardware, log) = (hardware, log)
            self.slot = slot
            worker = ReaderWorker(
                id: desk, clock: clock, slot: slot, report: { log.add($0) }, makeReader: { hardware.makeReader() })
        }

        func connectFailure() async -> CardChannelError? {
            do throws(CardChannelError) {
                await (try worker.connect()).close()
                return nil
            } catch {
                return error
            }
        }

        /// Lets the time pass in which pcscd notices that a tag left.
        func settle() async {
            for _ in 0..<4 { await pass(.milliseconds(250)) }
        }

        /// Lets time pass for which the worker sleeps; at its end, the slot shows a state.
        func pass(_ duration: Duration, until state: SlotState? = nil) async {
            await clock.sleeping(for: duration)
            if let state { slot.shows(state) }
            clock.advance(by: duration)
        }
    }

    private static let left: [SlotState?] = [empty, nil]

    @Test(arguments: left) func `means that the tag left if the slot is empty`(state: SlotState?) async {
        let setup = Setup(FakeSlot(state))
        setup.hardware.connecting(gives: [.failure(.tagLost)])
        #expect(await setup.connectFailure() == .tagLost)
        #expect(setup.log.all == [])
    }

    @Test(arguments: [empty, nextTag])
    func `means that the tag left if pcscd reports that within a second`(state: SlotState) async {
        let setup = Setup(FakeSlot(Self.tag, confirmsCard: false))
        setup.hardware.connecting(gives: [.failure(.tagLost)])
        async let failure = setup.connectFailure()
        await setup.pass(.milliseconds(250))
        await setup.pass(.milliseconds(250), until: state)
        #expect(await failure == .tagLost)
        #expect(setup.log.all == [])
    }

    @Test func `means that the tag is mute if its reader answers`() async {
        let setup = Setup(FakeSlot(Self.tag, confirmsCard: true))
        setup.hardware.connecting(gives: [.failure(.tagLost)])
        async let failure = setup.connectFailure()
        await setup.settle()
        #expect(await failure == .timedOut)
        #expect(setup.log.all == [])
    }

    @Test func `means that the reader failed if it does not answer, until a tag does`() async {
        let setup = Setup(FakeSlot(Self.tag, confirmsCard: false))
        setup.hardware.connecting(gives: [.failure(.tagLost), .failure(.tagLost)])
        async let failure = setup.connectFailure()
        await setup.settle()
        #expect(await failure == .readerFailed)
        let reason = "it shows a tag, but does not answer; unplug it and plug it in again"
        #expect(await setup.log.next() == .failed(Self.desk, reason: reason))
        // Not without a tag, and not while it fails.
        await setup.pass(.seconds(3), until: Self.empty)
        await setup.pass(.seconds(3), until: Self.nextTag)
        await setup.pass(.seconds(3))
        #expect(await setup.log.next() == .recovered(Self.desk))
        #expect(setup.hardware.calls == ["connect", "connect", "connect", "disconnect"])
    }

    @Test func `is repeated once if the driver cannot ask the reader`() async {
        let setup = Setup(FakeSlot(Self.tag))
        setup.hardware.connecting(gives: [.failure(.tagLost)])
        async let success = setup.connectFailure()
        await setup.settle()
        #expect(await success == nil)
        #expect(setup.log.all == [])
        setup.hardware.connecting(gives: [.failure(.tagLost), .failure(.tagLost)])
        async let failure = setup.connectFailure()
        await setup.settle()
        #expect(await failure == .readerFailed)
        #expect(await setup.log.next(1) == ["failed desk"])
        // A later connection shows that the reader works.
        #expect(await setup.connectFailure() == nil)
        #expect(await setup.log.next(1) == ["recovered desk"])
    }

    @Test(arguments: [(false, ["failed desk"]), (true, [])] as [(Bool, [String])])
    func `is not needed to ask the reader of a mute tag`(isConfirmed: Bool, words: [String]) async {
        let setup = Setup(FakeSlot(Self.card { $0.isMute = true }, confirmsCard: isConfirmed))
        async let examined: Void = setup.worker.tagIsMute()
        await setup.settle()
        await examined
        #expect(setup.log.all.map(\.words) == words)
        #expect(setup.hardware.calls == [])
    }

    @Test(arguments: [card { $0.isInUse = true }, card { $0.isExclusive = true }])
    func `because another program holds the card is not a failure of the reader`(slot: SlotState) async {
        let setup = Setup(FakeSlot(slot))
        setup.hardware.hang()
        async let failure = setup.connectFailure()
        await setup.hardware.entered()
        await setup.pass(.seconds(5))
        // The next attempts start no thread.
        for _ in 0..<4 { await setup.pass(.milliseconds(100)) }
        #expect(await failure == .busy)
        let reason = "another program uses it and did not release it within 5.0 seconds"
        #expect(await setup.log.next() == .blocked(Self.desk, reason: reason))
        #expect(setup.hardware.readersMade == 1)
        setup.slot.shows(Self.tag)
        setup.hardware.hang(false)
        setup.hardware.release()
        #expect(await setup.log.next() == .recovered(Self.desk))
        #expect(setup.log.all.count == 2)
    }

    @Test func `of an exchange is one of the reader, since the connection itself uses the card`() async throws {
        let setup = Setup(FakeSlot(Self.card { $0.isInUse = true }))
        let connection = try await setup.worker.connect()
        setup.hardware.hang()
        let response = Task { try await connection.transmit([0x00]) }
        await setup.hardware.entered(2)
        await setup.pass(.seconds(5))
        await #expect(throws: CardChannelError.timedOut) { try await response.value }
        #expect(await setup.log.next(1) == ["failed desk"])
        setup.hardware.release()
    }

    @Test func `because of exclusive use is over when that ends`() async {
        let setup = Setup(FakeSlot(Self.card { $0.isExclusive = true }))
        setup.hardware.connecting(gives: Array(repeating: .failure(.busy), count: 5))
        async let failure = setup.connectFailure()
        for _ in 0..<4 { await setup.pass(.milliseconds(100)) }
        #expect(await failure == .busy)
        #expect(await setup.log.next() == .blocked(Self.desk, reason: "another program uses it exclusively"))
        await setup.pass(.seconds(3))
        await setup.pass(.seconds(3), until: Self.empty)
        #expect(await setup.log.next() == .recovered(Self.desk))
    }

    @Test func `is not over when a call returns that got stuck meanwhile`() async {
        let setup = Setup(FakeSlot(Self.tag, confirmsCard: false))
        setup.hardware.connecting(gives: [.failure(.tagLost), .failure(.tagLost)])
        async let failure = setup.connectFailure()
        await setup.settle()
        #expect(await failure == .readerFailed)
        #expect(await setup.log.next(1) == ["failed desk"])
        // The attempt to connect again gets stuck, and fails when it returns.
        setup.hardware.hang()
        await setup.hardware.entered()
        await setup.pass(.seconds(3))
        await setup.hardware.entered()
        for seconds in [1, 4] { await setup.pass(.seconds(seconds)) }
        #expect(await setup.log.next(1) == ["failed desk"])
        setup.hardware.hang(false)
        setup.hardware.release()
        #expect(await setup.log.next(1) == ["failed desk"])
        await setup.pass(.seconds(3))
        #expect(await setup.log.next() == .recovered(Self.desk))
    }
}
