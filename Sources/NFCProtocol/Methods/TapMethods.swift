// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

// The journal of taps: `taps.*`.

/// Subscribes to the taps of the journal, in order.
///
/// Each is a `taps.didRecord`. Up to 100 are sent before the client acknowledges them, fewer of those with long messages; then
/// the next wait. A client gets the taps of the readers that its grants allow.
public enum TapsSubscribe: Method {
    public static let name = "taps.subscribe"
    public static let requirement = Requirement.capability(.taps)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The name of a consumer: the journal keeps its taps until it acknowledges them, also while it is not connected.
        /// 1 to 128 bytes. Without it, nothing is kept for the subscription.
        public var consumer: String?
        /// The sequence number after which to begin; the default is what the consumer acknowledged last, and for a new one, or
        /// without one, the newest tap.
        public var after: TapPosition?
        /// `proven`: only taps whose tag has proven itself; the default is all. The consumer acknowledges the others without
        /// receiving them.
        public var require: ProofRequirement?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the subscription.
        public var subscription: String
        /// The journal that the sequence numbers are of; another one after it was lost.
        public var epoch: String
        /// The sequence number after which the taps begin.
        public var after: Int64
        /// The sequence number of the newest tap; 0 if there is none.
        public var newest: Int64
    }
}

/// Ends a subscription of `taps.subscribe`. The consumer keeps its place.
public enum TapsUnsubscribe: Method {
    public static let name = "taps.unsubscribe"
    public static let requirement = Requirement.capability(.taps)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The subscription.
        public var subscription: String
    }
}

/// Acknowledges every tap up to a sequence number.
///
/// It names a subscription of the client, whose next taps are then sent, or a consumer. A consumer that does not exist is
/// added. Its name belongs to the user of the client. A consumer that acknowledges less than before gets the later taps again,
/// as far as the journal still has them.
public enum TapsAcknowledge: Method {
    public static let name = "taps.acknowledge"
    public static let requirement = Requirement.capability(.taps)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The subscription. Its consumer, if it has one, acknowledges the taps.
        public var subscription: String?
        /// The consumer, 1 to 128 bytes; either this or `subscription` is required.
        public var consumer: String?
        /// The sequence number of the last tap that the client has stored. Without it, a new consumer begins with the next tap,
        /// and an old one keeps its place.
        public var sequence: Int64?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The journal that the sequence number is of.
        public var epoch: String
        /// What is acknowledged now.
        public var acknowledged: Int64
    }
}

/// Lists taps of the journal: those after a sequence number in order, or the newest first.
///
/// An answer has as many as fit into a line.
public enum TapsList: Method {
    public static let name = "taps.list"
    public static let requirement = Requirement.capability(.taps)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The sequence number after which to begin; the default is 0, the oldest tap. With `newestFirst`, the number before which to
        /// begin, and by default the newest tap.
        public var after: Int64?
        /// The ids of the readers whose taps to list; the default is all.
        public var readers: [String]?
        /// The most taps to return, 1 to 1000; the default is 100.
        public var limit: Int?
        /// Whether the newest tap is listed first; the default is false.
        public var newestFirst: Bool?
    }

    public struct Result: Codable, Sendable {
        /// The journal that the sequence numbers are of.
        public var epoch: String
        /// The taps.
        public var taps: [RecordedTap]
        /// Whether there are more.
        public var hasMore: Bool
    }
}

/// Returns the state of the journal and its consumers.
public enum TapsStatus: Method {
    public static let name = "taps.status"
    public static let requirement = Requirement.capability(.taps)
    public typealias Parameters = Empty

    public struct Consumer: Codable, Sendable, Hashable {
        /// The name.
        public var name: String
        /// The user it belongs to.
        public var uid: UInt32
        /// The last tap it acknowledged; 0 for none.
        public var acknowledged: Int64
        /// How many taps it has not acknowledged.
        public var backlog: Int
        /// When the oldest tap it has not acknowledged was read: RFC 3339, in UTC; absent if there is none.
        public var oldest: String?
        /// How many taps were deleted although it had not acknowledged them.
        public var lost: Int?

        package init(
            name: String, uid: UInt32, acknowledged: Int64, backlog: Int, oldest: String?, lost: Int? = nil
        ) {
            self.lost = lost
            self.name = name
            self.uid = uid
            self.acknowledged = acknowledged
            self.backlog = backlog
            self.oldest = oldest
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// Whether the journal takes taps.
        public var state: JournalState
        /// The reason why it does not, and what to do.
        public var reason: String?
        /// The journal that the sequence numbers are of; empty if there is none.
        public var epoch: String
        /// The sequence number of the oldest tap; 0 if there is none.
        public var oldest: Int64
        /// The sequence number of the newest tap; 0 if there is none.
        public var newest: Int64
        /// The number of taps.
        public var taps: Int
        /// The limit of `taps`.
        public var tapLimit: Int
        /// The size of the taps in bytes.
        public var bytes: Int64
        /// The limit of `bytes`.
        public var byteLimit: Int64
        /// The number of taps that were deleted although a consumer had not acknowledged them.
        public var dropped: Int64
        /// The number of damaged journals that were moved aside.
        public var movedAside: Int
        /// The form in which the journal stores the UIDs of tags; absent if there is no journal, or if it could not be opened.
        public var identifiers: IdentifierForm?
        /// The consumers, by name.
        public var consumers: [Consumer]
    }
}

/// Removes a consumer that is gone permanently, so that the journal no longer keeps taps for it.
///
/// A consumer of another user needs `manage`.
public enum TapsRemoveConsumer: Method {
    public static let name = "taps.removeConsumer"
    public static let requirement = Requirement.capability(.taps)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The name.
        public var consumer: String
    }
}

/// Deletes the oldest taps of the journal.
public enum TapsPrune: Method {
    public static let name = "taps.prune"
    public static let requirement = Requirement.capability(.manage)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The sequence number of the last tap to delete.
        public var through: Int64
        /// Whether also taps are deleted that a consumer has not acknowledged; the default is false.
        public var includeUndelivered: Bool?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The number of taps that were deleted.
        public var removed: Int
    }
}

/// A tap was stored in the journal.
public struct TapsDidRecord: ServerNotification {
    public static let name = "taps.didRecord"
    public static let requirement = Requirement.capability(.taps)

    /// The subscription.
    public var subscription: String
    /// The tap.
    public var tap: RecordedTap
}

/// Where to begin in the journal: after a sequence number, or after the newest tap.
public enum TapPosition: Sendable, Hashable, Codable {
    /// After this sequence number; 0 for the oldest tap.
    case sequence(Int64)
    /// After the newest tap.
    case new

    /// Decodes a number, or `"new"`.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int64.self), number >= 0 {
            self = .sequence(number)
        } else if (try? value.decode(String.self)) == "new" {
            self = .new
        } else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected a number of at least 0, or \"new\"")
        }
    }

    /// Encodes a number, or `"new"`.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .sequence(let number): try value.encode(number)
        case .new: try value.encode("new")
        }
    }
}
