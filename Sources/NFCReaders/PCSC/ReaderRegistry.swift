import NFCTags
import Synchronization

/// Stands between the monitor and those who follow the readers: adds to each reader what is known of it, and has it asked
/// what it is.
final class ReaderRegistry: Sendable {
    private struct State {
        var knowledge: ReaderKnowledge
        var report: @Sendable (ReaderEvent) -> Void = { _ in }
    }

    private let state: Mutex<State>
    private let discovery: ReaderDiscovery
    private let inquire: @Sendable (ReaderID) -> Result<ReaderFacts, CardChannelError>

    /// `inquire` asks a reader; it may block.
    init(
        settings: [ReaderSetting], clock: any Clock<Duration>,
        inquire: @escaping @Sendable (ReaderID) -> Result<ReaderFacts, CardChannelError>
    ) {
        state = Mutex(State(knowledge: ReaderKnowledge(settings: settings)))
        discovery = ReaderDiscovery(clock: clock)
        self.inquire = inquire
    }

    /// From now on tells of everything that happens.
    func report(to report: @escaping @Sendable (ReaderEvent) -> Void) {
        state.withLock { $0.report = report }
    }

    /// Takes in what a monitor or a worker tells, and passes it on.
    func take(_ event: ReaderEvent) {
        // Reported under the lock, so that the order stays.
        state.withLock { $0.report($0.knowledge.apply(event)) }
        switch event {
        case .attached(let reader): ask(reader.id)
        case .detached(let id): discovery.detached(id)
        case .tagLeft(let id): discovery.tagLeft(id)
        case .serviceUnavailable: discovery.allDetached()
        default: break
        }
    }

    /// Remembers what probing has shown.
    func learn(_ profile: ReaderProfile, of id: ReaderID) {
        tell { $0.learn(profile, of: id) }
    }

    /// The control code for escape commands to a reader; nil where its driver lets none pass, or was not asked yet.
    func escapeCode(of id: ReaderID) -> UInt32? { state.withLock { $0.knowledge.escapeCode(of: id) } }

    /// The configuration says something else about readers.
    func replace(settings: [ReaderSetting]) {
        state.withLock { state in
            for reader in state.knowledge.replace(settings: settings) { state.report(.described(reader)) }
        }
    }

    private func ask(_ id: ReaderID) {
        discovery.attached(id) { [inquire] in
            inquire(id)
        } found: { [weak self] facts in
            self?.tell { $0.take(facts, of: id) }
        }
    }

    private func tell(_ change: (inout ReaderKnowledge) -> ReaderDescription?) {
        state.withLock { state in
            if let description = change(&state.knowledge) { state.report(.described(description)) }
        }
    }
}
