public import NFCReaders
public import NFCTags
public import NFCTypes

/// What a client may do: the sentences of its grants.
///
/// A grant is one sentence: these formats and capabilities, on these readers, with these applications. Something is allowed
/// where one sentence allows all of it; what two sentences say about different readers or applications is never combined.
public struct Permissions: Sendable, Hashable {
    /// The sentences, in the order of the configuration.
    public let sentences: [Entitlements]

    /// The permissions of some sentences; by default none.
    public init(_ sentences: [Entitlements] = []) { self.sentences = sentences }

    /// Everything.
    public static let everything = Permissions([.everything])

    /// What at least one sentence gives, for lists. It decides nothing: what sentences say is not combined.
    public var summary: Entitlements {
        Entitlements(
            formats: sentences.reduce(into: []) { $0.formUnion($1.formats) },
            capabilities: sentences.reduce(into: []) { $0.formUnion($1.capabilities) },
            selectIdentifiers: sentences.map(\.selectIdentifiers).reduce(.some([])) { $0.union($1) },
            systemCodes: sentences.map(\.systemCodes).reduce(.some([])) { $0.union($1) },
            readers: sentences.map(\.readers).reduce(.some([])) { $0.union($1) })
    }

    // MARK: Capabilities

    /// Whether one sentence gives all of these capabilities on a reader; without a reader, on any.
    public func allow(
        _ capabilities: [Capability], on reader: ReaderDescription? = nil, for use: CapabilityUse = .command
    ) -> Bool {
        sentences.contains { $0.gives(capabilities, on: reader, for: use) }
    }

    /// Why something may not be done on a reader; nil where it may. Without a reader, it may be done on any.
    ///
    /// - Parameters:
    ///   - capabilities: what it needs, all in one sentence.
    ///   - what: the subject of the error, with its verb.
    public func objection(
        to capabilities: [Capability], on reader: ReaderDescription? = nil, for use: CapabilityUse = .command,
        _ what: String = "this command is"
    ) -> TagError? {
        guard !allow(capabilities, on: reader, for: use) else { return nil }
        let key = MissingKey.list("capabilities", capabilities.map(\.rawValue))
        let grant = grant(of: capabilities, on: reader)
        guard sentences.contains(where: { $0.capabilities.isSuperset(of: capabilities) }) else {
            return .notGranted(what, key, by: grant, at: reader)
        }
        guard let reader else { return .notGranted(what, .list("readers", ["*"]), with: key, by: grant) }
        return .notGranted(what, on: reader, .list("readers", [reader.id.rawValue]), with: key, by: grant, at: reader)
    }

    /// A sentence that gives capabilities on a reader; raw commands reach the applications that are granted there already, or all
    /// if none is.
    private func grant(of capabilities: [Capability], on reader: ReaderDescription?) -> Entitlements {
        var grant = Entitlements(
            capabilities: Set(capabilities), readers: reader.map { .some([$0.id.rawValue]) } ?? .all)
        if capabilities.contains(.raw) { grant.reach(reader.map { applications(on: $0) } ?? summary) }
        return grant
    }

    /// The applications and systems that are granted on a reader.
    private func applications(on reader: ReaderDescription) -> Entitlements {
        Entitlements(selectIdentifiers: selectIdentifiers(on: reader), systemCodes: systemCodes(on: reader))
    }

    /// The readers, by id or name, on which one sentence gives all of these capabilities; nil: every reader.
    public func readerNames(with capabilities: [Capability]) -> [String]? {
        sentences.filter { $0.gives(capabilities) }.map(\.readers)
            .reduce(Entitlements.Names.some([])) { $0.union($1) }.whole
    }

    // MARK: Sessions

    /// The readers on which a session may look for tags: one sentence gives each of its formats there, with what it does
    /// without a command.
    public func readers(for request: SessionRequest) -> GrantedReaders {
        GrantedReaders(
            request.formats.map { format in
                sentences.filter { $0.gives(format, with: request.capabilities) }.map(\.readers)
                    .reduce(.some([])) { $0.union($1) }
            })
    }

    /// The longest that a session may stay active by the sentences that give its formats; nil: the limit of the daemon.
    public func sessionTimeout(for request: SessionRequest) -> Duration? {
        sentences.filter { $0.formats.isSuperset(of: request.formats) }.compactMap(\.sessionTimeout).max()
    }

    /// Why a session may not begin: error 2, which names the missing entitlement and the key that grants it; nil where it may.
    ///
    /// - Parameter known: the readers that are plugged in: one may be granted by its id and requested by its name.
    public func objection(to request: SessionRequest, among known: [ReaderDescription] = []) -> TagError? {
        objection(toKind: request)
            ?? readers(for: request).objection(to: request.readers, among: known, grant: grant(of: request))
    }

    /// A sentence that gives a session on all readers, with its own applications and systems, or those that are granted already.
    private func grant(of request: SessionRequest) -> Entitlements {
        var grant = Entitlements(
            formats: Set(request.formats), capabilities: Set(request.capabilities), readers: .all)
        guard !request.formats.contains(.ndef) else { return grant }
        grant.capabilities.formUnion([.read, .raw])
        grant.reach(summary)
        if let names = request.selectIdentifiers { grant.selectIdentifiers = .some(Set(names)) }
        if let codes = request.systemCodes { grant.systemCodes = .some(Set(codes)) }
        return grant
    }

    /// Why no reader may be used for such a session; nil where one may.
    func objection(toKind request: SessionRequest) -> TagError? {
        let grant = grant(of: request)
        return objection(toFormats: request.formats, grant: grant) ?? objection(toReadingIn: request)
            ?? objection(
                toSelecting: request.selectIdentifiers ?? [], polling: request.systemCodes ?? [], grant: grant)
    }

    private func objection(toReadingIn request: SessionRequest) -> TagError? {
        let format = request.formats.first { format in
            !sentences.contains { $0.gives(format, with: request.capabilities) }
        }
        return format.map { format in
            let formats = MissingKey.list("formats", [format.rawValue])
            guard !request.capabilities.isEmpty else {
                // Only a grant that requires a proof gives the format.
                var grant = grant(of: request)
                grant.capabilities.insert(.read)
                return .notGranted("a session for commands is", .withoutProof(formats), by: grant)
            }
            return .notGranted(
                "this session is", .list("capabilities", request.capabilities.map(\.rawValue)), with: formats,
                by: grant(of: request))
        }
    }

    /// Why sessions of these kinds may not begin on any reader; nil where they may.
    ///
    /// - Parameter grant: the sentence that gives it; nil: the kinds on all readers.
    public func objection(toFormats formats: [SessionFormat], grant: Entitlements? = nil) -> TagError? {
        let missing = formats.first { format in !sentences.contains { $0.formats.contains(format) } }
        let grant = grant ?? Entitlements(formats: Set(formats), readers: .all)
        return missing.map { .notGranted("a session of this kind is", .list("formats", [$0.rawValue]), by: grant) }
    }

    /// Why ISO/IEC 7816 applications must not be selected, or FeliCa systems not be polled, on any reader; nil where they may.
    ///
    /// - Parameter grant: the sentence that gives it; nil: raw commands to these applications and systems on all readers.
    public func objection(
        toSelecting names: [[UInt8]], polling codes: [UInt16], grant: Entitlements? = nil
    ) -> TagError? {
        let grant =
            grant
            ?? Entitlements(
                formats: [.tag], capabilities: [.read, .raw], selectIdentifiers: .some(Set(names)),
                systemCodes: .some(Set(codes)), readers: .all)
        if let name = names.first(where: { name in !sentences.contains { $0.selectIdentifiers.contains(name) } }) {
            return .notGranted(
                "the application is", .list("iso7816-select-identifiers", [Hexadecimal.string(name)]), by: grant)
        }
        let code = codes.first { code in !sentences.contains { $0.systemCodes.contains(code) } }
        return code.map {
            .notGranted("the FeliCa system is", .list("felica-system-codes", [Hexadecimal.string($0)]), by: grant)
        }
    }

    /// The ISO/IEC 7816 applications that may be selected on a reader.
    func selectIdentifiers(on reader: ReaderDescription) -> Entitlements.Names<[UInt8]> {
        sentences.filter { $0.readers.permits(reader) }.map(\.selectIdentifiers).reduce(.some([])) { $0.union($1) }
    }

    /// The FeliCa systems that may be polled on a reader.
    func systemCodes(on reader: ReaderDescription) -> Entitlements.Names<UInt16> {
        sentences.filter { $0.readers.permits(reader) }.map(\.systemCodes).reduce(.some([])) { $0.union($1) }
    }
}

/// The readers that a session may have: those that every one of its formats is granted on.
public struct GrantedReaders: Sendable, Hashable {
    /// For each format, the readers of the sentences that give it.
    private let names: [Entitlements.Names<String>]

    /// The readers that are in every one of these lists.
    init(_ names: [Entitlements.Names<String>]) { self.names = names }

    /// Every reader.
    public static let all = GrantedReaders([.all])

    /// Whether these are all readers, also those plugged in later.
    var areAll: Bool { names.allSatisfy { $0 == .all } }

    /// The names, for messages; nil: every name.
    var whole: [String]? { names.lazy.compactMap(\.whole).first }

    /// Whether a reader is among them, by id or by name.
    public func permit(_ reader: ReaderDescription) -> Bool { names.allSatisfy { $0.permits(reader) } }

    /// Whether they contain every reader of others that were granted to the same formats.
    func cover(_ others: GrantedReaders) -> Bool { zip(names, others.names).allSatisfy { $0.isSuperset(of: $1) } }

    /// Why a session must not have the readers that it names; nil where it may.
    ///
    /// - Parameter grant: the sentence that gives the session on all readers.
    fileprivate func objection(
        to wanted: [String]?, among known: [ReaderDescription], grant: Entitlements
    ) -> TagError? {
        guard !names.contains(.some([])) else {
            return .notGranted("the use of readers is", .list("readers", ["*"]), by: grant)
        }
        let refused = wanted?.first { name in
            !names.allSatisfy { $0.contains(name) } && !known.contains { $0.matches(name) && permit($0) }
        }
        return refused.map { name in
            let name = String(name.prefix(Self.longestName))
            var grant = grant
            grant.readers = .some(Set((wanted ?? []).map { String($0.prefix(Self.longestName)) }))
            var error = TagError.notGranted("the reader is", .list("readers", [name]), by: grant)
            error.refusal?.reader = name
            return error
        }
    }

    /// A longer name of a reader, which no reader has, is cut in messages.
    private static let longestName = 128
}

/// A key of a `[[grant]]` and the values that are missing.
struct MissingKey: CustomStringConvertible {
    let description: String

    /// Such as `readers = ["desk"]`.
    static func list(_ key: String, _ values: [String]) -> MissingKey {
        MissingKey(description: "\(key) = [\(values.map(\.quotedForTOML).joined(separator: ", "))]")
    }

    /// The key in a grant for more than proven taps.
    static func withoutProof(_ key: MissingKey) -> MissingKey {
        MissingKey(description: "\(key) without require = \"proven\"")
    }
}

extension TagError {
    /// Error 2 for something that no sentence allows.
    ///
    /// - Parameters:
    ///   - what: the subject with its verb.
    ///   - reader: the only reader that it is not granted on; nil: any.
    ///   - key: the missing key.
    ///   - other: what the same grant has to contain; nil: nothing in particular.
    ///   - grant: a sentence that allows it.
    ///   - place: the reader that it is about, whether or not other readers are granted; nil: any, or none.
    static func notGranted(
        _ what: String, on reader: ReaderDescription? = nil, _ key: MissingKey, with other: MissingKey? = nil,
        by grant: Entitlements, at place: ReaderDescription? = nil
    ) -> TagError {
        let subject = reader.map { " on reader \($0.id)" } ?? ""
        let context = other.map { " together with \($0)" } ?? ""
        var error = TagError(
            .securityViolation, "\(what) not granted to you\(subject): no [[grant]] of nfcd.toml gives \(key)\(context)"
        )
        let words = what.hasSuffix(" is") ? what.dropLast(3) : what[...]
        let name = String(words.hasSuffix(",") ? words.dropLast() : words)
        error.refusal = Refusal(
            name == "this command" ? nil : name, missing: key.description, on: (place ?? reader)?.id.rawValue,
            grant: grant.keys)
        return error
    }
}
