import NFCReaders
import NFCTags
import NFCTypes
import TestSupport
import Testing
import Threading
import VirtualTags

@testable import NFCSessions

/// The proof of a tap that waits for something other than the tag, such as the token of its key.
@Suite(.timeLimit(.minutes(2))) struct `A proof that waits` {
    /// Waits until its task is cancelled.
    private final class WaitingProver: TagProver {
        private let (starts, start) = AsyncStream<Void>.makeStream()

        func started() async { for await _ in starts { return } }

        func prove(
            _ tag: TagIdentity, _ reading: NDEFReading, over channel: any CardChannel, on reader: ReaderProfile
        ) async -> ProofAttempt? {
            start.yield()
            await Task.untilCancelled()
            return .mutual(.incomplete)
        }
    }

    private let prover = WaitingProver()
    private let driver: PacedDriver

    init() throws {
        driver = PacedDriver(try VirtualTagModel.named("ntag424").makeTag().inReader(), .zero)
    }

    @Test func `ends with the time of the reading, and the tap is delivered`() async {
        let (driver, prover) = (driver, prover)
        async let tap = driver.tap(ReadingInterest(), prover)
        await prover.started()
        await driver.clock.sleeping(for: ReadingBounds.timeLimit)
        driver.clock.advance(by: ReadingBounds.timeLimit)
        let reading = await tap
        #expect(reading?.attempt == .mutual(.incomplete) && reading?.identity != nil)
        #expect(driver.isClosed && driver.clock.remaining == [])
    }

    @Test func `ends when a session begins`() async {
        let (driver, prover, interest) = (driver, prover, ReadingInterest())
        async let tap = driver.tap(interest, prover)
        await prover.started()
        interest.end()
        #expect(await tap?.attempt == .mutual(.incomplete))
        #expect(driver.isClosed)
    }

    @Test func `is not begun for a reading that is over`() async {
        let interest = ReadingInterest()
        interest.end()
        // It would wait for its cancellation, which has come before it.
        #expect(await driver.tap(interest, prover)?.attempt == nil)
    }
}
