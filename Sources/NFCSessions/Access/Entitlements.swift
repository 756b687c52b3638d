public import NFCTypes
public import NFCReaders
public import NFCTags

/// What a client may do, in the terms of an app's entitlements.
public struct Entitlements: Sendable, Hashable {
    /// A set of names, or all of them.
    public enum Names<Name: Sendable & Hashable>: Sendable, Hashable {
        /// Every name.
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
    public var formats: Set<SessionFormat>
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
        formats: Set<SessionFormat> = [], capabilities: Set<Capability> = [],
        selectIdentifiers: Names<[UInt8]> = .some([]),
        systemCodes: Names<UInt16> = .some([]), readers: Names<String> = .some([])
    ) {
        self.formats = formats
        self.capabilities = capabilities
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
        self.readers = readers
    }

    /// Everything.
    public static let everything = Entitlements(
        formats: Set(SessionFormat.allCases), capabilities: Set(Capability.allCases), selectIdentifiers: .all,
        systemCodes: .all, readers: .all)

    /// What either of two allows.
    func union(_ other: Entitlements) -> Entitlements {
        Entitlements(
            formats: formats.union(other.formats), capabilities: capabilities.union(other.capabilities),
            selectIdentifiers: selectIdentifiers.union(other.selectIdentifiers),
            systemCodes: systemCodes.union(other.systemCodes), readers: readers.union(other.readers))
    }
}

extension Entitlements {
    /// Why a session may not begin: error 2, which names the missing entitlement and the key that grants it; nil where it may.
    ///
    /// - Parameters:
    ///   - format: the kind of session.
    ///   - selectIdentifiers: the ISO/IEC 7816 applications it asks for, by name.
    ///   - systemCodes: the FeliCa systems it asks for.
    ///   - readers: the readers it names, by id or name; nil: it takes those it is granted.
    ///   - known: the readers that are plugged in: one may be granted by its id and requested by its name.
    public func objection(
        toFormat format: SessionFormat, selectIdentifiers: [[UInt8]] = [], systemCodes: [UInt16] = [],
        readers: [String]? = nil, among known: [ReaderDescription] = []
    ) -> TagError? {
        guard formats.contains(format) else {
            return .notGranted("a session of this kind is", "formats", format.rawValue)
        }
        return objection(toSelecting: selectIdentifiers, polling: systemCodes)
            ?? objection(toReaders: readers, among: known)
    }

    /// Why ISO/IEC 7816 applications must not be selected, or FeliCa systems not be polled; nil where they may.
    public func objection(toSelecting names: [[UInt8]], polling codes: [UInt16]) -> TagError? {
        if let name = names.first(where: { !selectIdentifiers.contains($0) }) {
            return .notGranted("the application is", "iso7816-select-identifiers", Hexadecimal.string(name))
        }
        let code = codes.first { !systemCodes.contains($0) }
        return code.map {
            .notGranted("the FeliCa system is", "felica-system-codes", Hexadecimal.string($0))
        }
    }

    /// Why something may not be done; nil where it may.
    public func objection(to capability: Capability) -> TagError? {
        capabilities.contains(capability) ? nil : .notGranted(capability)
    }

    /// Whether a reader may be used: it is granted by id or by name.
    public func permits(_ reader: ReaderDescription) -> Bool { readers.permits(reader) }

    private func objection(toReaders wanted: [String]?, among known: [ReaderDescription]) -> TagError? {
        guard readers != .some([]) else { return .notGranted("the use of readers is", "readers", "*") }
        let refused = wanted?.first { name in
            !readers.contains(name) && !known.contains { $0.matches(name) && permits($0) }
        }
        return refused.map { .notGranted("the reader is", "readers", $0) }
    }
}

extension Entitlements.Names where Name: Comparable {
    /// The names of a session that requests none: all that are granted; nil: every name.
    public var whole: [Name]? {
        guard case .some(let names) = self else { return nil }
        return names.sorted()
    }
}

extension Entitlements.Names<[UInt8]> {
    /// The names of a session that requests none: all that are granted, in the order of their bytes; nil: every name.
    public var whole: [[UInt8]]? {
        guard case .some(let names) = self else { return nil }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension Entitlements.Names<String> {
    /// Whether a reader is among them, by id or by name.
    func permits(_ reader: ReaderDescription) -> Bool { contains(reader.id.rawValue) || contains(reader.name) }
}

extension TagError {
    /// Error 2 for a capability.
    public static func notGranted(_ capability: Capability) -> TagError {
        .notGranted("this command is", "capabilities", capability.rawValue)
    }

    fileprivate static func notGranted(_ what: String, _ key: String, _ value: String) -> TagError {
        TagError(
            .securityViolation,
            "\(what) not granted to you; add \(key) = [\"\(value)\"] to a [[grant]] in nfcd.toml")
    }
}
