import Foundation
import NFCTypes
import Synchronization
import Testing

@testable import nfcd_relay

/// The sink with a real mosquitto.
@Suite(.needsMosquitto, .timeLimit(.minutes(20))) struct BrokerTests {
    @Test(arguments: MQTTVersion.allCases)
    func `a tap arrives on the topic of its reader, and is not retained`(version: MQTTVersion) async throws {
        let broker = try await TestBroker.mosquitto()
        let subscriber = await TestSubscriber(broker, ["nfcd/+/+/+/tap"])
        let relay = RunningSink(broker) { $0.version = version }
        _ = await relay.connected()
        let delivery = await relay.sink.deliver(.sample())
        #expect(delivery == .delivered("published on nfcd/lab/desk/desk-1/tap"))
        let message = try #require(await subscriber.messages { _ in true }.first)
        #expect(message.topic == "nfcd/lab/desk/desk-1/tap")
        #expect(message.text == String(decoding: TapEvent.sample().cloudEvent, as: UTF8.self))
        let late = await TestSubscriber(broker, ["nfcd/lab/desk/+/tap", "nfcd/lab/desk/state"])
        #expect(await late.messages { _ in true }.map(\.topic) == ["nfcd/lab/desk/state"])
        await relay.stop()
    }

    @Test func `a connection may have a descriptor that select does not take`() async throws {
        let broker = try await TestBroker.mosquitto()
        let others = (0..<1_100).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        defer { for other in others where other >= 0 { close(other) } }
        let relay = RunningSink(broker)
        #expect(await relay.connected() == [.lostTaps(.seconds(120)), .connected])
        await relay.stop()
    }

    @Test func `a tap that no program subscribes to is tried again, and counts as delivered where that is configured`()
        async throws
    {
        let broker = try await TestBroker.mosquitto()
        for (mode, expected) in [
            (MQTTSettings.NoSubscriber.wait, "no program subscribes to nfcd/lab/desk/desk-1/tap"),
            (.deliver, "published on nfcd/lab/desk/desk-1/tap, to which no program subscribes"),
        ] {
            let relay = RunningSink(broker) { $0.noSubscriber = mode }
            _ = await relay.connected()
            switch await relay.sink.deliver(.sample()) {
            case .retry(let reason, _): #expect(mode == .wait && reason.hasPrefix(expected))
            case .delivered(let detail): #expect(mode == .deliver && detail == expected)
            default: Issue.record("refused")
            }
            await relay.stop()
        }
    }

    @Test(arguments: MQTTVersion.allCases)
    func `a clean stop publishes offline, and a broken connection the will`(version: MQTTVersion) async throws {
        let broker = try await TestBroker.mosquitto()
        let subscriber = await TestSubscriber(broker, ["nfcd/lab/desk/state"])
        let relay = RunningSink(broker) { $0.version = version }
        _ = await relay.connected()
        await relay.stop()
        let states = await subscriber.messages { $0.text.contains("\"offline\"") }
        #expect(states.map { $0.text.contains("\"connection\":1") } == states.map { _ in true })
        #expect(states.last?.text.contains("\"state\":\"offline\"") == true)
    }

    @Test func `a broker that was killed has lost what it acknowledged`() async throws {
        let broker = try await TestBroker.mosquitto()
        let relay = RunningSink(broker)
        #expect(await relay.connected() == [.lostTaps(.seconds(120)), .connected])
        try await broker.restart(SIGKILL)
        let reports = await relay.connected()
        #expect(reports.suffix(2) == [.lostTaps(.seconds(120)), .connected])
        await relay.stop()
    }

    @Test func `a connection is noted after the consumer has gone back, and only if that was stored`() async throws {
        let broker = try await TestBroker.mosquitto()
        let memory = MemoryDouble()
        let relay = RunningSink(broker, memory: memory)
        let noted = Mutex<[Bool]>([])
        relay.observer.whenGoingBack {
            // A power cut here must not leave the note of a connection on which nothing was lost.
            noted.withLock { $0.append(memory.note("mqtt.birth", of: "main") != nil) }
        }
        relay.observer.canSave.withLock { $0 = false }
        #expect(await relay.connected() == [.lostTaps(.seconds(120)), .connected])
        #expect(noted.withLock(\.self) == [false])
        #expect(memory.note("mqtt.birth", of: "main") == nil)
        relay.observer.canSave.withLock { $0 = true }
        try await broker.restart(SIGTERM)
        #expect(await relay.connected().contains(.lostTaps(.seconds(120))))
        #expect(noted.withLock(\.self) == [false, false])
        #expect(memory.note("mqtt.birth", of: "main") != nil)
        await relay.stop()
    }

    @Test func `nothing is published before the consumer has gone back to the taps that the broker lost`() async throws
    {
        let broker = try await TestBroker.mosquitto()
        let relay = RunningSink(broker) { $0.noSubscriber = .deliver }
        _ = await relay.connected()
        let (deliveries, writer) = AsyncStream.makeStream(of: Delivery.self)
        relay.observer.whenGoingBack { [sink = relay.sink] in writer.yield(await sink.deliver(.sample())) }
        try await broker.restart(SIGKILL)
        _ = await relay.connected()
        guard case .retry = await deliveries.first(where: { _ in true }) else {
            Issue.record("a tap was published")
            return
        }
        #expect("\(await relay.sink.deliver(.sample()))".hasPrefix("delivered"))
        await relay.stop()
    }

    @Test
    func `a broker that forgot the end of the last connection has lost taps, although it knows the session`()
        async throws
    {
        let broker = try await TestBroker.mosquitto(
            ["allow_anonymous true", "persistence true", "persistence_location FOLDER/", "autosave_interval 1800"])
        let memory = MemoryDouble()
        let first = RunningSink(broker, memory: memory) { $0.clientID = "desk" }
        _ = await first.connected()
        // A clean end saves; what follows is lost.
        try await broker.restart(SIGTERM)
        _ = await first.connected()
        await first.stop()
        try await broker.restart(SIGKILL)
        #expect(await TestSubscriber.isSessionPresent(broker, "desk"))
        let second = RunningSink(broker, memory: memory) { $0.clientID = "desk" }
        #expect(await second.connected() == [.lostTaps(.seconds(120)), .connected])
        await second.stop()
        let third = RunningSink(broker, memory: memory) { $0.clientID = "desk" }
        #expect(await third.connected() == [.connected], "nothing happened between the two")
        await third.stop()
    }

    @Test func `a broker that hangs is left when an acknowledgement is overdue`() async throws {
        let broker = try await TestBroker.mosquitto()
        let relay = RunningSink(broker) { $0.limits.acknowledgement = .seconds(1) }
        _ = await relay.connected()
        broker.signal(SIGSTOP)
        guard case .retry(let reason, _) = await relay.sink.deliver(.sample()) else {
            broker.signal(SIGCONT)
            Issue.record("delivered to a broker that hangs")
            return
        }
        #expect(reason.contains("has not acknowledged a message"))
        broker.signal(SIGCONT)
        _ = await relay.connected()
        await relay.stop()
    }

    @Test(arguments: MQTTVersion.allCases)
    func `a wrong password holds the consumer`(version: MQTTVersion) async throws {
        let broker = try await TestBroker.mosquitto(
            ["allow_anonymous false", "password_file FOLDER/passwords"], passwords: true)
        let relay = RunningSink(broker) {
            $0.version = version
            $0.username = "kiosk"
            $0.password = Secret(lines: ["wrong"])
        }
        let reports = await relay.held()
        #expect("\(reports)".contains("check username, password and client-id"))
        await relay.stop()
    }

    @Test(arguments: [
        (MQTTVersion.v5, "the broker does not allow this user to publish on nfcd/lab/desk/state"),
        (.v311, "did not come back: allow this user to read and write the topic"),
    ])
    func `a topic that the broker's access list denies holds the consumer`(version: MQTTVersion, words: String)
        async throws
    {
        let broker = try await TestBroker.mosquitto(
            files: ["acl": "topic read nfcd/#\n"], ["allow_anonymous true", "acl_file FOLDER/acl"])
        let relay = RunningSink(broker) { $0.version = version }
        let reports = await relay.held()
        #expect("\(reports)".contains(words))
        await relay.stop()
    }

    @Test func `a denied topic of taps holds the consumer, with MQTT 5`() async throws {
        let broker = try await TestBroker.mosquitto(
            files: ["acl": "topic readwrite nfcd/lab/desk/state\n"], ["allow_anonymous true", "acl_file FOLDER/acl"])
        let relay = RunningSink(broker)
        _ = await relay.connected()
        guard case .held(let reason) = await relay.sink.deliver(.sample()) else {
            Issue.record("not held")
            return
        }
        #expect(reason.contains("publish on nfcd/lab/desk/desk-1/tap; allow it in the broker's access list"))
        await relay.stop()
    }

    @Test func `a tap that is longer than the broker takes is unacceptable`() async throws {
        let announced = try await TestBroker.mosquitto(["allow_anonymous true", "max_packet_size 4000"])
        let refused = try await TestBroker.mosquitto(["allow_anonymous true", "message_size_limit 4000"])
        for broker in [announced, refused] {
            let relay = RunningSink(broker)
            _ = await relay.connected()
            let delivery = await relay.sink.deliver(.sample(size: 5_000))
            guard case .unacceptable(let reason) = delivery else {
                Issue.record("\(delivery)")
                continue
            }
            #expect(reason.contains("the broker takes") || reason.contains("longer than the broker takes"))
            #expect(await relay.sink.deliver(.sample(.sample(2))) != delivery, "the connection is still there")
            await relay.stop()
        }
    }

    @Test func `a tap that makes the broker end the connection three times is unacceptable, and no other one`()
        async throws
    {
        let broker = try await TestBroker.mosquitto(["allow_anonymous true", "max_packet_size 4000"])
        let subscriber = await TestSubscriber(broker, ["nfcd/+/+/+/tap"])
        // MQTT 3.1.1 does not announce the limit.
        let relay = RunningSink(broker) { $0.version = .v311 }
        _ = await relay.connected()
        async let poison = Self.deliver(.sample(.sample(1, reader: "bad"), size: 5_000), to: relay)
        async let good = Self.deliver(.sample(.sample(2, reader: "good")), to: relay)
        let (bad, fine) = await (poison, good)
        guard case .unacceptable(let reason) = bad else {
            Issue.record("\(bad)")
            return
        }
        #expect(reason.contains("ended the connection 3 times right after this tap"))
        #expect(fine == .delivered("published on nfcd/lab/desk/good/tap"))
        #expect(await subscriber.messages { _ in true }.map(\.topic) == ["nfcd/lab/desk/good/tap"])
        await relay.stop()
    }

    /// Delivers a tap as a lane does: again and again.
    private static func deliver(_ event: TapEvent, to relay: RunningSink) async -> Delivery {
        while true {
            let delivery = await relay.sink.deliver(event)
            guard case .retry = delivery else { return delivery }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `two relays with one client id report what may be wrong`() async throws {
        let broker = try await TestBroker.mosquitto()
        let first = RunningSink(broker) { $0.clientID = "same" }
        _ = await first.connected()
        let second = RunningSink(broker) { $0.clientID = "same" }
        let reports = await first.reports { "\($0)".contains("another client may use the client id same") }
        #expect(reports.count >= 3)
        await first.stop()
        await second.stop()
    }

    @Test func `a late will is corrected`() async throws {
        let broker = try await TestBroker.mosquitto()
        let relay = RunningSink(broker)
        _ = await relay.connected()
        let subscriber = await TestSubscriber(broker, ["nfcd/lab/desk/state"])
        _ = await subscriber.publish(
            "nfcd/lab/desk/state", "{\"state\":\"offline\",\"instance\":\"0\",\"connection\":1}", isRetained: true)
        let states = await subscriber.messages { !$0.isRetained && $0.text.contains("\"online\"") }
        #expect(states.last?.text.contains("\"online\"") == true)
        await relay.stop()
    }
}
