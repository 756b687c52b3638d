import NFCReaders
import NFCTags
import PCSC
import Synchronization

/// The readers of pcscd, shared by the monitor, the workers and the driver: reports every event with the reader's full
/// description, and asks each new reader for its facts.
///
/// An inquiry has its own thread and connection, so it delays no tag. It fails while another program holds the reader,
/// and is repeated when the next tag leaves.
final class ReaderRegistry: Sendable {
    private struct State {
        var service: ServiceWatch
        var watch = ReaderWatch()
        var knowledge: ReaderKnowledge
        var report: @Sendable (ReaderEvent) -> Void = { _ in }
    }

    /// The time limit of an inquiry or an escape command.
    static let inquiryLimit = Duration.seconds(5)

    private let state: Mutex<State>
    private let clock: any Clock<Duration>
    private let uptime: Stopwatch
    private let timer: DeadlineTimer
    private let inquire: @Sendable (ReaderName) -> Result<ReaderFacts, CardChannelError>

    /// Creates a registry without readers.
    ///
    /// - Parameters:
    ///   - settings: the configuration of readers.
    ///   - clock: the clock for deadlines.
    ///   - inquire: asks a reader for its facts; it may block.
    init(
        settings: [ReaderSetting], clock: any Clock<Duration>,
        inquire: @escaping @Sendable (ReaderName) -> Result<ReaderFacts, CardChannelError>
    ) {
        state = Mutex(State(service: ServiceWatch(), knowledge: ReaderKnowledge(settings: settings)))
        self.clock = clock
        uptime = Stopwatch(clock)
        timer = DeadlineTimer(clock)
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

    /// Whether nfcd is connected to a reader itself, to ask for its facts.
    func isInquiring(_ id: ReaderID) -> Bool { state.withLock { $0.knowledge.isInquiring(id) } }

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

    /// The monitor tries to reach pcscd. An attempt that takes long is reported until the task is cancelled.
    func serviceAttempt() -> Task<Void, Never> {
        let number = state.withLock { $0.service.began() }
        return Task { [clock] in
            guard (try? await clock.sleep(for: ServiceWatch.patience)) != nil else { return }
            take { $0.service.isSlow(number) }
            let rest = ServiceWatch.startLimit - ServiceWatch.patience
            guard (try? await clock.sleep(for: rest)) != nil else { return }
            take { $0.service.isTooSlow(number) }
        }
    }

    /// The monitor is connected to pcscd, which lists these readers. Returns the states for the first wait.
    func serviceStarted(with names: [ReaderName]) -> [ReaderState] {
        // The readers first: a session that waits for the service must find them.
        take { $0.watch.list(names) + $0.service.succeeded() }
        return state.withLock { $0.watch.states }
    }

    /// The monitor did not reach pcscd, or lost it and with it every reader.
    func serviceFailed(_ error: PCSCError) {
        take { state in
            state.watch = ReaderWatch()
            return state.service.failed(error, at: uptime.elapsed)
        }
    }

    /// Takes the readers that pcscd lists, and returns the states for the next wait.
    func list(_ names: [ReaderName]) -> [ReaderState] {
        take { $0.watch.list(names) }
        return state.withLock { $0.watch.states }
    }

    /// Takes the states that a wait returned.
    func update(_ states: [ReaderState]) {
        take { $0.watch.update(states) }
    }

    private func take(_ change: (inout State) -> [ReaderEvent]) {
        let events = state.withLock { state in
            let events = change(&state)
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

/// The readers and cards that pcscd reports, and the events that follow from each report. A value: no I/O.
struct ReaderWatch {
    private struct Watched {
        let id: ReaderID
        var state: ReaderState
        var presence = Presence.none
    }

    private enum Presence: Hashable {
        case none
        case mute
        case unavailable
        case tag(counter: UInt16)
    }

    private var readers: [ReaderName: Watched] = [:]
    private var order: [ReaderName] = []
    private var pnp = ReaderState(name: .plugAndPlayNotification)
    private var arrivals: UInt64 = 0

    /// The states for the next wait: the notification of added and removed readers, then each reader.
    var states: [ReaderState] {
        [pnp] + order.compactMap { readers[$0]?.state }
    }

    /// The PC/SC name of a reader; nil if it is not attached.
    func name(of id: ReaderID) -> ReaderName? {
        readers.first { $0.value.id == id }?.key
    }

    /// Takes the names that pcscd lists now.
    mutating func list(_ names: [ReaderName]) -> [ReaderEvent] {
        let visible = names.filter { !ReaderNaming("\($0)").isSecureAccessModule }
        let gone = order.filter { !visible.contains($0) }
        let new = visible.filter { readers[$0] == nil }
        return gone.compactMap { detach($0) } + new.map { attach($0) }
    }

    /// Takes the states that a wait returned.
    mutating func update(_ states: [ReaderState]) -> [ReaderEvent] {
        states.flatMap { state in
            var state = state
            state.acknowledge()
            guard state.name != .plugAndPlayNotification else {
                pnp = state
                return [ReaderEvent]()
            }
            return apply(state)
        }
    }

    private mutating func attach(_ name: ReaderName) -> ReaderEvent {
        let naming = ReaderNaming("\(name)")
        let id = unusedID(naming.slug)
        readers[name] = Watched(id: id, state: ReaderState(name: name))
        order.append(name)
        return .attached(
            ReaderDescription(id: id, name: "\(name)", isProfileKnown: false, serial: naming.serial))
    }

    private mutating func detach(_ name: ReaderName) -> ReaderEvent? {
        order.removeAll { $0 == name }
        return readers.removeValue(forKey: name).map { .detached($0.id) }
    }

    /// Two readers of one model without serial numbers differ only in the order in which they were plugged in.
    private func unusedID(_ slug: String) -> ReaderID {
        let used = Set(readers.values.map(\.id))
        let candidates = (1...).lazy.map { ReaderID(rawValue: $0 == 1 ? slug : "\(slug)-\($0)") }
        return candidates.first { !used.contains($0) } ?? ReaderID(rawValue: slug)
    }

    private mutating func apply(_ state: ReaderState) -> [ReaderEvent] {
        guard var watched = readers[state.name] else { return [] }
        let before = watched.presence
        watched.state = state
        watched.presence = presence(in: state)
        readers[state.name] = watched
        guard watched.presence != before else { return [] }
        return leaving(before, watched.id) + arriving(watched)
    }

    private func presence(in state: ReaderState) -> Presence {
        if state.event.contains(.unknown) { return .none }
        if state.event.contains(.unavailable) { return .unavailable }
        guard state.event.contains(.present) else { return .none }
        if state.event.contains(.mute) { return .mute }
        return .tag(counter: state.event.cardCounter)
    }

    private func leaving(_ presence: Presence, _ id: ReaderID) -> [ReaderEvent] {
        switch presence {
        case .none, .mute: []
        case .unavailable: [.recovered(id)]
        case .tag: [.tagLeft(id)]
        }
    }

    private mutating func arriving(_ watched: Watched) -> [ReaderEvent] {
        switch watched.presence {
        case .none: return []
        case .mute: return [.tagMute(watched.id)]
        case .unavailable:
            return [.failed(watched.id, reason: "its driver cannot access it; unplug it and plug it in again")]
        case .tag:
            arrivals += 1
            return [
                .tagArrived(
                    TagArrival(
                        reader: watched.id, number: arrivals, answerToReset: watched.state.answerToReset))
            ]
        }
    }
}

/// The parts of a pcsc-lite reader name: `<driver name> [<interface>] (<serial>) <index> <slot>`.
///
/// The index depends on the order in which readers are plugged in, so it is not part of the reader's identity.
struct ReaderNaming: Hashable {
    /// The name without index and slot.
    let base: String
    /// The slot of the reader, usually 0.
    let slot: Int
    /// The part in the last parentheses, where drivers put the serial number.
    let serial: String?

    init(_ name: String) {
        let words = name.split(separator: " ")
        let numbers = words.suffix(2).map { $0.count == 2 ? Int($0, radix: 16) : nil }
        if words.count > 2, numbers.count == 2, numbers[0] != nil, let slot = numbers[1] {
            base = words.dropLast(2).joined(separator: " ")
            self.slot = slot
        } else {
            base = name
            slot = 0
        }
        serial = Self.parenthesised(base)
    }

    /// Whether this is the slot of a secure access module, which pcscd lists like a reader.
    var isSecureAccessModule: Bool {
        base.split { !$0.isLetter }.contains("SAM")
    }

    /// Lower-case words joined by dashes, then the slot: `acs-acr122u-picc-interface-0`.
    var slug: String {
        let words = base.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return (words.isEmpty ? ["reader"] : words).joined(separator: "-") + "-\(slot)"
    }

    private static func parenthesised(_ text: String) -> String? {
        guard let open = text.lastIndex(of: "("), let close = text.lastIndex(of: ")"), open < close else { return nil }
        let inside = text[text.index(after: open)..<close]
        return inside.isEmpty ? nil : String(inside)
    }
}
