import NFCTags
import PCSC
import Synchronization

/// Asks each reader once what it is, beside everything else that goes on: each inquiry has a thread and a connection of its
/// own, so that no tag waits for it. While somebody holds the reader it is refused; then it is tried again as the tag leaves.
final class ReaderDiscovery: Sendable {
    typealias Inquiry = @Sendable () -> Result<ReaderFacts, CardChannelError>

    private struct Errand {
        let number: Int
        let inquiry: Inquiry
        let found: @Sendable (ReaderFacts) -> Void
        var attempts = 0
        var isRunning = false
    }

    private struct State {
        var errands: [ReaderID: Errand] = [:]
        var count = 0

        /// What to do now for a reader, if it is neither being asked nor given up.
        mutating func begin(_ id: ReaderID) -> Errand? {
            guard let errand = errands[id], !errand.isRunning else { return nil }
            errands[id]?.isRunning = true
            errands[id]?.attempts += 1
            return errand
        }

        /// The errand that is over; nil where nobody is interested any more.
        mutating func end(_ id: ReaderID, _ number: Int, again: Bool) -> Errand? {
            guard let errand = errands[id], errand.number == number else { return nil }
            errands[id]?.isRunning = false
            if !again || errand.attempts >= ReaderDiscovery.mostAttempts { errands[id] = nil }
            return errand
        }
    }

    /// How long an inquiry may take.
    static let limit = Duration.seconds(5)
    /// A reader that is held by others each time is left alone in the end.
    static let mostAttempts = 5

    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// The clock is for the deadlines.
    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// A reader was plugged in: it is asked, and `found` is called with the answer if it is still there then.
    func attached(
        _ id: ReaderID, inquiry: @escaping Inquiry, found: @escaping @Sendable (ReaderFacts) -> Void
    ) {
        state.withLock { state in
            state.count += 1
            state.errands[id] = Errand(number: state.count, inquiry: inquiry, found: found)
        }
        start(id)
    }

    /// A tag has left, and with it perhaps the one who held the reader.
    func tagLeft(_ id: ReaderID) {
        start(id)
    }

    /// A reader was unplugged.
    func detached(_ id: ReaderID) {
        state.withLock { $0.errands[id] = nil }
    }

    /// Every reader is gone.
    func allDetached() {
        state.withLock { $0.errands = [:] }
    }

    private func start(_ id: ReaderID) {
        guard let errand = state.withLock({ $0.begin(id) }) else { return }
        Task {
            let thread = InquiryThread()
            // An answer that comes after the deadline is of no use; the thread ends by itself.
            let result = await withDeadline(Self.limit, clock: clock) { await thread.run(errand.inquiry) }
            finish(id, errand.number, result ?? .failure(.busy))
        }
    }

    private func finish(_ id: ReaderID, _ number: Int, _ result: Result<ReaderFacts, CardChannelError>) {
        let errand = state.withLock { $0.end(id, number, again: result == .failure(.busy)) }
        if case .success(let facts) = result { errand?.found(facts) }
    }
}

/// The thread on which one inquiry blocks.
actor InquiryThread {
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init() {
        executor = ThreadExecutor()
    }

    func run<Value: Sendable>(
        _ inquiry: @Sendable () -> Result<Value, CardChannelError>
    ) -> Result<Value, CardChannelError> { inquiry() }
}

/// Asks a PC/SC reader for what it is (PC/SC Part 10), over a connection to the reader itself: no tag is needed, and none
/// is touched.
enum ReaderInquiry {
    /// The facts; a driver that gives none, as vpcd, is no error.
    static func run(_ name: ReaderName) -> Result<ReaderFacts, CardChannelError> {
        do throws(PCSCError) {
            let context = try Context()
            let reader = try context.connectDirectly(to: name)
            let features = ReaderFeatures(
                try answer { () throws(PCSCError) in try reader.control(ReaderFeatures.request) })
            let properties = ReaderProperties(
                try answer { () throws(PCSCError) in
                    try features.code(.properties).map { (code) throws(PCSCError) in try reader.control(code) } ?? []
                })
            let serial = try answer { () throws(PCSCError) in try reader.attribute(.serialNumber) }
            return .success(ReaderFacts(features: features, properties: properties, serial: serial))
        } catch {
            return .failure(CardChannelError(error))
        }
    }

    /// One escape command; the reader's answer.
    static func escape(
        _ command: [UInt8], code: UInt32, to name: ReaderName
    ) -> Result<[UInt8], CardChannelError> {
        do throws(PCSCError) {
            let context = try Context()
            let reader = try context.connectDirectly(to: name)
            return .success(try reader.control(code, command))
        } catch {
            return .failure(CardChannelError(error))
        }
    }

    /// What was asked for; nothing where the driver does not have it.
    private static func answer(_ ask: () throws(PCSCError) -> [UInt8]) throws(PCSCError) -> [UInt8] {
        do throws(PCSCError) {
            return try ask()
        } catch {
            guard error.code.kind == .other else { throw error }
            return []
        }
    }
}

extension CardChannelError {
    /// What a failed call of PC/SC means for those who wait for it.
    init(_ error: PCSCError) {
        self =
            switch error.code.kind {
            case .tagLost, .tagReset: .tagLost
            case .busy: .busy
            case .readerLost, .serviceLost: .readerFailed
            case .refused, .other: .transport(code: error.code.rawValue, message: "\(error)")
            }
    }
}
