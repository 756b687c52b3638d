public import NFCTags

/// A source of readers: PC/SC or the simulator.
public protocol ReaderDriver: Sendable {
    /// Monitors readers and tags until the task is cancelled.
    ///
    /// - Parameter report: receives the events in order; it must not block.
    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async

    /// Returns when the reported readers are up to date, after ``refreshLimit`` at the latest. A driver that pauses before its
    /// next attempt tries at once.
    func refresh() async

    /// Connects to the tag on a reader. A reader has at most one connection at a time; the caller closes it.
    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection

    /// Caches the family that a probe found, and reports the reader's new description before it returns.
    func cache(_ profile: ReaderProfile, of reader: ReaderID)

    /// Sends a command to the reader itself, if its driver allows it. Neither the answer nor an error is reported.
    func escape(_ command: [UInt8], to reader: ReaderID) async

    /// Readers that nfcd still waits for long after the deadline of a call, which means that nfcd hangs.
    var hungReaders: [ReaderID] { get }
}

/// The time limit of a refresh: a service that hangs must not delay the clients that list readers.
package let refreshLimit = Duration.seconds(2)

/// A connection to a tag, until it is closed. It is exclusive, unless it is shared.
public protocol CardConnection: CardChannel {
    /// The answer to reset when the connection began, 0 to 33 bytes.
    var answerToReset: [UInt8] { get }

    /// Resets the tag, which loses its state: keys, selected applications and files. The connection stays exclusive.
    func reconnect() async throws(CardChannelError)

    /// The same connection with one time limit for all exchanges together, beginning now, instead of a limit for each. When it
    /// is over, exchanges fail with a timeout.
    func limited(to limit: Duration) -> any CardConnection

    /// How other programs use the tag too; nil if no other program can use the reader.
    var sharing: (any TagSharing)? { get }

    /// Disconnects from the tag, within a time limit.
    func close() async
}

/// Lets other programs use a tag between the uses of a connection.
public protocol TagSharing: Sendable {
    /// Changes whether other programs may use the tag except between `beginUse` and `endUse`. The tag is not reset.
    ///
    /// - Throws: ``CardChannelError/busy`` where another program does not release the tag in time: then the next use makes
    ///   the connection exclusive. ``CardChannelError/tagLost`` where another program has reset the tag, or it left.
    func share(_ isShared: Bool) async throws(CardChannelError)

    /// Begins a use of a tag that is or was shared, and waits for other programs to end theirs.
    ///
    /// - Throws: ``CardChannelError/busy`` and ``CardChannelError/tagLost`` as `share`.
    func beginUse() async throws(CardChannelError)

    /// Ends a use of a tag that is or was shared.
    func endUse() async
}

extension ReaderDriver {
    /// Shows or sounds the result of an operation at a reader, if that is configured and the reader supports it. Some readers
    /// answer only when they have finished, so no operation may wait for the reader. Errors are ignored.
    public func signal(_ kind: ReaderFeedback.Kind, on reader: ReaderDescription) async {
        guard reader.givesFeedback, let feedback = reader.profile.feedback(kind) else { return }
        switch feedback.route {
        case .escape: await escape(feedback.command, to: reader.id)
        case .transmit:
            guard let connection = try? await connect(to: reader.id) else { return }
            _ = try? await connection.transmit(feedback.command)
            await connection.close()
        }
    }
}

/// An event of a driver's readers.
public enum ReaderEvent: Sendable, Hashable {
    /// The driver's service is being started. Every reader is detached. One of the next two events follows within the driver's
    /// start limit.
    case serviceStarting
    /// The driver can access readers, and has reported those that are plugged in; sent again after each loss of the service.
    case serviceAvailable
    /// The driver cannot access any reader, with the reason. Every reader is detached.
    case serviceUnavailable(reason: String)
    /// A reader was plugged in.
    case attached(ReaderDescription)
    /// The description of an attached reader changed.
    case described(ReaderDescription)
    /// A reader was unplugged.
    case detached(ReaderID)
    /// A tag came into the field.
    case tagArrived(TagArrival)
    /// The tag left the field.
    case tagLeft(ReaderID)
    /// A tag is in the field and does not answer.
    case tagMute(ReaderID)
    /// The reader no longer answers, with the reason.
    case failed(ReaderID, reason: String)
    /// The reader works, but another program holds it; with what is known about that.
    case blocked(ReaderID, reason: String)
    /// A failed reader answers again, or the other program released it.
    case recovered(ReaderID)

    /// Whether it changes which readers can be used, or for what, and not only the tags on them.
    public var changesReaders: Bool {
        switch self {
        case .serviceStarting, .serviceAvailable, .serviceUnavailable: true
        case .attached, .described, .detached, .failed, .recovered: true
        case .tagArrived, .tagLeft, .tagMute, .blocked: false
        }
    }
}

/// Whether a driver can access readers.
public enum ReaderService: Sendable, Hashable {
    /// Its service is being started: it is known within the driver's start limit whether readers can be accessed.
    case starting
    /// It can.
    case available
    /// It cannot, with the reason.
    case unavailable(reason: String)

    /// Why readers cannot be accessed; nil if they can.
    public var reason: String? {
        switch self {
        case .starting: "the PC/SC service is being started"
        case .available: nil
        case .unavailable(let reason): reason
        }
    }
}

/// A reader's name within nfcd. It stays the same when the reader is plugged in again, as far as nfcd can recognize it.
public struct ReaderID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name in JSON.
    public let rawValue: String

    /// Creates an id from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name.
    public var description: String { rawValue }
}

/// The properties of a reader.
public struct ReaderDescription: Sendable, Hashable {
    /// The name within nfcd.
    public let id: ReaderID
    /// The display name, from the driver.
    public let name: String
    /// The reader family.
    public let profile: ReaderProfile
    /// Whether the family is known; if not, the first Type 2 tag is used to probe the reader.
    public let isProfileKnown: Bool
    /// The supported tag technologies.
    public let technologies: [PollingTechnology]
    /// The serial number, if the name or the driver contains it.
    public let serial: String?
    /// Whether it shows or sounds the result of an operation.
    public let givesFeedback: Bool

    /// Creates a description; the technologies are those of the profile by default.
    public init(
        id: ReaderID, name: String, profile: ReaderProfile = .generic, isProfileKnown: Bool = true,
        technologies: [PollingTechnology]? = nil, serial: String? = nil, givesFeedback: Bool = false
    ) {
        self.id = id
        self.name = name
        self.profile = profile
        self.isProfileKnown = isProfileKnown
        self.technologies = technologies ?? profile.technologies
        self.serial = serial
        self.givesFeedback = givesFeedback
    }

    /// Whether a text is the reader's id or name.
    public func matches(_ text: String) -> Bool {
        id.rawValue == text || name == text
    }
}

/// The arrival of a tag in a field; a tag that leaves and returns is another arrival.
public struct TagArrival: Sendable, Hashable {
    /// The reader.
    public let reader: ReaderID
    /// Unique among the arrivals on this reader.
    public let number: UInt64
    /// The answer to reset as the reader reports it: 0 to 33 bytes, not validated.
    public let answerToReset: [UInt8]

    /// Creates an arrival.
    public init(reader: ReaderID, number: UInt64, answerToReset: [UInt8]) {
        self.reader = reader
        self.number = number
        self.answerToReset = answerToReset
    }
}

/// The current readers, updated by their events. A value: no I/O.
public struct ReaderTable: Sendable {
    /// A reader and its tag.
    public struct Entry: Sendable, Hashable {
        /// The reader.
        public fileprivate(set) var description: ReaderDescription
        /// The tag in the field.
        public fileprivate(set) var tag: TagArrival?
        fileprivate var condition = Condition.works

        /// Why the reader does not work; nil if it works.
        public var failure: String? { if case .failed(let reason) = condition { reason } else { nil } }
        /// Why no tag can be read although the reader works: another program holds it. Nil if none does.
        public var blocked: String? { if case .blocked(let reason) = condition { reason } else { nil } }
    }

    /// Whether a reader can be used.
    fileprivate enum Condition: Sendable, Hashable {
        case works
        case blocked(String)
        case failed(String)
    }

    /// Whether the readers can be accessed.
    public private(set) var service = ReaderService.starting
    /// The readers in the order in which they were plugged in.
    public private(set) var entries: [Entry] = []

    /// An empty table.
    public init() {}

    /// Why the readers cannot be accessed; nil if they can.
    public var unavailable: String? { service.reason }

    /// The entry of a reader.
    public subscript(_ id: ReaderID) -> Entry? {
        entries.first { $0.description.id == id }
    }

    /// Applies an event. An event of an unknown reader changes nothing.
    public mutating func apply(_ event: ReaderEvent) {
        switch event {
        case .serviceStarting:
            service = .starting
            entries = []
        case .serviceAvailable: service = .available
        case .serviceUnavailable(let reason):
            service = .unavailable(reason: reason)
            entries = []
        case .attached(let description):
            remove(description.id)
            entries.append(Entry(description: description))
        case .described(let description): update(description.id) { $0.description = description }
        case .detached(let id): remove(id)
        case .tagArrived(let arrival): update(arrival.reader) { $0.tag = arrival }
        case .tagLeft(let id), .tagMute(let id): update(id) { $0.tag = nil }
        case .failed(let id, let reason): update(id) { $0.condition = .failed(reason) }
        case .blocked(let id, let reason): update(id) { $0.condition = .blocked(reason) }
        case .recovered(let id): update(id) { $0.condition = .works }
        }
    }

    private mutating func remove(_ id: ReaderID) {
        entries.removeAll { $0.description.id == id }
    }

    private mutating func update(_ id: ReaderID, _ change: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.description.id == id }) else { return }
        change(&entries[index])
    }
}
