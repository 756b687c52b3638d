import NFCProtocol
import NFCTypes
import Synchronization

/// Delivers each event of a connection to its session or to the observations that subscribed to it.
///
/// The events of a session may arrive before the program has taken the answer to `session.begin`. So while a request that
/// opens a route is under way, the events of unknown sessions and subscriptions wait. All other unknown ones are dropped.
final class EventRouter: Sendable {
    typealias SessionQueue = EventQueue<SessionNotification>

    /// Bytes of unread events that a session or an observation may hold; see ``NFCClient``.
    static let budget = 4 * JSONLine.maximumLength
    /// A route whose events the program does not read: the daemon is to end it.
    enum Unread: Hashable {
        /// A session.
        case session(String)
        /// A subscription to the taps of the journal.
        case taps(String)
    }

    /// The memory of an event in addition to its line.
    private static let overhead = 256
    /// The most sessions and subscriptions whose events may arrive before their name is known.
    private static let mostUnknown = 16

    private struct State {
        var sessions: [String: SessionQueue] = [:]
        var observations: [ObservationQueue] = []
        /// By the name of the subscription.
        var taps: [String: RecordedTapQueue] = [:]
        /// Requests under way that open a route.
        var opening = 0
        var earlySessions: [String: SessionQueue] = [:]
        var earlyTaps: [String: [(event: ObservedEvent, cost: Int)]] = [:]
        var earlyRecordedTaps: [String: RecordedTapQueue] = [:]
        var end: NFCClientError?
    }

    private let state = Mutex(State())

    /// Runs a request that opens a route.
    func opening<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.opening += 1 }
        defer {
            change { state, woken in
                state.opening -= 1
                guard state.opening == 0 else { return }
                (state.earlySessions, state.earlyTaps, state.earlyRecordedTaps) = ([:], [:], [:])
                finishObservations(&state, &woken)
            }
        }
        return try await body()
    }

    /// Changes the state, and then resumes the readers that have got an event.
    private func change<Value: Sendable>(_ body: (inout State, inout WokenReaders) -> Value) -> Value {
        WokenReaders.resume { woken in state.withLock { body(&$0, &woken) } }
    }

    // MARK: Routes

    /// The events of a session, from its first on.
    func open(_ session: String) -> SessionQueue {
        change { state, woken in
            let queue = state.earlySessions.removeValue(forKey: session) ?? SessionQueue(budget: Self.budget)
            if let end = state.end {
                queue.finish(with: .didInvalidate(.lost(session, because: end)), &woken)
            } else {
                state.sessions[session] = queue
            }
            return queue
        }
    }

    /// Delivers events to an observation from now on.
    func add(_ observation: ObservationQueue) {
        change { state, woken in
            state.observations.append(observation)
            if state.opening == 0 { finishObservations(&state, &woken) }
        }
    }

    /// Delivers nothing more to an observation.
    func remove(_ observation: ObservationQueue) {
        state.withLock { state in state.observations.removeAll { $0 === observation } }
    }

    /// Delivers the taps of a subscription to an observation, from the first on.
    func open(_ subscription: String, for observation: ObservationQueue) {
        change { state, woken in
            observation.subscribe(to: subscription)
            for tap in state.earlyTaps.removeValue(forKey: subscription) ?? [] {
                _ = observation.add(tap.event, cost: tap.cost, &woken)
            }
        }
    }

    /// The taps of a subscription to the journal, from the first on.
    func openTaps(_ subscription: String) -> RecordedTapQueue {
        change { state, woken in
            let queue = state.earlyRecordedTaps.removeValue(forKey: subscription) ?? RecordedTapQueue()
            if let end = state.end { queue.finish(end, &woken) } else { state.taps[subscription] = queue }
            return queue
        }
    }

    /// Delivers nothing more of a subscription to the journal.
    func closeTaps(_ subscription: String) {
        state.withLock { $0.taps[subscription] = nil }
    }

    // MARK: Delivery

    /// Delivers an event.
    ///
    /// - Parameter size: the length of its line.
    /// - Returns: a session or a subscription that is to be ended, because the program does not read its events.
    func deliver(_ event: IncomingEvent, size: Int) -> Unread? {
        let cost = size + Self.overhead
        return change { state, woken in
            switch event {
            case .session(let event): return deliver(event, cost, &state, &woken).map { .session($0) }
            case .recorded(let event): return deliver(event, cost, &state, &woken).map { .taps($0) }
            case .observed(let event):
                deliver(event, cost, &state, &woken)
                return nil
            }
        }
    }

    private func deliver(
        _ event: SessionNotification, _ cost: Int, _ state: inout State, _ woken: inout WokenReaders
    ) -> String? {
        guard let queue = queue(of: event.session, &state) else { return nil }
        if case .didInvalidate = event {
            queue.finish(with: event, &woken)
            state.sessions[event.session] = nil
            return nil
        }
        if queue.add(event, cost: cost, &woken) { return nil }
        queue.finish(with: .didInvalidate(.lost(event.session, because: .fellBehind)), &woken)
        state.sessions[event.session] = nil
        return event.session
    }

    private func queue(of session: String, _ state: inout State) -> SessionQueue? {
        if let queue = state.sessions[session] ?? state.earlySessions[session] { return queue }
        guard state.opening > 0, state.earlySessions.count < Self.mostUnknown else { return nil }
        let queue = SessionQueue(budget: Self.budget)
        state.earlySessions[session] = queue
        return queue
    }

    private func deliver(
        _ event: TapsDidRecord, _ cost: Int, _ state: inout State, _ woken: inout WokenReaders
    ) -> String? {
        guard let queue = taps(of: event.subscription, &state) else { return nil }
        if queue.add(event.tap, cost: cost, &woken) { return nil }
        queue.finish(.fellBehind, &woken)
        state.taps[event.subscription] = nil
        return event.subscription
    }

    private func taps(of subscription: String, _ state: inout State) -> RecordedTapQueue? {
        if let queue = state.taps[subscription] ?? state.earlyRecordedTaps[subscription] { return queue }
        guard state.opening > 0, state.earlyRecordedTaps.count < Self.mostUnknown else { return nil }
        let queue = RecordedTapQueue()
        state.earlyRecordedTaps[subscription] = queue
        return queue
    }

    private func deliver(
        _ event: ObservedEvent, _ cost: Int, _ state: inout State, _ woken: inout WokenReaders
    ) {
        let observations = state.observations.filter { $0.wants(event) }
        for observation in observations where !observation.add(event, cost: cost, &woken) {
            observation.finish(.fellBehind, &woken)
            state.observations.removeAll { $0 === observation }
        }
        guard observations.isEmpty, state.opening > 0, let subscription = event.subscription else { return }
        guard state.earlyTaps.values.reduce(0, { $0 + $1.count }) < Self.mostUnknown else { return }
        state.earlyTaps[subscription, default: []].append((event, cost))
    }

    private func finishObservations(_ state: inout State, _ woken: inout WokenReaders) {
        guard let end = state.end else { return }
        for observation in state.observations { observation.finish(end, &woken) }
        state.observations = []
    }

    /// The connection is over: every session ends with 202, every observation with the reason.
    func end(_ reason: NFCClientError) {
        change { state, woken in
            guard state.end == nil else { return }
            state.end = reason
            for (session, queue) in state.sessions {
                queue.finish(with: .didInvalidate(.lost(session, because: reason)), &woken)
            }
            state.sessions = [:]
            for queue in state.taps.values { queue.finish(reason, &woken) }
            state.taps = [:]
            // The taps that wait for their subscription's name are still to be delivered.
            if state.opening == 0 { finishObservations(&state, &woken) }
        }
    }
}

extension SessionDidInvalidate {
    /// The end of a session that this side has lost.
    fileprivate static func lost(_ session: String, because reason: NFCClientError) -> SessionDidInvalidate {
        let code = NFCErrorCode.sessionTerminatedUnexpectedly
        return SessionDidInvalidate(
            session: session, code: code.rawValue, name: code.name, message: code.text, detail: "\(reason)")
    }
}
