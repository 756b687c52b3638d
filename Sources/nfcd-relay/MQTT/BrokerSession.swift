import FoundationEssentials
import Logging
import NFCProtocol
import RelayProtocol
import ServiceSupport

/// What the relay does on a connection besides publishing taps: it becomes ready, keeps the retained state up to date, and answers
/// remote commands.
actor BrokerSession {
    /// What makes the session publish something.
    private enum Signal: Sendable {
        case state
        case backlog
        case removed(RecordedTap)
        case homeAssistantStarted
        case command([UInt8], isRetained: Bool)
    }

    /// How long the state may take to come back.
    private static let probeLimit = Duration.seconds(5)
    /// The time between two looks at the backlog.
    private static let backlogInterval = Duration.seconds(30)
    /// Another program that publishes our state is corrected this often.
    private static let repairInterval = Duration.seconds(10)
    /// After a restart of Home Assistant, machines do not answer all at once.
    private static let discoverySpread = Duration.seconds(5)

    private let connection: BrokerConnection
    private let context: SinkContext
    private let settings: MQTTSettings
    private let inventory: ReaderInventory
    private let retained: RetainedTopics
    private let topics: MachineTopics
    private let birth: Birth
    private let memory: BrokerMemory
    private let time: ServiceTime
    private let signals: AsyncStream<Signal>
    private nonisolated let signal: AsyncStream<Signal>.Continuation

    private var readiness: Readiness
    private var gate: CommandGate
    private var readySince: Duration?
    private var repairedAt: Duration?
    /// What the broker has acknowledged on this connection.
    private var published: [String: Data] = [:]
    /// Why the relay ended the connection, where a person has to change something.
    private(set) var end: ConnectionEnd?

    init(
        _ connection: BrokerConnection, _ settings: MQTTSettings, _ context: SinkContext, _ inventory: ReaderInventory,
        _ retained: RetainedTopics, _ memory: BrokerMemory, birth: Birth, version: MQTTVersion, time: ServiceTime
    ) {
        self.connection = connection
        self.context = context
        self.settings = settings
        self.inventory = inventory
        self.retained = retained
        self.birth = birth
        self.memory = memory
        self.time = time
        topics = MachineTopics(context.identity)
        gate = CommandGate(settings.commands)
        readiness = Readiness(
            topic: topics.state, version: version, birth: birth, last: memory.lastBirth, probes: settings.probes)
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// How long taps could be delivered; nil where they never could.
    var lasted: Duration? { readySince.map { time.now() - $0 } }

    /// The state of the machine or its readers changed.
    nonisolated func stateChanged() { signal.yield(.state) }

    /// The tag of a tap that was published left its reader.
    nonisolated func tagLeft(_ tap: RecordedTap) { signal.yield(.removed(tap)) }

    /// Handles what the connection reports, until it ends.
    ///
    /// - Parameter ready: is called when taps can be delivered.
    func serve(_ consumer: any SinkObserver, ready: @Sendable @escaping () -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.publishSignals() }
            group.addTask { await self.watchBacklog() }
            for await event in connection.events {
                let action = handle(event)
                group.addTask { await self.perform(action, consumer, ready) }
            }
            group.cancelAll()
        }
    }

    // MARK: Becoming ready

    private func handle(_ event: BrokerEvent) -> Readiness.Action {
        switch event {
        case .connected(let answer): return readiness.connected(answer)
        case .subscribed(topics.state, let isGranted): return readiness.subscribed(isGranted: isGranted)
        case .subscribed(let topic, let isGranted):
            if !isGranted {
                context.logger.warning(
                    "\(context.consumer): the broker refuses the subscription to \(topic); allow it in its access list")
            }
        case .message(topics.state, let payload, _):
            if readySince == nil { return readiness.received(payload) }
            check(payload)
        case .message(retained.homeAssistantBirth, let payload, let isRetained):
            if !isRetained, payload == Array("online".utf8) { signal.yield(.homeAssistantStarted) }
        case .message(topics.commands, let payload, let isRetained):
            signal.yield(.command(payload, isRetained: isRetained))
        case .message: break
        }
        return .none
    }

    private func perform(
        _ action: Readiness.Action, _ consumer: any SinkObserver, _ ready: @Sendable @escaping () -> Void
    ) async {
        switch action {
        case .none: break
        case .subscribe:
            connection.subscribe(topics.state)
            if let topic = retained.homeAssistantBirth { connection.subscribe(topic) }
            if gate.isOpen { connection.subscribe(topics.commands) }
        case .publishBirth:
            let outcome = await publish(inventory.state.online(context.identity, birth))
            await perform(readiness.birthPublished(outcome), consumer, ready)
            guard (try? await time.sleep(Self.probeLimit)) != nil else { return }
            await perform(readiness.timedOut(), consumer, ready)
        case .ready(let lostTaps):
            readySince = time.now()
            // Nothing is published before the lanes have gone back: the taps of a lane stay in order. The connection is noted
            // after that is on the disk, so that a power cut in between makes the next start go back again.
            var hasGoneBack = true
            if lostTaps, settings.replayWindow > .zero {
                hasGoneBack = await consumer.receiverLostTaps(within: settings.replayWindow)
            }
            if hasGoneBack { await memory.setLastBirth(birth) }
            ready()
            await consumer.connected()
            signal.yield(.state)
        case .held(let reason):
            end = .misconfigured(reason)
            connection.stop(farewell: MachineState.offline(context.identity, birth))
        }
    }

    /// The state of this machine was published: by us, by a late will of ours, or by another program.
    private func check(_ payload: [UInt8]) {
        let state = Birth.state(payload)
        guard state?.birth != birth || state?.isOnline == false else { return }
        let now = time.now()
        guard repairedAt.map({ $0 + Self.repairInterval <= now }) ?? true else { return }
        repairedAt = now
        if let state, state.isOnline, state.birth.instance != birth.instance {
            context.logger.warning(
                "\(context.consumer): another relay publishes the state of \(topics.state); give each machine its own device in relay.toml"
            )
        }
        published[topics.state] = nil
        signal.yield(.state)
    }

    // MARK: Publishing

    private func publishSignals() async {
        for await signal in signals {
            guard readySince != nil else { continue }
            switch signal {
            case .state: await publishRetained()
            case .backlog: await publishBacklog()
            case .removed(let tap):
                let message = HomeAssistantEvent(removalOf: tap, time: Timestamp.text(time.wall())).message(
                    topics.event(of: tap.reader))
                _ = await KillPoint.around { await connection.publish(message) }
            case .homeAssistantStarted:
                try? await time.sleep(Self.discoverySpread * time.random())
                for message in retained.discovered(inventory.state) { published[message.topic] = nil }
                await publishRetained()
            case .command(let payload, let isRetained): await answer(payload, isRetained)
            }
        }
    }

    /// Publishes what the broker does not have, and deletes what is no longer wanted.
    private func publishRetained() async {
        let state = inventory.state
        let wanted = retained.wanted(state, birth)
        let topics = Set(wanted.map(\.topic))
        // Noted before they are published: a message whose topic was not noted would never be deleted.
        await memory.setTopics(retained.known.union(topics), wanted: topics)
        let noted = memory.topics
        for message in wanted where published[message.topic] != message.payload && noted.contains(message.topic) {
            guard await publish(message).isAnswered else { return }
        }
        for topic in retained.unwanted(state, wanted) where topic != self.topics.backlog {
            guard await publish(.clearing(topic)).isAnswered else { return }
        }
        await publishBacklog()
        await memory.setTopics(retained.known, wanted: topics)
    }

    private func publish(_ message: MQTTMessage) async -> PublishOutcome {
        let outcome = await KillPoint.around { await connection.publish(message) }
        if case .acknowledged(let code) = outcome, code < 0x80 {
            published[message.topic] = message.payload
            retained.published(message)
        } else if outcome.isAnswered {
            context.logger.warning(
                "\(context.consumer): the broker refuses the retained state on \(message.topic): \(outcome)")
        }
        return outcome
    }

    private func publishBacklog() async {
        let message = Backlog(await context.operations.status().consumers).message(topics.backlog)
        if published[message.topic] != message.payload { _ = await publish(message) }
    }

    private func watchBacklog() async {
        while (try? await time.sleep(Self.backlogInterval)) != nil { signal.yield(.backlog) }
    }

    // MARK: Remote commands

    private func answer(_ payload: [UInt8], _ isRetained: Bool) async {
        let reply: RemoteReply
        switch gate.judge(payload, isRetained: isRetained, now: time.wall()) {
        case .ignore(let reason):
            return context.logger.warning("\(context.consumer): remote command ignored: \(reason)")
        case .refuse(let refusal): reply = refusal
        case .execute(let name, let command):
            context.logger.notice("\(context.consumer): remote command \(name.rawValue)")
            reply = await RemoteExecution(context).execute(name, command)
        }
        let message = MQTTMessage(topic: topics.replies, payload: JSON.data(reply))
        _ = await KillPoint.around { await connection.publish(message) }
    }
}

extension PublishOutcome {
    /// Whether the broker or the library decided about the message; false where the connection is gone.
    fileprivate var isAnswered: Bool {
        switch self {
        case .acknowledged, .tooLong, .invalid: true
        case .notConnected, .cut, .cancelled: false
        }
    }
}
