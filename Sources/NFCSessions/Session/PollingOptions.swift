import NFCReaders
public import NFCTypes

extension PollingTechnology {
    /// The technologies of a request that names none.
    public static let usual: Set<PollingTechnology> = [.iso14443, .iso15693, .iso18092]

    /// The technology that a reader needs for it.
    var readerTechnology: PollingTechnology { self == .pace ? .iso14443 : self }
}

/// What a session looks for, and what of it may be selected.
public struct PollingOptions: Sendable, Hashable {
    /// Tags of any other technology are not reported.
    public var technologies: Set<PollingTechnology>
    /// The applications of ISO/IEC 7816-4 cards that may be selected by name, 5 to 16 bytes each, in the order in which
    /// they are tried; nil: any, and none is tried.
    public var selectIdentifiers: [[UInt8]]?
    /// The FeliCa systems that may be polled, in the order in which they are tried; nil: any, and none is tried.
    public var systemCodes: [UInt16]?
    /// Whether, without a list, what an iPhone selects by itself is selected, and MIFARE cards are delivered as such.
    public var selectsByDefault: Bool

    /// Options; by default the usual technologies, and no lists.
    public init(
        technologies: Set<PollingTechnology> = PollingTechnology.usual, selectIdentifiers: [[UInt8]]? = nil,
        systemCodes: [UInt16]? = nil, selectsByDefault: Bool = false
    ) {
        self.technologies = technologies
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
        self.selectsByDefault = selectsByDefault
    }

    /// The same with only what a client may use on a reader: applications and systems, without a list all of those, and PACE.
    func narrowed(to permissions: Permissions, on reader: ReaderDescription) -> PollingOptions {
        let (names, codes) = (permissions.selectIdentifiers(on: reader), permissions.systemCodes(on: reader))
        let supportsPACE = permissions.sentences.contains { $0.formats.contains(.pace) && $0.readers.permits(reader) }
        return PollingOptions(
            technologies: supportsPACE ? technologies : technologies.subtracting([.pace]),
            selectIdentifiers: selectIdentifiers?.filter(names.contains) ?? names.whole,
            systemCodes: systemCodes?.filter(codes.contains) ?? codes.whole, selectsByDefault: selectsByDefault)
    }

    /// The same with what a restart of polling changes.
    func changed(by change: PollingChange) -> PollingOptions {
        PollingOptions(
            technologies: change.technologies ?? technologies,
            selectIdentifiers: change.selectIdentifiers ?? selectIdentifiers,
            systemCodes: change.systemCodes ?? systemCodes, selectsByDefault: selectsByDefault)
    }
}

/// What is different for one restart of polling; what is nil is as the session was begun.
public struct PollingChange: Sendable, Hashable {
    /// See ``PollingOptions/technologies``.
    public var technologies: Set<PollingTechnology>?
    /// See ``PollingOptions/selectIdentifiers``.
    public var selectIdentifiers: [[UInt8]]?
    /// See ``PollingOptions/systemCodes``.
    public var systemCodes: [UInt16]?

    /// A change; by default none.
    public init(
        technologies: Set<PollingTechnology>? = nil, selectIdentifiers: [[UInt8]]? = nil,
        systemCodes: [UInt16]? = nil
    ) {
        self.technologies = technologies
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
    }
}
