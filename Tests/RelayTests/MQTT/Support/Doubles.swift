import FoundationEssentials
import Logging
import NDEF
import NFCClient
import NFCProtocol
import RelayProtocol
import ServiceClient
import ServiceSupport
import Synchronization
import Threading

@testable import nfcd_relay

/// Collects what a sink reports.
final class ObserverDouble: SinkObserver {
    enum Report: Sendable, Hashable {
        case connected
        case disconnected(String)
        case held(String)
        case lostTaps(Duration)
    }

    private let reports: AsyncStream<Report>
    private let writer: AsyncStream<Report>.Continuation
    private struct Hook {
        let body: @Sendable () async -> Void
    }

    private let hook = Mutex<Hook?>(nil)

    init() {
        (reports, writer) = AsyncStream.makeStream()
    }

    func connected() { writer.yield(.connected) }
    func disconnected(_ reason: String) { writer.yield(.disconnected(reason)) }
    func held(_ reason: String) { writer.yield(.held(reason)) }
    func receiverLostTaps(within window: Duration) async -> Bool {
        await hook.withLock(\.self)?.body()
        writer.yield(.lostTaps(window))
        return canSave.withLock(\.self)
    }

    /// Whether the consumer can store that it went back.
    let canSave = Mutex(true)

    /// From now on this is done while the consumer goes back to the taps that the receiver lost.
    func whenGoingBack(_ body: @escaping @Sendable () async -> Void) { hook.withLock { $0 = Hook(body: body) } }

    /// The reports up to the first that is wanted.
    func reports(until isWanted: (Report) -> Bool) async -> [Report] {
        var seen: [Report] = []
        for await report in reports {
            seen.append(report)
            if isWanted(report) { break }
        }
        return seen
    }
}

/// The relay around a sink, which does nothing.
struct OperationsDouble: RelayOperations {
    var consumers: [RelayStatus.Consumer] = []

    func status() async -> RelayStatus.Result {
        RelayStatus.Result(version: "0", daemonConnected: true, daemonError: nil, consumers: consumers)
    }
    func metrics() async -> String { "nfcd_relay_backlog 0\n" }
    func test(_ consumer: String) async throws(RPCError) -> RelayTest.Result { .init(delivered: false, detail: "") }
    func parked(_ consumer: String?) async throws(RPCError) -> [RelayParked.Tap] { [] }
    func unpark(_ parameters: RelayUnpark.Parameters) async throws(RPCError) -> Int { 0 }
    func pause(_ consumer: String, _ isPaused: Bool) async throws(RPCError) {}
    func replay(_ consumer: String, after sequence: Int64) async throws(RPCError) {}
}

/// A memory that lasts as long as the value.
final class MemoryDouble: SinkMemory {
    private let notes = Mutex<[String: String]>([:])

    func note(_ key: String, of consumer: String) -> String? { notes.withLock { $0[consumer + key] } }
    func setNote(_ value: String, for key: String, of consumer: String) {
        notes.withLock { $0[consumer + key] = value }
    }
}

extension SinkContext {
    /// The context of a sink in a test: nfcd is not there.
    static func double(
        device: String = "desk", consumer: String = "main", operations: OperationsDouble = .init(),
        memory: MemoryDouble = .init()
    )
        -> SinkContext
    {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return SinkContext(
            consumer: consumer, identity: RelayIdentity(site: "lab", device: device),
            daemon: DaemonLink(SocketEndpoint(path: "/nonexistent/nfcd.sock"), time: .system, logger: logger),
            logger: logger, operations: operations, memory: memory)
    }
}

extension ServiceTime {
    /// The time of the system, with the shortest waits.
    static let impatient = ServiceTime(
        now: ServiceTime.system.now, sleep: { try await Task.sleep(for: min($0, .milliseconds(500))) }, random: { 0.05 }
    )
}

extension RecordedTap {
    /// A tap on a reader of a test.
    static func sample(
        _ sequence: Int64 = 1, reader: String = "desk-1", identifier: [UInt8] = [0x04, 0xA1, 0x22, 0x80],
        message: NDEFMessage? = nil, error: SessionDidDetectNDEFs.Failure? = nil, isRead: Bool = true
    ) -> RecordedTap {
        RecordedTap(
            sequence: sequence, id: "019ab0c4-0000-7000-8000-\(100_000_000_000 + sequence)",
            time: "2026-01-02T03:04:05.678Z", reader: reader, readerName: "Desk Reader", readerSequence: sequence,
            tag: Tag(type: .miFare, technology: "NTAG215", identifier: HexBytes(identifier)), message: message,
            error: error,
            status: isRead ? .readWrite : nil, capacity: nil, session: nil, epoch: "e", bootID: "b", bootTime: 1,
            clock: .synchronised)
    }
}

extension TapEvent {
    /// A tap on its way.
    static func sample(
        _ tap: RecordedTap = .sample(), attempt: Int = 0, isReplay: Bool = false, age: Duration? = .zero,
        size: Int? = nil
    ) -> TapEvent {
        let padding = String(repeating: "x", count: size ?? 0)
        return TapEvent(
            tap: tap, cloudEvent: Data("{\"id\":\"\(tap.id)\",\"padding\":\"\(padding)\"}".utf8), attempt: attempt,
            isReplay: isReplay, age: age)
    }
}

/// A program that subscribes at a broker.
final class TestSubscriber: Sendable {
    struct Message: Sendable, Hashable {
        let topic: String
        let text: String
        let isRetained: Bool
    }

    private let connection = BrokerConnection(queue: 100_000, time: .system)
    private let task: Task<ConnectionEnd, Never>
    /// What arrived before the last subscription was granted.
    private let early: Mutex<[BrokerEvent]>

    /// Connects and subscribes; returns when the broker has granted every subscription.
    init(_ broker: TestBroker, _ topics: [String], username: String? = nil, password: String? = nil) async {
        var settings = BrokerSettings(clientID: "watch\(UInt32.random(in: .min ... .max))")
        settings.username = username
        settings.sessionExpiry = 0
        settings.limits.incomingRate = 1_000_000
        settings.limits.incomingBytes = 1_000_000
        let plan = ConnectionPlan(
            server: broker.server, settings: settings, version: .v311, password: password.map { SecretLine($0.utf8) },
            will: nil,
            triesServerFirst: false)
        let connection = connection
        task = Task { await connection.run(plan, on: ThreadExecutor(), farewell: nil) }
        for topic in topics { connection.subscribe(topic) }
        var missing = Set(topics)
        var events: [BrokerEvent] = []
        for await event in connection.events {
            events.append(event)
            if case .subscribed(let topic, _) = event { missing.remove(topic) }
            if missing.isEmpty { break }
        }
        early = Mutex(events)
    }

    deinit { task.cancel() }

    /// Whether the broker remembers the session of a client.
    static func isSessionPresent(_ broker: TestBroker, _ client: String) async -> Bool {
        let connection = BrokerConnection(queue: 10, time: .system)
        let plan = ConnectionPlan(
            server: broker.server, settings: BrokerSettings(clientID: client), version: .v5, password: nil, will: nil,
            triesServerFirst: false)
        async let end = connection.run(plan, on: ThreadExecutor(), farewell: nil)
        var isPresent = false
        for await event in connection.events {
            guard case .connected(let answer) = event else { continue }
            isPresent = answer.isSessionPresent
            connection.stop(farewell: nil)
        }
        _ = await end
        return isPresent
    }

    /// Publishes a message.
    func publish(_ topic: String, _ text: String, isRetained: Bool = false) async -> PublishOutcome {
        await connection.publish(
            MQTTMessage(topic: topic, payload: Data(text.utf8), isRetained: isRetained, content: .text))
    }

    /// The messages up to the first that is wanted.
    func messages(until isWanted: (Message) -> Bool) async -> [Message] {
        var seen: [Message] = []
        while let event = await next() {
            guard case .message(let topic, let payload, let isRetained) = event else { continue }
            seen.append(Message(topic: topic, text: String(decoding: payload, as: UTF8.self), isRetained: isRetained))
            if isWanted(seen[seen.count - 1]) { break }
        }
        return seen
    }

    private func next() async -> BrokerEvent? {
        if let event = early.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
        var events = connection.events.makeAsyncIterator()
        return await events.next()
    }
}
