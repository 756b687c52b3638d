import FoundationEssentials
import Logging
import NFCProtocol
import ServiceSupport
import Testing

@testable import nfcd_relay

/// The receivers of spools that cannot be reached for an hour, with the defaults of the configuration.
@Suite struct `Receivers of spools after an outage of an hour` {
    private static let outage = Duration.seconds(600)..<Duration.seconds(4_200)
    /// The default of both presets.
    private static let limit = Duration.seconds(10)

    private static func settings(_ preset: String) throws -> ConsumerSettings {
        let text =
            "[[webhook]]\nname = \"a\"\nurl = \"http://127.0.0.1:7912\"\npreset = \"\(preset)\"\nstart = \"oldest\"\n"
        let configuration = try RelayConfiguration(text: text, file: "relay.toml", SecretReader(credentials: nil))
        return try #require(configuration.consumers.first)
    }

    /// Eighty minutes with a tap every 30 s on one of two readers; the receiver is not reachable for the hour in the middle.
    private static func world(_ preset: String, seed: UInt64, kills: Int) throws -> LaneWorld {
        let settings = try settings(preset)
        var plan = LaneWorld.Plan()
        (plan.taps, plan.interval, plan.bootID) = (160, .seconds(30), Boot.current.id)
        (plan.outage, plan.kills) = (outage, kills)
        (plan.limits.start, plan.limits.isSerial) = (settings.start, settings.sink.isSerial)
        plan.limits.lane.longestWait = settings.sink.longestWait
        // The age is that of the clocks: the time of the world is that since the start of this boot.
        let time = ServiceTime(now: { .zero }, sleep: { _ in }, random: { 0 })
        plan.limits.lane.eligibility = TapEligibility(settings, time)
        var world = LaneWorld(seed: seed, plan)
        world.run()
        return world
    }

    /// The taps that were old when the receiver was back.
    private func old(_ world: LaneWorld) -> Set<Int64> {
        Set(
            world.arrivedAt.filter { Self.outage.contains($0.value) && $0.value < Self.outage.upperBound - Self.limit }
                .keys)
    }

    @Test(arguments: ["spoolman", "moonraker"], 0..<10 as Range<UInt64>)
    func `get nothing of it, all of which is counted, and every other tap once and in order`(
        preset: String, seed: UInt64
    ) throws {
        let world = try Self.world(preset, seed: seed, kills: 0)
        let (old, received) = (old(world), world.received.map(\.sequence))
        #expect(old.count >= 119)
        #expect(old.isDisjoint(with: received))
        #expect(received == received.sorted() && Set(received).count == received.count)
        #expect(world.counts.tooOld + received.count == world.taps.count && world.backlog == 0)
        let before = world.arrivedAt.filter { $0.value < Self.outage.lowerBound - .seconds(1) }.keys
        let after = world.arrivedAt.filter { $0.value >= Self.outage.upperBound }.keys
        #expect(Set(before).union(after).isSubset(of: received))
        // A new tap does not wait for the attempts at old ones.
        let waits = after.compactMap { sequence in
            world.receivedAt[sequence].map { $0 - (world.arrivedAt[sequence] ?? .zero) }
        }
        #expect(waits.count == after.count && waits.allSatisfy { $0 < .seconds(1) })
    }

    @Test(arguments: ["spoolman", "moonraker"], 0..<10 as Range<UInt64>)
    func `get nothing of it either when the relay is killed meanwhile`(preset: String, seed: UInt64) throws {
        let world = try Self.world(preset, seed: seed, kills: 20)
        #expect(old(world).isDisjoint(with: world.received.map(\.sequence)) && world.backlog == 0)
        let ages = world.receivedAt.map { $0.value - (world.arrivedAt[$0.key] ?? .zero) }
        #expect(ages.allSatisfy { $0 <= Self.limit + .milliseconds(1) })
    }

    // MARK: Consumption

    private static func answer(_ body: String, closes: Bool = false) -> HostileServer.Behaviour {
        var behaviour = HostileServer.Behaviour.status("200 OK", body: body)
        if closes { (behaviour.answer, behaviour.closes) = ("", true) }
        return behaviour
    }

    /// A tap is delivered at least once: again after a lost answer, and on request. None of its requests is one that counts.
    @Test(arguments: ["spoolman", "moonraker"])
    func `get no consumption from a tap, however often it is delivered`(preset: String) async throws {
        let (scan, active) = (
            #"{"result":{"response":{"matched_spool_id":7},"error":null}}"#, #"{"result":{"spool_id":7}}"#
        )
        let answers =
            preset == "spoolman"
            ? [Self.answer("{}", closes: true), Self.answer("{}")]
            : [
                Self.answer(scan), Self.answer(active, closes: true), Self.answer(active), Self.answer(scan),
                Self.answer(active),
            ]
        let server = try HostileServer(answers)
        defer { server.stop() }
        let settings = WebhookSettings(
            url: "http://127.0.0.1:\(server.port)" + (preset == "spoolman" ? "/api/v1/tag/scan" : ""),
            preset: try #require(.init(rawValue: preset)), contents: true)
        let identity = RelayIdentity(site: "s", device: "d")
        let sink = WebhookSink(
            settings, identity: identity, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, name: "a")
        for isReplay in [false, true] {
            let event = try TapEvent(TapFactory.tap(7), identity, attempt: 0, isReplay: isReplay)
            #expect("\(await sink.deliver(event))".hasPrefix("delivered"))
        }
        let requests = server.requests.map { $0.replacing("\\/", with: "/") }
        #expect(requests.count == (preset == "spoolman" ? 3 : 5))
        for request in requests {
            let target = String(request.prefix { $0 != "\r\n" })
            switch target {
            case "POST /api/v1/tag/scan HTTP/1.1": #expect(preset == "spoolman")
            case "POST /server/spoolman/proxy HTTP/1.1":
                #expect(request.contains(#""path":"/v1/tag/scan","request_method":"POST""#))
            case "POST /server/spoolman/spool_id HTTP/1.1": #expect(request.hasSuffix("{\"spool_id\":7}"))
            default: #expect(Bool(false), "\(target)")
            }
            for word in ["weight", "measure", "/use", "length\":", "consumed"] {
                #expect(!request.contains(word), "\(request)")
            }
        }
    }
}
