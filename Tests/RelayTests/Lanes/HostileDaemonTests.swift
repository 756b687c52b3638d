import FoundationEssentials
import Logging
import NFCProtocol
import RelayProtocol
import ServiceClient
import ServiceSupport
import Synchronization
import Testing

@testable import nfcd_relay

/// The relay with an nfcd that does not keep its promises: it delivers what is right, waits, and reports the reason.
@Suite(.timeLimit(.minutes(20))) struct HostileDaemonTests {
    private let scratch: RelayScratch
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// Waits take no time, so that a relay that asked in a loop would be noticed by the number of its calls.
    private static let time = ServiceTime(
        now: { .zero }, sleep: { try await Task.sleep(for: min($0, .milliseconds(5))) }, random: { 0.5 })

    init() throws { scratch = try RelayScratch() }

    /// Runs the relay until the condition holds.
    private func run(
        _ daemon: FakeDaemon, until condition: (DaemonLink, RecordingSink) async -> Bool
    ) async throws -> RecordingSink {
        let sink = RecordingSink()
        try await run(daemon, sink) { link, _ in await condition(link, sink) }
        return sink
    }

    private func run(
        _ daemon: FakeDaemon, _ sink: any Sink, until condition: (DaemonLink, Consumer) async -> Bool
    ) async throws {
        let state = try StateFile(path: "\(scratch.path)/relay.db", logger: Self.silent)
        let link = DaemonLink(daemon, time: Self.time, logger: Self.silent)
        var limits = ConsumerMachine.Limits()
        limits.start = .oldest
        limits.drain = 100_000
        let consumer = Consumer(
            ConsumerSettings(name: "a", sink: CommandSettings(run: ["/bin/true"])), sink: sink,
            machine: ConsumerMachine(nil, parked: 0, limits: limits, now: .zero) { 0.5 },
            identity: RelayIdentity(site: "s", device: "d"), daemon: link, state: state, time: Self.time,
            logger: Self.silent)
        let feed = JournalFeed(
            daemon: link, consumers: [consumer], state: state, time: Self.time, logger: Self.silent)
        let services = [Task { await link.run() }, Task { await feed.run() }]
        let delivery = Task { await consumer.run() }
        while await !condition(link, consumer) { try await Task.sleep(for: .milliseconds(2)) }
        consumer.stop()
        await delivery.value
        for service in services { service.cancel() }
        daemon.drop()
        for service in services { await service.value }
    }

    @Test func `a test event that could not be delivered is the last error of its consumer, and taps are delivered`()
        async throws
    {
        let sink = RecordingSink(answeringTests: .retry("Could not connect to server"))
        let daemon = Self.daemon(newest: 1) { _ in Self.page([TapFactory.tap(1)]) }
        try await run(daemon, sink) { _, consumer in
            guard sink.taps.count == 1 else { return false }
            #expect(await consumer.status().lastError == nil)
            #expect(await consumer.test() == .retry("Could not connect to server"))
            let status = await consumer.status()
            #expect(status.lastError == "Could not connect to server" && status.lastErrorTime != nil)
            return true
        }
    }

    private static func page(_ taps: [RecordedTap], hasMore: Bool = false) -> String {
        let page = TapsList.Result(epoch: TapFactory.epoch, taps: taps, hasMore: hasMore)
        let json = (try? JSONLine.encode(page)).map { String(decoding: $0.dropLast(), as: UTF8.self) } ?? ""
        return "\"result\":\(json)"
    }

    private static func daemon(newest: Int64, list: @escaping @Sendable (Data) -> String?) -> FakeDaemon {
        FakeDaemon([
            TapsSubscribe.name: .init { _ in
                #""result":{"subscription":"s1","epoch":"\#(TapFactory.epoch)","after":\#(newest),"newest":\#(newest)}"#
            },
            TapsStatus.name: .init { _ in
                #""result":{"state":"ready","epoch":"e","oldest":1,"newest":\#(newest),"taps":1,"tapLimit":9,"bytes":1,"#
                    + #""byteLimit":9,"dropped":0,"movedAside":0,"consumers":[]}"#
            },
            TapsAcknowledge.name: .init { _ in #""result":{"epoch":"\#(TapFactory.epoch)","acknowledged":0}"# },
            TapsList.name: .init(result: list),
        ])
    }

    private static func parameters(_ line: Data) -> TapsList.Parameters? {
        struct Call: Decodable {
            let params: TapsList.Parameters
        }
        return try? JSONLine.decode(Call.self, from: line).params
    }

    @Test func `a consumer has gone back to lost taps when no delivery for the connection before is under way`()
        async throws
    {
        let daemon = Self.daemon(newest: 1) { line in
            Self.page(Self.parameters(line)?.after == 0 ? [TapFactory.tap(1)] : [])
        }
        let sink = ForgetfulSink()
        try await run(daemon, sink) { _, _ in sink.all.contains("gone back") }
        #expect(sink.all.prefix(2) == ["the delivery ended", "gone back"])
    }

    @Test func `the taps of the journal are delivered in order`() async throws {
        let taps = (1...60).map { TapFactory.tap(Int64($0), reader: "reader-\($0 % 2)", Int64(($0 + 1) / 2)) }
        let daemon = Self.daemon(newest: 60) { line in
            guard let asked = Self.parameters(line) else { return nil }
            let rest = taps.filter { $0.sequence > asked.after ?? 0 && asked.readers?.contains($0.reader) != false }
            let limit = asked.limit ?? 100
            return Self.page(Array(rest.prefix(limit)), hasMore: rest.count > limit)
        }
        let sink = try await run(daemon) { _, sink in sink.taps.count >= 60 }
        #expect(sink.taps.count == 60)
        for reader in ["reader-0", "reader-1"] {
            let sequences = sink.taps.filter { $0.reader == reader }.map(\.readerSequence)
            #expect(sequences == Array(1...30))
        }
    }

    @Test(arguments: ["garbage", "backwards", "endless", "refused"])
    func `what cannot be right is not delivered, and not asked for without a pause`(fault: String) async throws {
        let daemon = Self.daemon(newest: 9) { line in
            switch fault {
            case "garbage": #""result":{"epoch":5}"#
            case "backwards": Self.page([TapFactory.tap(8), TapFactory.tap(3)])
            case "endless": Self.page([], hasMore: true)
            default: #""error":{"code":2,"message":"no taps for you"}"#
            }
        }
        let calls = Mutex(0)
        let sink = try await run(daemon) { _, _ in
            calls.withLock { $0 += 1 }
            return calls.withLock { $0 } > 100
        }
        #expect(sink.taps.isEmpty)
        #expect(daemon.methods.count < 500)
    }

    @Test func `an error in the status has its time, also where no delivery failed`() async throws {
        let daemon = Self.daemon(newest: 1) { line in
            guard Self.parameters(line)?.readers == nil else { return #""error":{"code":2,"message":"not for you"}"# }
            return Self.page([TapFactory.tap(1)])
        }
        try await run(daemon, RecordingSink()) { _, consumer in
            let status = await consumer.status()
            #expect((status.lastError == nil) == (status.lastErrorTime == nil))
            return status.lastError != nil
        }
    }

    @Test func `an nfcd without a journal is reported in the status`() async throws {
        let daemon = FakeDaemon([
            TapsSubscribe.name: .init { _ in #""error":{"code":1,"message":"nfcd keeps no journal of taps"}"# }
        ])
        _ = try await run(daemon) { link, _ in link.error?.contains("nfcd keeps no journal") == true }
    }
}

/// A sink that takes every tap.
private final class RecordingSink: Sink {
    private let received = Mutex<[RecordedTap]>([])
    private let answer: Delivery

    init(answeringTests answer: Delivery = .delivered("")) { self.answer = answer }

    var taps: [RecordedTap] { received.withLock { $0 } }

    func run(_ consumer: any SinkObserver) async {}

    func deliver(_ event: TapEvent) async -> Delivery {
        received.withLock { $0.append(event.tap) }
        return .delivered("")
    }

    func deliver(_ notice: RelayNotice) async -> Delivery { answer }
}

/// A sink whose receiver loses its taps while the first delivery is under way.
private final class ForgetfulSink: Sink {
    private let events = Mutex<[String]>([])
    private let (begins, begun) = AsyncStream.makeStream(of: Void.self)
    private let (ends, ended) = AsyncStream.makeStream(of: Void.self)

    var all: [String] { events.withLock { $0 } }

    func run(_ consumer: any SinkObserver) async {
        for await _ in begins { break }
        async let back: Void = {
            _ = await consumer.receiverLostTaps(within: .seconds(60))
            events.withLock { $0.append("gone back") }
        }()
        for _ in 0..<1_000 { await Task.yield() }
        ended.finish()
        await back
    }

    func deliver(_ event: TapEvent) async -> Delivery {
        begun.yield()
        for await _ in ends {}
        events.withLock { $0.append("the delivery ended") }
        return .retry("the connection ended")
    }

    func deliver(_ notice: RelayNotice) async -> Delivery { .delivered("") }
}
