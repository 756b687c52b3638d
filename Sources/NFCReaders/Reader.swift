public import NFCTags

/// A reader's name within nfcd: stable across re-plugging as far as the reader lets itself be recognised.
public struct ReaderID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Any value is carried.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The same as text.
    public var description: String { rawValue }
}

/// What is known of a reader.
public struct ReaderDescription: Sendable, Hashable {
    /// The name within nfcd.
    public let id: ReaderID
    /// The name for people, as its driver gives it.
    public let name: String
    /// What it lets through, and how.
    public let profile: ReaderProfile
    /// Whether the profile is sure; if not, the first Type 2 tag is used to find out.
    public let isProfileKnown: Bool
    /// The tag technologies it reads: `iso14443`, `iso15693`, `iso18092`.
    public let technologies: [String]
    /// The serial number, where the name or the driver tells it.
    public let serial: String?
    /// Whether it shows or sounds how an operation ended.
    public let givesFeedback: Bool

    /// All fields; the technologies are those of the profile unless given.
    public init(
        id: ReaderID, name: String, profile: ReaderProfile = .generic, isProfileKnown: Bool = true,
        technologies: [String]? = nil, serial: String? = nil, givesFeedback: Bool = false
    ) {
        self.id = id
        self.name = name
        self.profile = profile
        self.isProfileKnown = isProfileKnown
        self.technologies = technologies ?? profile.technologies
        self.serial = serial
        self.givesFeedback = givesFeedback
    }

    /// Whether somebody who writes `text` means this reader: by its id or its name.
    public func matches(_ text: String) -> Bool {
        id.rawValue == text || name == text
    }
}

/// One tag coming into a field; a tag that leaves and comes back is another arrival.
public struct TagArrival: Sendable, Hashable {
    /// The reader it came to.
    public let reader: ReaderID
    /// Different for every arrival on this reader.
    public let number: UInt64
    /// The answer to reset as the reader reports it: 0 to 33 bytes, not yet checked.
    public let answerToReset: [UInt8]

    /// All fields.
    public init(reader: ReaderID, number: UInt64, answerToReset: [UInt8]) {
        self.reader = reader
        self.number = number
        self.answerToReset = answerToReset
    }
}

/// The readers of the moment, kept up to date by their events. A value: no I/O.
public struct ReaderTable: Sendable {
    /// One reader and what lies on it.
    public struct Entry: Sendable, Hashable {
        /// The reader.
        public fileprivate(set) var description: ReaderDescription
        /// The tag in the field.
        public fileprivate(set) var tag: TagArrival?
        /// Why the reader does not work, if it does not.
        public fileprivate(set) var failure: String?
    }

    /// Whether readers can be seen at all; if not, why.
    public private(set) var unavailable: String? = "the readers have not been looked for yet"
    /// The readers in the order in which they were plugged in.
    public private(set) var entries: [Entry] = []

    /// An empty table.
    public init() {}

    /// The entry of a reader.
    public subscript(_ id: ReaderID) -> Entry? {
        entries.first { $0.description.id == id }
    }

    /// Takes in what happened. An event about a reader that is not there changes nothing.
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
