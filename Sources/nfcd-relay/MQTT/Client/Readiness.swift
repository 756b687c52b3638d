import FoundationEssentials

/// The steps from CONNACK to the first tap: what the broker remembers, and whether it takes what the relay publishes.
///
/// The relay subscribes to its own retained state and publishes it. What was there before shows whether the broker lost data: a
/// broker that saw the last connection end has published the will, `offline`; one that was killed and read an old file shows
/// something else. That the message comes back is the only proof on MQTT 3.1.1 that it was not refused, since its PUBACK
/// has no reason.
///
/// A value without I/O: each method returns what to do next.
struct Readiness: Sendable {
    /// What to do next.
    enum Action: Sendable, Hashable {
        case none
        case subscribe
        case publishBirth
        /// Taps can be delivered.
        case ready(lostTaps: Bool)
        /// A person has to change something.
        case held(String)
    }

    /// Whether the published state comes back.
    private enum Return {
        case awaited
        case seen
        /// The relay may not read it, or it has not come in time.
        case missing
    }

    /// What the broker has shown on this connection.
    private struct Proof {
        var isSessionPresent = false
        /// The state that was there before.
        var previous: Birth.State?
        var isAcknowledged = false
        var state = Return.awaited
    }

    private enum Phase {
        case proving(Proof)
        /// Taps are delivered, or a person has to change something.
        case done
    }

    private let topic: String
    private let version: MQTTVersion
    private let birth: Birth
    /// The last connection on which taps were delivered; nil if there was none, or it is not known.
    private let last: Birth?
    /// Whether MQTT 3.1.1 is only trusted once the state came back.
    private let probes: Bool
    private var phase = Phase.proving(Proof())

    init(topic: String, version: MQTTVersion, birth: Birth, last: Birth?, probes: Bool) {
        self.topic = topic
        self.version = version
        self.birth = birth
        self.last = last
        self.probes = probes
    }

    /// The broker accepted the connection.
    mutating func connected(_ answer: ConnectAnswer) -> Action {
        phase = .proving(Proof(isSessionPresent: answer.isSessionPresent))
        return .subscribe
    }

    /// The broker answered the subscription.
    mutating func subscribed(isGranted: Bool) -> Action {
        if case .proving(var proof) = phase, !isGranted {
            proof.state = .missing
            phase = .proving(proof)
        }
        return .publishBirth
    }

    /// A message arrived on the topic of the state.
    mutating func received(_ payload: [UInt8]) -> Action {
        guard case .proving(var proof) = phase else { return .none }
        let state = Birth.state(payload)
        if state == Birth.State(isOnline: true, birth: birth) {
            proof.state = .seen
        } else if proof.state != .seen {
            proof.previous = state
        }
        return proceed(proof)
    }

    /// The broker answered the birth message.
    mutating func birthPublished(_ outcome: PublishOutcome) -> Action {
        guard case .proving(var proof) = phase else { return .none }
        switch outcome {
        case .acknowledged(0x87): return hold("the broker does not allow this user to publish on \(topic)")
        case .acknowledged(let code) where code >= 0x80:
            return hold("the broker refuses the state of this machine on \(topic): \(ReasonCode.name(code))")
        case .tooLong(let limit):
            return hold("the state of this machine is longer than the broker's limit of \(limit) bytes")
        case .invalid(let reason): return hold(reason)
        case .acknowledged: proof.isAcknowledged = true
        case .notConnected, .cut, .cancelled: return .none
        }
        return proceed(proof)
    }

    /// The message has not come back in time.
    mutating func timedOut() -> Action {
        guard case .proving(var proof) = phase, proof.isAcknowledged else { return .none }
        if version == .v311, probes {
            return hold(
                "the state of this machine was published on \(topic), but did not come back: allow this user to read and write the"
                    + " topic in the broker's access list, or set probe = false")
        }
        proof.state = .missing
        return proceed(proof)
    }

    private mutating func hold(_ reason: String) -> Action {
        phase = .done
        return .held(reason)
    }

    /// Whether taps can be delivered now. The broker has kept them if it knows the session and how the last connection ended.
    private mutating func proceed(_ proof: Proof) -> Action {
        phase = .proving(proof)
        switch proof.state {
        case .awaited: return .none
        case .missing where version == .v311 && probes: return .none
        case .seen, .missing: break
        }
        guard proof.isAcknowledged else { return .none }
        phase = .done
        let end = last.map { Birth.State(isOnline: false, birth: $0) }
        return .ready(lostTaps: !proof.isSessionPresent || end == nil || proof.previous != end)
    }
}

/// Which connection of which process a state message belongs to, so that a late will is not taken for a new one.
struct Birth: Sendable, Hashable, Codable {
    /// What a state message says.
    struct State: Sendable, Hashable {
        let isOnline: Bool
        let birth: Birth
    }

    private struct Message: Decodable {
        let state: String
        let instance: String
        let connection: Int
    }

    /// A random name of the process.
    let instance: String
    /// Its connections to the broker, counted from 1.
    var connection: Int

    /// Reads a state message; nil if it is another message.
    static func state(_ payload: [UInt8]) -> State? {
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(payload)) else { return nil }
        return State(
            isOnline: message.state == "online",
            birth: Birth(instance: message.instance, connection: message.connection))
    }
}
