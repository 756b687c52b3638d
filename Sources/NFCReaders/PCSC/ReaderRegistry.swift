import NFCTags
import PCSC
import Synchronization

/// The readers of pcscd, shared by the monitor, the workers and the driver: reports every event with the reader's full
/// description, and asks each new reader for its facts.
///
/// An inquiry has a thread and a connection of its own, so it delays no tag. It fails while another program holds the reader,
/// and is repeated when the next tag leaves.
final class ReaderRegistry: Sendable {
    private struct State {
        var watch = ReaderWatch()
        var knowledge: ReaderKnowledge
        var report: @Sendable (ReaderEvent) -> Void = { _ in }
    }

    /// The time limit of an inquiry or an escape command.
    static let inquiryLimit = Duration.seconds(5)

    private let state: Mutex<State>
    private let timer: DeadlineTimer
    private let inquire: @Sendable (ReaderName) -> Result<ReaderFacts, CardChannelError>

    /// Creates a registry without readers.
    ///
    /// - Parameters:
    ///   - settings: the configuration of readers.
    ///   - timer: the deadlines of inquiries.
    ///   - inquire: asks a reader for its facts; it may block.
    init(
        settings: [ReaderSetting], timer: DeadlineTimer,
        inquire: @escaping @Sendable (ReaderName) -> Result<ReaderFacts, CardChannelError>
    ) {
        state = Mutex(State(knowledge: ReaderKnowledge(settings: settings)))
        self.timer = timer
        self.inquire = inquire
    }

    /// Sets the function that receives all further events, in order.
    func report(to report: @escaping @Sendable (ReaderEvent) -> Void) {
        state.withLock { $0.report = report }
    }

    /// The PC/SC name of a reader; nil if it is not attached.
    func name(of id: ReaderID) -> ReaderName? { state.withLock { $0.watch.name(of: id) } }

    /// The control code for escape commands to a reader; nil if its driver does not allow them, or was not asked yet.
    func escapeCode(of id: ReaderID) -> UInt32? { state.withLock { $0.knowledge.escapeCode(of: id) } }

    /// Takes an event of a reader's worker.
    func take(_ event: ReaderEvent) {
        take { _ in [event] }
    }

    /// Takes the result of a probe.
    func take(probed profile: ReaderProfile, of id: ReaderID) {
        describe { $0.take(probed: profile, of: id) }
    }

    /// Replaces the configuration.
    func replace(settings: [ReaderSetting]) {
        state.withLock { state in
            for reader in state.knowledge.replace(settings: settings) { state.report(.described(reader)) }
        }
    }

    // MARK: The monitor

    /// The monitor is connected to pcscd.
    func serviceStarted() {
        take { _ in [.serviceAvailable] }
    }

    /// The monitor lost pcscd, and with it every reader. Without a reason the loss is not reported.
    func serviceLost(_ reason: String?) {
        take { watch in
            watch = ReaderWatch()
            return reason.map { [.serviceUnavailable(reason: $0)] } ?? []
        }
    }

    /// Takes the readers that pcscd lists, and returns the states for the next wait.
    func list(_ names: [ReaderName]) -> [ReaderState] {
        take { $0.list(names) }
        return state.withLock { $0.watch.states }
    }

    /// Takes the states that a wait returned.
    func update(_ states: [ReaderState]) {
        take { $0.update(states) }
    }

    private func take(_ change: (inout ReaderWatch) -> [ReaderEvent]) {
        let events = state.withLock { state in
            let events = change(&state.watch)
            // Reported under the lock to keep the order.
            for event in events { state.report(state.knowledge.apply(event)) }
            return events
        }
        for event in events {
            switch event {
            case .attached(let reader): startInquiry(of: reader.id)
            case .tagLeft(let id): startInquiry(of: id)
            default: break
            }
        }
    }

    private func startInquiry(of id: ReaderID) {
        let due = state.withLock { state in
            state.watch.name(of: id).flatMap { name in
                state.knowledge.beginInquiry(of: id).map { (name: name, number: $0) }
            }
        }
        guard let due else { return }
        Task {
            let result = await timer.result(within: Self.inquiryLimit, ofBlocking: { [inquire] in inquire(due.name) })
            describe { $0.endInquiry(of: id, number: due.number, result ?? .failure(.busy)) }
        }
    }

    private func describe(_ change: (inout ReaderKnowledge) -> ReaderDescription?) {
        state.withLock { state in
            if let description = change(&state.knowledge) { state.report(.described(description)) }
        }
    }
}
