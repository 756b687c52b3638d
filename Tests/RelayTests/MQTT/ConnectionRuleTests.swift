import Testing

@testable import nfcd_relay

/// What the broker's answers mean.
@Suite struct ConnectionRuleTests {
    enum Meaning { case delivered, retry, held, unacceptable }

    @Test(arguments: [
        (UInt8(0x00), Meaning.delivered), (0x10, .retry), (0x80, .retry), (0x83, .retry), (0x87, .held),
        (0x90, .unacceptable),
        (0x91, .retry), (0x95, .unacceptable), (0x97, .retry), (0x99, .unacceptable), (0xFF, .retry),
    ])
    func `a PUBACK decides what happens to the tap`(code: UInt8, meaning: Meaning) {
        let delivery = ReasonCode.delivery(code, "t", waitsForSubscriber: true)
        let actual: Meaning? =
            switch delivery {
            case .delivered: .delivered
            case .retry: .retry
            case .held: .held
            case .unacceptable: .unacceptable
            case .refused, .gone: nil
            }
        #expect(actual == meaning)
    }

    @Test(arguments: [
        (MQTTVersion.v311, UInt8(1), ReasonCode.Refusal.unsupportedVersion), (.v311, 2, .held), (.v311, 3, .retry),
        (.v311, 4, .held), (.v311, 5, .held), (.v5, 0x84, .unsupportedVersion), (.v5, 1, .unsupportedVersion),
        (.v5, 0x85, .held), (.v5, 0x86, .held), (.v5, 0x87, .held), (.v5, 0x88, .retry), (.v5, 0x89, .retry),
        (.v5, 0x9F, .retry),
    ])
    func `a refused CONNECT is tried again, or waits for a person`(
        version: MQTTVersion, code: UInt8, refusal: ReasonCode.Refusal
    ) {
        #expect(ReasonCode.refusal(code, version) == refusal)
    }

    // MARK: Servers and waits

    private let one = BrokerServer(host: "one", port: 1)
    private let two = BrokerServer(host: "two", port: 2)

    @Test func `a failure uses the next server after a wait that doubles up to a minute`() {
        var rotation = ServerRotation(servers: [one, two], clientID: "id", forced: nil)
        var waits: [Duration] = []
        for _ in 0..<8 { waits.append(rotation.ended(.failed("down"), lasted: nil, random: 0.5).wait) }
        #expect(waits == [0.5, 1, 2, 4, 8, 15, 15, 15].map { .seconds($0) })
        #expect(rotation.server == one)
        _ = rotation.ended(.cut("down"), lasted: .seconds(61), random: 0.5)
        #expect(rotation.server == two)
        #expect(
            rotation.ended(.failed("down"), lasted: nil, random: 0.5).wait == .seconds(1),
            "a good connection begins again")
    }

    @Test func `a broker without MQTT 5 is used with 3.1.1 at once, the other one is not`() {
        var rotation = ServerRotation(servers: [one, two], clientID: "id", forced: nil)
        let next = rotation.ended(.refused(0x84, reason: nil), lasted: nil, random: 0.5)
        #expect(next == .init(wait: .zero, reason: "one:1 has no MQTT 5; using 3.1.1", isHeld: false))
        #expect(rotation.version == .v311 && rotation.server == one)
        _ = rotation.ended(.failed("down"), lasted: nil, random: 0.5)
        #expect(rotation.version == .v5 && rotation.server == two)
    }

    @Test func `a refused login waits for five minutes`() {
        var rotation = ServerRotation(servers: [one], clientID: "id", forced: .v5)
        let next = rotation.ended(.refused(0x86, reason: nil), lasted: nil, random: 0)
        #expect(next.isHeld && next.wait == .seconds(300))
        #expect(next.reason.contains("check username, password and client-id"))
        #expect(rotation.ended(.refused(0x84, reason: nil), lasted: nil, random: 0).reason.hasSuffix("change protocol"))
    }

    // MARK: Acknowledgements

    @Test func `an acknowledgement is overdue after the limit, and one that is not awaited is ignored`() {
        let start = Duration.seconds(1_000)
        var inFlight = InFlight<String>(limit: .seconds(30))
        inFlight.sent(7, "a", at: start)
        inFlight.sent(8, "b", at: start + .seconds(1))
        #expect(inFlight.acknowledged(9) == nil)
        #expect(!inFlight.isOverdue(at: start + .seconds(29)))
        #expect(inFlight.isOverdue(at: start + .seconds(30)))
        #expect(inFlight.acknowledged(7) == "a")
        #expect(inFlight.acknowledged(7) == nil)
        #expect(inFlight.deadline == start + .seconds(31))
    }

    // MARK: Becoming ready

    private let birth = Birth(instance: "aa", connection: 5)
    private let last = Birth(instance: "aa", connection: 4)

    private func state(_ word: String, _ birth: Birth) -> [UInt8] {
        Array("{\"state\":\"\(word)\",\"instance\":\"\(birth.instance)\",\"connection\":\(birth.connection)}".utf8)
    }

    private func ready(session: Bool, before: [UInt8]?, last: Birth?, _ version: MQTTVersion = .v5) -> Readiness.Action
    {
        var readiness = Readiness(topic: "t", version: version, birth: birth, last: last, probes: true)
        _ = readiness.connected(ConnectAnswer(code: 0, isSessionPresent: session))
        _ = readiness.subscribed(isGranted: true)
        if let before { _ = readiness.received(before) }
        _ = readiness.birthPublished(.acknowledged(0))
        return readiness.received(state("online", birth))
    }

    @Test func `a broker that saw the last connection end has lost nothing; any other may have`() {
        let offline = state("offline", last)
        #expect(ready(session: true, before: offline, last: last) == .ready(lostTaps: false))
        #expect(ready(session: false, before: offline, last: last) == .ready(lostTaps: true))
        #expect(ready(session: true, before: state("online", last), last: last) == .ready(lostTaps: true))
        #expect(ready(session: true, before: nil, last: last) == .ready(lostTaps: true))
        let older = state("offline", Birth(instance: "aa", connection: 3))
        #expect(ready(session: true, before: older, last: last) == .ready(lostTaps: true))
        #expect(ready(session: true, before: offline, last: nil) == .ready(lostTaps: true))
        #expect(ready(session: true, before: Array("rubbish".utf8), last: last) == .ready(lostTaps: true))
    }

    @Test func `MQTT 3.1.1 is ready once its state came back, and MQTT 5 also without`() {
        for (version, probes, isReady) in [(MQTTVersion.v5, true, true), (.v311, true, false), (.v311, false, true)] {
            var readiness = Readiness(topic: "t", version: version, birth: birth, last: nil, probes: probes)
            _ = readiness.connected(ConnectAnswer(code: 0, isSessionPresent: true))
            #expect(readiness.subscribed(isGranted: true) == .publishBirth)
            #expect(readiness.birthPublished(.acknowledged(0)) == .none)
            let action = readiness.timedOut()
            #expect(isReady == (action == .ready(lostTaps: true)))
            if case .held(let reason) = action { #expect(!isReady && reason.hasSuffix("or set probe = false")) }
        }
    }
}
