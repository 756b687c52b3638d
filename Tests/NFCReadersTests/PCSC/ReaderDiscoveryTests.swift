import Dispatch
import NFCTags
import Synchronization
import TestSupport
import Testing

@testable import NFCReaders

@Suite(.timeLimit(.minutes(5))) struct `Asking readers what they are` {
    static let desk = ReaderID(rawValue: "desk")
    static let description = ReaderDescription(id: desk, name: "X 00 00", isProfileKnown: false)

    static let facts = {
        var facts = ReaderFacts()
        (facts.vendorID, facts.productID) = (0x072F, 0x2303)
        return facts
    }()

    /// Answers in turn, and counts.
    final class Answers: Sendable {
        private let answers: Mutex<[Result<ReaderFacts, CardChannelError>]>
        private let asked: AsyncStream<Void>.Continuation
        private let questions: AsyncStream<Void>
        let gate = DispatchSemaphore(value: 0)
        let hangs: Bool

        init(_ answers: [Result<ReaderFacts, CardChannelError>], hangs: Bool = false) {
            self.answers = Mutex(answers)
            self.hangs = hangs
            (questions, asked) = AsyncStream.makeStream()
        }

        var left: Int { answers.withLock(\.count) }

        func next() -> Result<ReaderFacts, CardChannelError> {
            let answer = answers.withLock { $0.isEmpty ? .failure(.readerFailed) : $0.removeFirst() }
            asked.yield()
            if hangs { gate.wait() }
            return answer
        }

        /// Returns when the next question was asked.
        func wasAsked() async { _ = await questions.first { _ in true } }
    }

    struct Setup: Sendable {
        let log = EventLog()
        let clock = TestClock()
        let answers: Answers
        let registry: ReaderRegistry

        init(_ answers: Answers) {
            self.answers = answers
            registry = ReaderRegistry(settings: [], clock: clock) { _ in answers.next() }
            let log = log
            registry.report { log.add($0) }
        }
    }

    @Test func `a reader that is plugged in is asked once, and described`() async {
        let setup = Setup(Answers([.success(Self.facts), .success(Self.facts)]))
        setup.registry.take(.attached(Self.description))
        #expect(await setup.log.next(2) == ["attached desk", "described desk acr1552u"])
        setup.registry.take(.tagLeft(Self.desk))
        #expect(await setup.log.next(1) == ["left desk"])
        #expect(setup.answers.left == 1)
        #expect(setup.clock.remaining == [])
    }

    @Test func `nothing waits for the answer, and after the deadline nobody does`() async {
        let setup = Setup(Answers([.success(Self.facts)], hangs: true))
        setup.registry.take(.attached(Self.description))
        await setup.answers.wasAsked()
        setup.registry.take(.tagArrived(TagArrival(reader: Self.desk, number: 1, answerToReset: [])))
        #expect(await setup.log.next(2) == ["attached desk", "arrived desk 1"])
        await setup.clock.sleeping(for: .seconds(5))
        setup.clock.advance(by: .seconds(5))
        setup.answers.gate.signal()
    }

    @Test func `a reader that is held is asked again as its tag leaves, five times at most`() async {
        let setup = Setup(Answers(Array(repeating: .failure(.busy), count: 10)))
        setup.registry.take(.attached(Self.description))
        for _ in 1..<ReaderDiscovery.mostAttempts {
            await setup.answers.wasAsked()
            // The answer is taken in on another thread: leaving is told until it asks again.
            let left = setup.answers.left
            while setup.answers.left == left {
                setup.registry.take(.tagLeft(Self.desk))
                await Task.yield()
            }
        }
        await setup.answers.wasAsked()
        for _ in 0..<100 {
            setup.registry.take(.tagLeft(Self.desk))
            await Task.yield()
        }
        #expect(setup.answers.left == 10 - ReaderDiscovery.mostAttempts)
    }

    @Test func `an answer of a reader that is gone is of no interest`() async {
        let setup = Setup(Answers([.success(Self.facts)], hangs: true))
        setup.registry.take(.attached(Self.description))
        await setup.answers.wasAsked()
        setup.registry.take(.detached(Self.desk))
        setup.answers.gate.signal()
        setup.registry.take(.recovered(Self.desk))
        #expect(await setup.log.next(3) == ["attached desk", "detached desk", "recovered desk"])
    }

    @Test func `a driver that knows nothing changes nothing, probing does`() async {
        let setup = Setup(Answers([.success(ReaderFacts())]))
        setup.registry.take(.attached(Self.description))
        await setup.answers.wasAsked()
        setup.registry.learn(.acr122u, of: Self.desk)
        setup.registry.learn(.acr122u, of: Self.desk)
        setup.registry.take(.tagLeft(Self.desk))
        #expect(await setup.log.next(3) == ["attached desk", "described desk acr122u", "left desk"])
    }
}
