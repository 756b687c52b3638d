import Logging
import NFCProtocol
import NFCTypes
import ServiceClient
import ServiceSupport
import Synchronization
import Threading

/// Publishes taps on an MQTT broker: the sink of a `[[mqtt]]` table.
final class MQTTSink: Sink {
    /// What deliveries use.
    private struct State {
        var session: BrokerSession?
        /// The connection, once taps can be delivered.
        var ready: BrokerConnection?
        /// How often the connection was cut right after a tap was sent, by the tap's id.
        var cuts: [String: Int] = [:]
        /// The taps that Home Assistant has received, newest last: it gets each once.
        var announced: [String] = []
        /// The tags on the readers; nil without Home Assistant.
        var presence: TagPresence?
    }

    /// A connection that is cut so soon after a tap was sent may have been cut because of it.
    private static let suspiciousTime = Duration.seconds(2)
    private static let mostCuts = 3
    private static let mostAnnounced = 256

    private let settings: MQTTSettings
    private let context: SinkContext
    private let time: ServiceTime
    private let inventory: ReaderInventory
    private let topics: MachineTopics
    private let retained: RetainedTopics
    private let memory: BrokerMemory
    private let suspects = FairGate<String>()
    /// The readers whose tag left and has no tap yet.
    private let departures = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(64))
    private let state: Mutex<State>

    /// - Parameter readers: what is known of the readers before nfcd was asked.
    init(
        _ settings: MQTTSettings, _ context: SinkContext, time: ServiceTime = .system,
        readers: MachineState = MachineState()
    ) {
        self.settings = settings
        self.context = context
        self.time = time
        inventory = ReaderInventory(context.daemon, readers, time: time)
        topics = MachineTopics(context.identity)
        retained = RetainedTopics(settings, context.identity)
        memory = BrokerMemory(context)
        let presence = settings.homeAssistantPrefix.map { _ in TagPresence(bootID: Boot.current.id) }
        state = Mutex(State(presence: presence))
    }

    // MARK: Connecting

    func run(_ consumer: any SinkObserver) async {
        if settings.tls?.isInsecure == true {
            context.logger.warning(
                "\(context.consumer): insecure = true: anyone on the network can read and change what is published; set ca-file instead"
            )
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.inventory.run { self.changed($0) }
            }
            group.addTask { await self.completeDepartures() }
            await connectForever(consumer)
            group.cancelAll()
        }
    }

    private var session: BrokerSession? { state.withLock(\.session) }

    /// Something changed in nfcd.
    private func changed(_ change: ReaderInventory.Change) {
        switch change {
        case .state: session?.stateChanged()
        case .tagArrived(let reader):
            state.withLock { $0.presence?.arrived(on: reader, at: time.now() / .seconds(1)) }
        case .tagLeft(let reader):
            switch state.withLock({ $0.presence?.left(reader, at: time.now() / .seconds(1)) }) {
            case .published(let tap): session?.tagLeft(tap)
            case .unknown: departures.continuation.yield(reader)
            case .later, nil: break
            }
        }
    }

    /// Publishes the removal of tags that came before this process followed their readers: their tap is the newest in the journal.
    private func completeDepartures() async {
        for await reader in departures.stream {
            let newest = TapsList.Parameters(readers: [reader], limit: 1, newestFirst: true)
            guard let tap = try? await context.daemon.call(TapsList.self, newest).taps.first else { continue }
            let isOver = state.withLock { state in
                state.presence?.seen(tap)
                return state.presence?.announced(tap)
            }
            if isOver == true { session?.tagLeft(tap) }
        }
    }

    private func connectForever(_ consumer: any SinkObserver) async {
        let thread = ThreadExecutor()
        await memory.load()
        retained.remember(memory.topics)
        var rotation = ServerRotation(
            servers: settings.servers, clientID: settings.broker(context).clientID, forced: settings.version)
        var birth = Birth(instance: Self.randomName(), connection: 0)
        while !Task.isCancelled {
            birth.connection += 1
            let (end, lasted) = await connectOnce(rotation, birth, thread, consumer)
            guard !Task.isCancelled else { return }
            let next = rotation.ended(end, lasted: lasted, random: time.random())
            if next.isHeld {
                await consumer.held(next.reason)
            } else {
                await consumer.disconnected(next.reason)
            }
            try? await time.sleep(next.wait)
        }
    }

    /// Connects, and returns why the connection ended and how long taps could be delivered.
    private func connectOnce(
        _ rotation: ServerRotation, _ birth: Birth, _ thread: ThreadExecutor, _ consumer: any SinkObserver
    ) async -> (ConnectionEnd, Duration?) {
        let broker = settings.broker(context)
        let connection = BrokerConnection(queue: broker.limits.incomingQueue, time: time)
        let farewell = MachineState.offline(context.identity, birth)
        let plan = ConnectionPlan(
            server: rotation.server, settings: broker, version: rotation.version,
            password: settings.password?.lines.first, will: farewell, triesServerFirst: rotation.hasFailed)
        let session = BrokerSession(
            connection, settings, context, inventory, retained, memory, birth: birth, version: plan.version, time: time)
        state.withLock { $0.session = session }
        async let end = connection.run(plan, on: thread, farewell: farewell)
        await session.serve(consumer) { self.state.withLock { $0.ready = connection } }
        let result = await end
        state.withLock { ($0.session, $0.ready) = (nil, nil) }
        return (await session.end ?? result, await session.lasted)
    }

    private static func randomName() -> String {
        Hexadecimal.string((0..<4).map { _ in UInt8.random(in: .min ... .max) }).lowercased()
    }

    // MARK: Delivering

    func deliver(_ event: TapEvent) async -> Delivery {
        // An old tap, delivered again on request, is not of the tag that is there now.
        if !event.isReplay { state.withLock { $0.presence?.seen(event.tap) } }
        let topic = settings.topic.topic(context.identity, event.tap)
        let message = MQTTMessage(topic: topic, payload: event.cloudEvent, content: .cloudEvent)
        let delivery = await publish(message, id: event.tap.id)
        guard case .delivered = delivery else { return delivery }
        if let reason = await announce(event) { return .retry(reason) }
        if state.withLock({ $0.presence?.announced(event.tap) }) == true { session?.tagLeft(event.tap) }
        return delivery
    }

    func deliver(_ notice: RelayNotice) async -> Delivery {
        let topic = settings.topic.topic(context.identity, reader: notice.reader)
        return await publish(
            MQTTMessage(topic: topic, payload: notice.cloudEvent, content: .cloudEvent), id: notice.id)
    }

    /// Publishes a message. One that may have made the broker cut the connection is sent alone, so that others in flight are not
    /// taken for the cause.
    private func publish(_ message: MQTTMessage, id: String) async -> Delivery {
        let isSuspect = state.withLock { $0.cuts[id] != nil }
        guard isSuspect else { return await publishNow(message, id) }
        return await suspects.run(for: id) { await publishNow(message, id) }
    }

    private func publishNow(_ message: MQTTMessage, _ id: String) async -> Delivery {
        guard let connection = state.withLock(\.ready) else { return .retry("there is no connection to the broker") }
        let start = time.now()
        let outcome = await connection.publish(message)
        switch outcome {
        case .acknowledged(let code):
            state.withLock { $0.cuts[id] = nil }
            return ReasonCode.delivery(code, message.topic, waitsForSubscriber: settings.noSubscriber == .wait)
        case .tooLong(let limit):
            return .unacceptable(
                "the tap makes a packet of \(message.packetSize) bytes, and the broker takes \(limit); raise its limit")
        case .invalid(let reason): return .unacceptable(reason)
        case .notConnected: return .retry("there is no connection to the broker")
        case .cancelled: return .retry("the delivery was cancelled")
        case .cut(let reason): return cut(id, reason, after: time.now() - start)
        }
    }

    private func cut(_ id: String, _ reason: String, after time: Duration) -> Delivery {
        guard time < Self.suspiciousTime else { return .retry(reason) }
        let cuts = state.withLock { state in
            state.cuts[id, default: 0] += 1
            defer { if state.cuts[id] == Self.mostCuts { state.cuts[id] = nil } }
            return state.cuts[id] ?? 0
        }
        guard cuts >= Self.mostCuts else { return .retry(reason) }
        return .unacceptable("the broker ended the connection \(cuts) times right after this tap: \(reason)")
    }

    /// Publishes a tap for Home Assistant, where it is new; returns why it has to be tried again.
    private func announce(_ event: TapEvent) async -> String? {
        guard settings.homeAssistantPrefix != nil, let readerEvent = HomeAssistantEvent(event),
            let connection = state.withLock({ $0.announced.contains(event.tap.id) ? nil : $0.ready })
        else { return nil }
        let message = readerEvent.message(topics.event(of: event.tap.reader))
        switch await KillPoint.around({ await connection.publish(message) }) {
        case .cut(let reason): return reason
        case .notConnected: return "there is no connection to the broker"
        case .acknowledged, .tooLong, .invalid, .cancelled:
            state.withLock { $0.announced = $0.announced.suffix(Self.mostAnnounced - 1) + [event.tap.id] }
            return nil
        }
    }
}
