public import NFCTags

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
        /// Why the reader does not work; nil if it works.
        public fileprivate(set) var failure: String?
    }

    /// Why the readers cannot be accessed; nil if they can.
    public private(set) var unavailable: String? = "the readers have not been listed yet"
    /// The readers in the order in which they were plugged in.
    public private(set) var entries: [Entry] = []

    /// An empty table.
    public init() {}

    /// The entry of a reader.
    public subscript(_ id: ReaderID) -> Entry? {
        entries.first { $0.description.id == id }
    }

    /// Applies an event. An event of an unknown reader changes nothing.
    public mutating func apply(_ event: ReaderEvent) {
        switch event {
        case .serviceAvailable: unavailable = nil
        case .serviceUnavailable(let reason):
            unavailable = reason
            entries = []
        case .attached(let description):
            remove(description.id)
            entries.append(Entry(description: description))
        case .described(let description): update(description.id) { $0.description = description }
        case .detached(let id): remove(id)
        case .tagArrived(let arrival): update(arrival.reader) { $0.tag = arrival }
        case .tagLeft(let id), .tagMute(let id): update(id) { $0.tag = nil }
        case .failed(let id, let reason): update(id) { $0.failure = reason }
        case .recovered(let id): update(id) { $0.failure = nil }
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
