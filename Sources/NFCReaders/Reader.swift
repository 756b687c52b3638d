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

extension ReaderProfile {
    /// The technologies there is a way for.
    var technologies: [String] {
        ["iso14443"] + (iso15693Way == .none ? [] : ["iso15693"]) + (feliCaWay == .none ? [] : ["iso18092"])
    }
}
