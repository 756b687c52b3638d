/// What a caller may do, in the way an app's entitlements say it.
public struct Entitlements: Sendable, Hashable {
    /// A kind of session (`com.apple.developer.nfc.readersession.formats`).
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Messages.
        case ndef = "NDEF"
        /// Tags and their own commands.
        case tag = "TAG"
        /// Cards that speak PACE.
        case pace = "PACE"
    }

    /// Something to do with readers and tags.
    public enum Capability: String, Sendable, Hashable, CaseIterable {
        /// Read messages.
        case read
        /// Write and erase messages.
        case write
        /// Make tags read-only, for ever.
        case lock
        /// Format tags.
        case format
        /// Send commands of one's own.
        case raw
        /// Hear of taps while no session holds the reader.
        case background
        /// See what readers and other clients do.
        case monitor
        /// End the sessions of others.
        case manage
        /// Put virtual tags on simulated readers.
        case simulate
    }

    /// Names of which some, or all, are allowed.
    public enum Names<Name: Sendable & Hashable>: Sendable, Hashable {
        /// Every one there is.
        case all
        /// These.
        case some(Set<Name>)

        /// Whether a name is among them.
        public func contains(_ name: Name) -> Bool {
            switch self {
            case .all: true
            case .some(let names): names.contains(name)
            }
        }

        /// What either of two allows.
        func union(_ other: Names) -> Names {
            guard case .some(let mine) = self, case .some(let theirs) = other else { return .all }
            return .some(mine.union(theirs))
        }
    }

    /// The kinds of session.
    public var formats: Set<Format>
    /// What may be done.
    public var capabilities: Set<Capability>
    /// ISO/IEC 7816 applications that may be selected, by name, 5 to 16 bytes.
    public var selectIdentifiers: Names<[UInt8]>
    /// FeliCa systems that may be polled.
    public var systemCodes: Names<UInt16>
    /// Readers that may be used, by id or name.
    public var readers: Names<String>

    /// Entitlements; by default none.
    public init(
        formats: Set<Format> = [], capabilities: Set<Capability> = [], selectIdentifiers: Names<[UInt8]> = .some([]),
        systemCodes: Names<UInt16> = .some([]), readers: Names<String> = .some([])
    ) {
        self.formats = formats
        self.capabilities = capabilities
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
        self.readers = readers
    }

    /// Everything there is.
    public static let everything = Entitlements(
        formats: Set(Format.allCases), capabilities: Set(Capability.allCases), selectIdentifiers: .all,
        systemCodes: .all, readers: .all)

    /// What either of two allows.
    func union(_ other: Entitlements) -> Entitlements {
        Entitlements(
            formats: formats.union(other.formats), capabilities: capabilities.union(other.capabilities),
            selectIdentifiers: selectIdentifiers.union(other.selectIdentifiers),
            systemCodes: systemCodes.union(other.systemCodes), readers: readers.union(other.readers))
    }
}
