import Foundation
import Testing

@testable import nfcd_relay

/// The sink with a real nats-server, which speaks MQTT 3.1.1 only.
@Suite(.needsNATS, .timeLimit(.minutes(20))) struct NATSTests {
    @Test func `a broker without MQTT 5 is used with 3_1_1, and remembered`() async throws {
        let broker = try await TestBroker.nats()
        let subscriber = await TestSubscriber(broker, ["nfcd/+/+/+/tap"])
        let relay = RunningSink(broker)
        let reports = await relay.connected()
        #expect(
            reports == [
                .disconnected("\(broker.server) has no MQTT 5; using 3.1.1"), .lostTaps(.seconds(120)), .connected,
            ])
        for name in ["desk-1", "Desk.Reader 1", "*", ">", "café"] {
            #expect(await relay.sink.deliver(.sample(.sample(1, reader: name))).isDelivered, "\(name)")
        }
        let topics = await subscriber.messages { $0.topic.contains("caf") }.map(\.topic)
        #expect(topics.count == 5 && Set(topics).count == 5)
        try await broker.restart(SIGKILL)
        #expect(await relay.connected().contains { "\($0)".contains("has no MQTT 5") } == false)
        await relay.stop()
    }

    @Test func `a forced MQTT 5 holds the consumer`() async throws {
        let broker = try await TestBroker.nats()
        let relay = RunningSink(broker) { $0.version = .v5 }
        let reports = await relay.held()
        #expect("\(reports)".contains("does not support MQTT 5"))
        await relay.stop()
    }

    @Test func `a clean stop and a new start lose nothing`() async throws {
        let broker = try await TestBroker.nats()
        let memory = MemoryDouble()
        let first = RunningSink(broker, memory: memory) { $0.version = .v311 }
        _ = await first.connected()
        await first.stop()
        let second = RunningSink(broker, memory: memory) { $0.version = .v311 }
        #expect(await second.connected() == [.connected])
        await second.stop()
    }
}

extension Delivery {
    var isDelivered: Bool { if case .delivered = self { true } else { false } }
}
