public import NFCTypes
import NFCReaders
import NFCTags

/// One sentence of a grant, in the terms of an app's entitlements: these formats and capabilities, on these readers, with
/// these applications. ``Permissions`` are the sentences of a client.
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

        /// Whether every name of another set is among them.
        func isSuperset(of other: Names) -> Bool {
            switch (self, other) {
            case (.all, _): true
            case (.some(let mine), .some(let theirs)): mine.isSuperset(of: theirs)
            case (.some, .all): false
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
    /// The longest a session of these formats may stay active; nil: the limit of the daemon.
    public var sessionTimeout: Duration?
    /// Whether the capabilities are only for taps whose tag has proven itself: none of its commands.
    public var requiresProof = false
    /// Whether the capabilities are only for raw commands to the applications that the sentence names, not for other tags.
    public var isForApplications = false

    /// Entitlements; by default none.
    public init(
        formats: Set<SessionFormat> = [], capabilities: Set<Capability> = [],
        selectIdentifiers: Names<[UInt8]> = .some([]),
        systemCodes: Names<UInt16> = .some([]), readers: Names<String> = .some([]),
        sessionTimeout: Duration? = nil
    ) {
        self.formats = formats
        self.capabilities = capabilities
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
        self.readers = readers
        self.sessionTimeout = sessionTimeout
    }

    /// Everything.
    public static let everything = Entitlements(
        formats: Set(SessionFormat.allCases), capabilities: Set(Capability.allCases), selectIdentifiers: .all,
        systemCodes: .all, readers: .all)
}

extension Entitlements {
    /// Whether the sentence gives capabilities on a reader; without a reader, on any.
    ///
    /// A sentence without readers gives none for tags. What an operator may do concerns nfcd as a whole unless the sentence
    /// names readers.
    func gives(
        _ wanted: [Capability], on reader: ReaderDescription? = nil, for use: CapabilityUse = .command
    ) -> Bool {
        guard capabilities.isSuperset(of: wanted), !isForApplications || wanted.contains(.raw),
            !requiresProof || use.isOfProvenTaps(on: reader)
        else { return false }
        if readers == .some([]) { return wanted.allSatisfy(\.isForOperators) }
        return reader.map { readers.permits($0) } ?? true
    }

    /// Whether the sentence gives a kind of session with capabilities, on the readers that it names. One that requires a proof gives
    /// only sessions that read: a tag that is merely detected proves nothing.
    func gives(_ format: SessionFormat, with wanted: [Capability]) -> Bool {
        formats.contains(format) && capabilities.isSuperset(of: wanted) && (!requiresProof || wanted.contains(.read))
    }
}

/// What capabilities are used for.
public enum CapabilityUse: Sendable, Hashable {
    /// A command; without a reader, any.
    case command
    /// To ask for taps, of which those that are granted are sent.
    case taps
    /// To receive a tap.
    case tap(isProven: Bool)

    /// Whether a sentence that requires a proof gives them.
    fileprivate func isOfProvenTaps(on reader: ReaderDescription?) -> Bool {
        switch self {
        case .command: reader == nil
        case .taps: true
        case .tap(let isProven): isProven
        }
    }
}

extension Capability {
    /// Whether it is about nfcd and its clients instead of a tag.
    fileprivate var isForOperators: Bool { [.monitor, .manage, .simulate].contains(self) }
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
