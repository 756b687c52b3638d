import NFCTags
import PCSC
import TestSupport
import Testing

@testable import NFCReaders
@testable import PCSCReaders

@Suite(.timeLimit(.minutes(20))) struct `The start of pcscd` {
    private static let refusal = PCSCError(code: .securityViolation, operation: "SCardEstablishContext")
    private static let brokenConnection = PCSCError(code: .communicationError, operation: "SCardEstablishContext")
    private static let absence = PCSCError(code: .noService, operation: "SCardEstablishContext")
    private static let loss = PCSCError(code: .noService, operation: "SCardGetStatusChange")

    /// A registry whose events are recorded.
    private struct Setup: Sendable {
        let log = EventLog()
        let clock = TestClock()
        let registry: ReaderRegistry

        init() {
            registry = ReaderRegistry(settings: [], clock: clock) { _ in .failure(.readerFailed) }
            let log = log
            registry.report { log.add($0) }
        }

        var words: [String] { log.all.map(\.words) }
    }

    @Test func `is the state until the first attempt succeeds`() {
        let setup = Setup()
        let attempt = setup.registry.serviceAttempt()
        #expect(setup.words == [])
        #expect(setup.registry.serviceStarted(with: []).map(\.name) == [.plugAndPlayNotification])
        attempt.cancel()
        #expect(setup.words == ["available"])
    }

    @Test func `ends when the readers have been reported`() {
        let setup = Setup()
        _ = setup.registry.serviceStarted(with: [ReaderName("Desk 00 00")])
        #expect(setup.words == ["attached desk-0", "available"])
    }

    @Test func `ends without the service at once if nothing accepts connections`() {
        let setup = Setup()
        setup.registry.serviceFailed(Self.absence)
        setup.registry.serviceFailed(Self.absence)
        #expect(setup.log.all == [.serviceUnavailable(reason: "\(Self.absence)")])
    }

    @Test func `ends after 30 seconds without an answer, and a late answer still counts`() async {
        let setup = Setup()
        let attempt = setup.registry.serviceAttempt()
        await setup.clock.sleeping(for: ServiceWatch.patience)
        setup.clock.advance(by: ServiceWatch.patience)
        await setup.clock.sleeping()
        setup.clock.advance(by: ServiceWatch.startLimit - ServiceWatch.patience - .milliseconds(1))
        #expect(setup.words == [])
        setup.clock.advance(by: .milliseconds(1))
        #expect(await setup.log.next(1) == ["unavailable"])
        _ = setup.registry.serviceStarted(with: [])
        attempt.cancel()
        #expect(setup.words == ["unavailable", "available"])
    }

    @Test func `is reported again if pcscd is started again and does not answer at once`() async {
        let setup = Setup()
        _ = setup.registry.serviceStarted(with: [])
        setup.registry.serviceFailed(Self.loss)
        let attempt = setup.registry.serviceAttempt()
        await setup.clock.sleeping(for: ServiceWatch.patience)
        setup.clock.advance(by: ServiceWatch.patience)
        #expect(await setup.log.next(3) == ["available", "unavailable", "starting"])
        _ = setup.registry.serviceStarted(with: [])
        attempt.cancel()
        #expect(setup.words == ["available", "unavailable", "starting", "available"])
    }

    @Test(arguments: [refusal, brokenConnection])
    func `includes refusals for five seconds, since polkit may not have loaded its rules`(error: PCSCError) {
        let setup = Setup()
        setup.registry.serviceFailed(error)
        setup.clock.advance(by: .milliseconds(4_999))
        setup.registry.serviceFailed(error)
        #expect(setup.words == [])
        setup.clock.advance(by: .milliseconds(1))
        setup.registry.serviceFailed(error)
        setup.registry.serviceFailed(error)
        #expect(setup.log.all == [.serviceUnavailable(reason: "\(error)")])
    }

    @Test func `is over for an attempt that has ended`() {
        var watch = ServiceWatch()
        let number = watch.began()
        #expect(watch.succeeded() == [.serviceAvailable])
        #expect(watch.isSlow(number) == [])
        #expect(watch.isTooSlow(number) == [])
        #expect(watch.failed(Self.loss, at: .zero) == [.serviceUnavailable(reason: "\(Self.loss)")])
        #expect(watch.isSlow(number) == [])
    }
}
