import Foundation
import NDEF
import NFCProtocol
import NFCTypes
import Testing

@testable import nfcd_relay

/// What Home Assistant has accepted from the relay, as `Scripts/checks/check-home-assistant --record` wrote it.
private struct Exchange: Decodable {
    struct Message: Decodable {
        let topic: String
        let payload: String
    }

    struct Scan: Decodable {
        let tagID: String

        private enum CodingKeys: String, CodingKey {
            case tagID = "tag_id"
        }
    }

    private struct Release: Decodable {
        let relay: String
    }

    let published: [Message]
    let scanned: [Scan]

    static func recorded() throws -> Exchange {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try JSONDecoder().decode(
            Exchange.self, from: Data(contentsOf: root.appendingPathComponent("HomeAssistant/exchange.json")))
    }

    /// The payloads of a topic, with the release of today.
    func payloads(_ topic: String) throws -> [String] {
        let state = try #require(published.first { $0.topic == "nfcd/lab/desk/state" && $0.payload.contains("online") })
        let release = try JSONDecoder().decode(Release.self, from: Data(state.payload.utf8)).relay
        return published.filter { $0.topic == topic }
            .map {
                $0.payload.replacing("\"sw_version\":\"\(release)\"", with: "\"sw_version\":\"\(NFCDVersion.release)\"")
            }
    }
}

@Suite struct HomeAssistantTests {
    private let identity = RelayIdentity(site: "lab", device: "desk")
    private let topics = MachineTopics(RelayIdentity(site: "lab", device: "desk"))

    private func text(_ message: MQTTMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    // MARK: What Home Assistant's own code accepted

    @Test func `the discovery messages are those that Home Assistant accepted`() throws {
        let exchange = try Exchange.recorded()
        let state = try #require(exchange.published.last { $0.topic.hasSuffix("simulated-0/state") })
        let reader = try JSONDecoder().decode(ReaderReport.self, from: Data(state.payload.utf8))
        let messages = Discovery(prefix: "homeassistant", identity: identity).messages([reader])
        #expect(messages.count == 4)
        for message in messages {
            #expect(message.isRetained)
            #expect(try exchange.payloads(message.topic).contains(text(message)), "\(message.topic)")
        }
        let recorded = Set(exchange.published.map(\.topic).filter { $0.hasPrefix("homeassistant/") })
        #expect(recorded == Set(messages.map(\.topic)))
    }

    @Test func `a tap becomes the event by which Home Assistant fired tag_scanned`() throws {
        struct CloudEvent: Decodable { let data: RecordedTap }
        let exchange = try Exchange.recorded()
        let taps = try exchange.payloads("nfcd/lab/desk/simulated-0/tap").map {
            try JSONDecoder().decode(CloudEvent.self, from: Data($0.utf8)).data
        }
        let events = try exchange.payloads("nfcd/lab/desk/simulated-0/event")
        #expect(taps.count == 2)
        #expect(taps.map { HomeAssistantEvent($0).tagID } == exchange.scanned.map(\.tagID))
        for tap in taps {
            #expect(events.contains(text(HomeAssistantEvent(tap).message(topics.event(of: tap.reader)))))
        }
        #expect(events.contains { $0.contains("\"event_type\":\"removed\"") })
    }

    // MARK: Events

    private func tagID(_ uri: String) throws -> String {
        HomeAssistantEvent(.sample(message: NDEFMessage(records: [try .uri(uri)]))).tagID
    }

    @Test(arguments: [
        ("https://www.home-assistant.io/tag/abc", "abc"), ("https://www.home-assistant.io/tag/A-b_1?x=1", "A-b_1"),
        ("HTTPS://WWW.home-assistant.io/tag/abc/", "abc"), ("homeassistant://tag/abc", "abc"),
        ("https://www.home-assistant.io/tag/", "04A12280"), ("https://example.com/tag/abc", "04A12280"),
        ("https://www.home-assistant.io/tag/" + String(repeating: "x", count: 200), "04A12280"),
    ])
    func `the id of the tag is that of Home Assistant's app, or else the UID`(uri: String, id: String) throws {
        #expect(try tagID(uri) == id)
    }

    @Test func `the removal of a tag carries its id and a time`() throws {
        let tap = RecordedTap.sample(message: NDEFMessage(records: [try .uri("https://example.com/tag/abc")]))
        let removed = HomeAssistantEvent(removalOf: tap, time: "2026-01-02T03:04:05.678Z")
        #expect(removed.kind == .removed && removed.tagID == "04A12280" && removed.identifier == "04A12280")
        #expect(removed.time == "2026-01-02T03:04:05.678Z" && removed.id == tap.id)
        #expect(text(removed.message("t")).contains("\"tag_id\":\"04A12280\""))
    }

    // MARK: Removal

    /// What happens on a reader, in the order in which the relay sees it, and the taps whose removal is published.
    private enum Step {
        case arrived(Double), left(Double), seen(Int64, Double), announced(Int64)
    }

    private static let removals: [([Step], [Int64], String)] = [
        ([.arrived(1), .seen(1, 2), .announced(1), .left(3)], [1], "an ordinary tap"),
        ([.arrived(1), .seen(1, 2), .left(3), .announced(1)], [1], "a tag that left before its tap was published"),
        ([.arrived(1), .left(2), .seen(1, 3), .announced(1)], [1], "a tag that left while it was read"),
        ([.seen(1, 1), .arrived(2), .announced(1), .left(3)], [1], "an arrival that is reported late"),
        (
            [
                .arrived(1), .seen(1, 2), .announced(1), .left(3), .arrived(4), .left(5), .arrived(6), .seen(2, 7),
                .announced(2), .left(8),
            ],
            [1, 2], "a tag that returned at once is one tap"
        ),
        (
            [.arrived(1), .left(3), .arrived(4), .left(6), .seen(1, 2), .announced(1), .seen(2, 5), .announced(2)],
            [1, 2],
            "two taps that waited for the broker"
        ),
        (
            [.arrived(1), .left(3), .arrived(4), .seen(1, 2), .announced(1), .seen(2, 5), .announced(2)], [1],
            "the second of them is still there"
        ),
        (
            [.arrived(1), .seen(1, 2), .announced(1), .left(3), .seen(2, 3.9), .arrived(4), .announced(2)], [1],
            "the tag that came next is there, although its arrival is reported late"
        ),
        ([.seen(1, 0.5), .announced(1), .left(3)], [1], "a tag that was there before the relay"),
        ([.arrived(1), .seen(1, 2), .seen(1, 2), .left(3), .announced(1)], [1], "a second attempt"),
        ([.arrived(1), .seen(1, 2), .announced(1)], [], "a tag that stays"),
        ([.arrived(1), .left(2)], [], "a tag without a tap"),
    ]

    @Test(arguments: removals)
    private func `a removal is that of the tag that left, and follows its tap`(
        steps: [Step], published: [Int64], what: String
    ) {
        var presence = TagPresence(bootID: "boot")
        var taps: [Int64: RecordedTap] = [:]
        var removed: [Int64] = []
        for step in steps {
            switch step {
            case .arrived(let time): presence.arrived(on: "reader-0", at: time)
            case .left(let time):
                if case .published(let tap) = presence.left("reader-0", at: time) { removed.append(tap.sequence) }
            case .seen(let number, let time):
                let tap = TapFactory.tap(number, bootTime: time)
                taps[number] = tap
                presence.seen(tap)
            case .announced(let number):
                if let tap = taps[number], presence.announced(tap) { removed.append(number) }
            }
        }
        #expect(removed == published, "\(what)")
    }

    @Test func `a tag that was there before the relay is looked up in the journal`() {
        var presence = TagPresence(bootID: "boot")
        guard case .unknown = presence.left("reader-0", at: 9) else {
            Issue.record("the tag is not known")
            return
        }
        let tap = TapFactory.tap(7, bootTime: 3)
        presence.seen(tap)
        let removals = [presence.announced(tap), presence.announced(tap)]
        #expect(removals == [true, false], "its removal is published once")
    }

    @Test func `only a live tap is an event, and once`() throws {
        #expect(HomeAssistantEvent(TapEvent.sample(age: .seconds(59))) != nil)
        #expect(HomeAssistantEvent(TapEvent.sample(age: .seconds(60))) == nil)
        #expect(HomeAssistantEvent(TapEvent.sample(age: nil)) == nil)
        #expect(HomeAssistantEvent(TapEvent.sample(isReplay: true)) == nil)
    }

    @Test func `a tag that could not be read is an error without an id`() {
        let failure = SessionDidDetectNDEFs.Failure(
            code: 100, name: "TagConnectionLost", message: "m", detail: "the tag left")
        let event = HomeAssistantEvent(.sample(error: failure, isRead: false))
        #expect(event.kind == .error && event.tagID.isEmpty && event.error == "the tag left")
        #expect(HomeAssistantEvent(.sample(error: failure)).kind == .tap, "a tag without a message is a tap")
    }

    // MARK: With a broker

    private static let reader = ReaderReport(
        state: .attached, reader: "desk-1", name: "Desk Reader", profile: "acr122u", technologies: ["iso14443"],
        serial: "7")

    @Test(.needsMosquitto, .timeLimit(.minutes(20)))
    func `discovery is repeated when Home Assistant has started, and deleted when it is switched off`() async throws {
        let broker = try await TestBroker.mosquitto()
        let memory = MemoryDouble()
        let readers = MachineState(daemonVersion: "1", readers: [Self.reader])
        let subscriber = await TestSubscriber(broker, ["homeassistant/#"])
        let relay = RunningSink(broker, readers: readers, memory: memory) { $0.homeAssistantPrefix = "homeassistant" }
        let first = await subscriber.messages { $0.topic.contains("binary_sensor") }
        #expect(first.count == 4)
        _ = await subscriber.publish("homeassistant/status", "online")
        let repeated = await subscriber.messages { $0.topic.contains("binary_sensor") }
        #expect(Set(repeated.map(\.topic)).isSuperset(of: first.map(\.topic)))
        await relay.stop()
        let plain = RunningSink(broker, readers: readers, memory: memory)
        let deleted = await subscriber.messages { $0.topic.contains("/tag/") }
        #expect(deleted.allSatisfy(\.text.isEmpty) && deleted.count == 4)
        await plain.stop()
    }

    @Test(.needsMosquitto, .timeLimit(.minutes(20)))
    func `a live tap is published for Home Assistant once, a late one not at all`() async throws {
        let broker = try await TestBroker.mosquitto()
        let subscriber = await TestSubscriber(broker, ["nfcd/lab/desk/+/event", "nfcd/lab/desk/+/tap"])
        let relay = RunningSink(broker) { $0.homeAssistantPrefix = "homeassistant" }
        _ = await relay.connected()
        for event in [
            TapEvent.sample(), .sample(), .sample(.sample(2), age: .seconds(90)), .sample(.sample(3), isReplay: true),
        ] {
            #expect(await relay.sink.deliver(event).isDelivered)
        }
        _ = await relay.sink.deliver(.sample(.sample(4)))
        let messages = await subscriber.messages { $0.topic.hasSuffix("event") && $0.text.contains("100000000004") }
        #expect(
            messages.map { String($0.topic.suffix(5)) } == [
                "1/tap", "event", "1/tap", "1/tap", "1/tap", "1/tap", "event",
            ])
        await relay.stop()
    }

    // MARK: State

    @Test func `one retained message shows a machine, its readers and versions`() {
        let state = MachineState(daemonVersion: "1.2", readers: [Self.reader])
        let birth = Birth(instance: "0a", connection: 3)
        let online = state.online(identity, birth)
        #expect(online.topic == "nfcd/lab/desk/state" && online.isRetained)
        #expect(
            text(online) == """
                {"connection":3,"device":"desk","instance":"0a","nfcd":"1.2","readers":[{"name":"Desk Reader",\
                "profile":"acr122u","reader":"desk-1","serial":"7","state":"attached","technologies":["iso14443"]}],\
                "relay":"\(NFCDVersion.release)","site":"lab","state":"online"}
                """)
        #expect(
            text(MachineState.offline(identity, birth))
                == "{\"connection\":3,\"device\":\"desk\",\"instance\":\"0a\",\"site\":\"lab\",\"state\":\"offline\"}")
        #expect(Birth.state([UInt8](online.payload)) == Birth.State(isOnline: true, birth: birth))
    }
}
