// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import NFCProtocol

/// Returns the state of every consumer.
public enum RelayStatus: Method {
    public static let name = "relay.status"
    public static let summary = "Returns the state of every consumer."
    public static let requirement = Requirement.nothing
    public typealias Parameters = Empty

    /// What a consumer is.
    public enum Kind: String, Choice {
        case mqtt, webhook, command
    }

    /// What a consumer is doing.
    public enum State: String, Choice {
        /// It delivers, or has delivered everything.
        case connected
        /// Its receiver is out of reach; it tries again by itself.
        case waiting
        /// Its receiver refuses everything because of the configuration; it tries again slowly, and needs a person.
        case held
        /// It was paused by a person.
        case paused
    }

    public struct Consumer: Codable, Sendable, Hashable {
        public var name: String
        public var kind: Kind
        public var state: State
        /// How many taps it has not delivered.
        public var backlog: Int
        /// When the oldest of them was read: RFC 3339.
        public var oldest: String?
        /// How many taps it delivered since the relay was started.
        public var delivered: Int
        /// How many taps of readers that are not its own it left out since the relay was started; absent unless there were some.
        public var ofOtherReaders: Int?
        /// How many taps without a proof it left out since the relay was started; absent unless there were some.
        public var passedOver: Int?
        /// How many taps older than its max-age it left out since the relay was started; absent unless there were some.
        public var tooOld: Int?
        /// How many taps are in its dead-letter list.
        public var parked: Int
        /// The last error, and when it occurred: RFC 3339.
        public var lastError: String?
        public var lastErrorTime: String?

        public init(
            name: String, kind: Kind, state: State, backlog: Int, oldest: String? = nil, delivered: Int = 0,
            ofOtherReaders: Int? = nil, passedOver: Int? = nil, tooOld: Int? = nil, parked: Int = 0,
            lastError: String? = nil,
            lastErrorTime: String? = nil
        ) {
            self.name = name
            self.kind = kind
            self.state = state
            self.backlog = backlog
            self.oldest = oldest
            self.delivered = delivered
            self.ofOtherReaders = ofOtherReaders
            self.passedOver = passedOver
            self.tooOld = tooOld
            self.parked = parked
            self.lastError = lastError
            self.lastErrorTime = lastErrorTime
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        public var version: String
        /// Whether the relay is connected to nfcd.
        public var daemonConnected: Bool
        /// Why it is not.
        public var daemonError: String?
        public var consumers: [Consumer]

        public init(version: String, daemonConnected: Bool, daemonError: String?, consumers: [Consumer]) {
            self.version = version
            self.daemonConnected = daemonConnected
            self.daemonError = daemonError
            self.consumers = consumers
        }
    }
}

/// Delivers a test event to the receiver of a consumer, once, and returns what came of it.
public enum RelayTest: Method {
    public static let name = "relay.test"
    public static let summary = "Delivers a test event to the receiver of a consumer."
    public static let requirement = Requirement.capability(.manage)

    public struct Parameters: Codable, Sendable, Hashable {
        public var consumer: String

        public init(consumer: String) {
            self.consumer = consumer
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        public var delivered: Bool
        /// What the receiver answered, or what failed.
        public var detail: String

        public init(delivered: Bool, detail: String) {
            self.delivered = delivered
            self.detail = detail
        }
    }
}

/// Lists the taps that a receiver refused permanently.
public enum RelayParked: Method {
    public static let name = "relay.parked"
    public static let summary = "Lists the taps that a receiver refused permanently."
    public static let requirement = Requirement.nothing
    public typealias Result = [Tap]

    public struct Parameters: Codable, Sendable, Hashable {
        /// One consumer; the default is all.
        public var consumer: String?

        public init(consumer: String? = nil) {
            self.consumer = consumer
        }
    }

    public struct Tap: Codable, Sendable, Hashable {
        public var consumer: String
        public var sequence: Int64
        public var id: String
        public var reader: String
        /// When it was parked: RFC 3339.
        public var time: String
        public var attempts: Int
        public var reason: String

        public init(
            consumer: String, sequence: Int64, id: String, reader: String, time: String, attempts: Int, reason: String
        ) {
            self.consumer = consumer
            self.sequence = sequence
            self.id = id
            self.reader = reader
            self.time = time
            self.attempts = attempts
            self.reason = reason
        }
    }
}

/// Delivers parked taps again, or discards them.
public enum RelayUnpark: Method {
    public static let name = "relay.unpark"
    public static let summary = "Delivers parked taps again, or discards them."
    public static let requirement = Requirement.capability(.manage)

    /// What to do with a parked tap.
    public enum Action: String, Choice {
        case retry, discard
    }

    public struct Parameters: Codable, Sendable, Hashable {
        public var consumer: String
        /// The id of a tap; the default is all.
        public var id: String?
        public var action: Action

        public init(consumer: String, id: String? = nil, action: Action) {
            self.consumer = consumer
            self.id = id
            self.action = action
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        public var changed: Int

        public init(changed: Int) {
            self.changed = changed
        }
    }
}

/// Stops or starts the deliveries of a consumer.
public enum RelayPause: Method {
    public static let name = "relay.pause"
    public static let summary = "Stops or starts the deliveries of a consumer."
    public static let requirement = Requirement.capability(.manage)
    public typealias Result = Empty

    public struct Parameters: Codable, Sendable, Hashable {
        public var consumer: String
        public var paused: Bool

        public init(consumer: String, paused: Bool) {
            self.consumer = consumer
            self.paused = paused
        }
    }
}

/// Delivers the taps after a sequence number again.
public enum RelayReplay: Method {
    public static let name = "relay.replay"
    public static let summary = "Delivers the taps after a sequence number again, with their ids."
    public static let requirement = Requirement.capability(.manage)
    public typealias Result = Empty

    public struct Parameters: Codable, Sendable, Hashable {
        public var consumer: String
        public var after: Int64

        public init(consumer: String, after: Int64) {
            self.consumer = consumer
            self.after = after
        }
    }
}

/// Returns counters, backlogs and ages in the text format of Prometheus.
public enum RelayMetrics: Method {
    public static let name = "relay.metrics"
    public static let summary = "Returns counters, backlogs and ages in the text format of Prometheus."
    public static let requirement = Requirement.nothing
    public typealias Parameters = Empty

    public struct Result: Codable, Sendable, Hashable {
        public var text: String

        public init(text: String) {
            self.text = text
        }
    }
}
