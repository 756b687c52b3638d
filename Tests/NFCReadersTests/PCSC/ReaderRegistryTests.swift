import Dispatch
import NFCTags
import PCSC
import Synchronization
import TestSupport
import Testing

@testable import NFCReaders
@testable import PCSCReaders

@Suite(.timeLimit(.minutes(20))) struct `The registry of readers` {
    static let name = ReaderName("Desk 00 00")
    static let desk = ReaderID(rawValue: "desk-0")

    static let facts = {
        var facts = ReaderFacts()
        (facts.vendorID, facts.productID) = (0x072F, 0x2303)
        return facts
    }()

    /// Gives the answers one after another.
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

        /// Attaches the reader, and returns the states to wait for.
        @discardableResult
        func attach() -> [ReaderState] { registry.list([`The registry of readers`.name]) }
    }

    @Test func `keeps the PC/SC names of attached readers`() {
        let setup = Setup(Answers([]))
        let states = setup.attach()
        #expect(states.map(\.name) == [.plugAndPlayNotification, Self.name])
        #expect(setup.registry.name(of: Self.desk) == Self.name)
        #expect(setup.registry.name(of: ReaderID(rawValue: "door-0")) == nil)
        setup.registry.serviceFailed(PCSCError(code: .noService, operation: "SCardGetStatusChange"))
        #expect(setup.registry.name(of: Self.desk) == nil)
    }

    @Test func `asks a new reader for its facts once, and describes it`() async {
        let setup = Setup(Answers([.success(Self.facts), .success(Self.facts)]))
        setup.attach()
        #expect(await setup.log.next(2) == ["attached desk-0", "described desk-0 acr1552u"])
        setup.registry.take(.tagLeft(Self.desk))
        #expect(await setup.log.next(1) == ["left desk-0"])
        #expect(setup.answers.left == 1)
        #expect(setup.clock.remaining == [])
    }

    @Test func `delays no event until the answer, and ignores it after the deadline`() async {
        let setup = Setup(Answers([.success(Self.facts)], hangs: true))
        setup.attach()
        await setup.answers.wasAsked()
        setup.registry.take(.tagArrived(TagArrival(reader: Self.desk, number: 1, answerToReset: [])))
        #expect(await setup.log.next(2) == ["attached desk-0", "arrived desk-0 1"])
        await setup.clock.sleeping(for: .seconds(5))
        setup.clock.advance(by: .seconds(5))
        setup.answers.gate.signal()
    }

    @Test func `asks a busy reader again when its tag leaves, five times at most`() async {
        let setup = Setup(Answers(Array(repeating: .failure(.busy), count: 10)))
        setup.attach()
        for _ in 1..<ReaderKnowledge.maximumInquiries {
            await setup.answers.wasAsked()
            // Another thread processes the answer: report a leaving tag until the reader is asked again.
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
        #expect(setup.answers.left == 10 - ReaderKnowledge.maximumInquiries)
    }

    @Test func `ignores the answer of a detached reader`() async {
        let setup = Setup(Answers([.success(Self.facts)], hangs: true))
        setup.attach()
        await setup.answers.wasAsked()
        _ = setup.registry.list([])
        setup.answers.gate.signal()
        setup.registry.take(.recovered(Self.desk))
        #expect(await setup.log.next(3) == ["attached desk-0", "detached desk-0", "recovered desk-0"])
    }

    @Test func `describes a reader without facts only after a probe`() async {
        let setup = Setup(Answers([.success(ReaderFacts())]))
        setup.attach()
        await setup.answers.wasAsked()
        setup.registry.take(probed: .acr122u, of: Self.desk)
        setup.registry.take(probed: .acr122u, of: Self.desk)
        setup.registry.take(.tagLeft(Self.desk))
        #expect(await setup.log.next(3) == ["attached desk-0", "described desk-0 acr122u", "left desk-0"])
    }
}
