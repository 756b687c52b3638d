import ISO7816
import NFCReaders
import NFCTags
import NFCTypes

/// The raw commands that a session may send to a tag: what its client is granted on the reader, and the lists of the session.
///
/// One sentence of the grants has to give the command all that it needs: the capabilities for its effect, the reader and the
/// application. ``CommandScreen`` knows the effect. A session that has its own list of applications may select those only.
struct CommandRules: Sendable {
    /// Whether raw commands are allowed at all.
    let allowsRawCommands: Bool
    /// The applications of the session's own list; nil: any.
    let selectIdentifiers: [[UInt8]]?
    /// The FeliCa systems of the session's own list; nil: any.
    let systemCodes: [UInt16]?
    /// The reader of the tag; nil: a tag without one, for which grants are not checked.
    let reader: ReaderDescription?
    /// What the client may do at the moment.
    let permissions: @Sendable () -> Permissions

    /// Rules; by default the client may do everything.
    init(
        allowsRawCommands: Bool = true, selectIdentifiers: [[UInt8]]? = nil, systemCodes: [UInt16]? = nil,
        reader: ReaderDescription? = nil, permissions: @escaping @Sendable () -> Permissions = { .everything }
    ) {
        self.allowsRawCommands = allowsRawCommands
        self.selectIdentifiers = selectIdentifiers
        self.systemCodes = systemCodes
        self.reader = reader
        self.permissions = permissions
    }

    /// Everything is allowed.
    static let open = CommandRules()

    /// Refuses raw commands in a session that is not of kind tag.
    func checkKind() throws(TagError) {
        guard !allowsRawCommands else { return }
        throw TagError(
            .unsupportedFeature, "raw commands are not supported in a session of kind ndef; begin one of kind tag")
    }

    /// Refuses a command that the grants or the lists of the session do not allow.
    func check(_ command: RawCommand, by screen: CommandScreen) throws(TagError) {
        try checkKind()
        switch command {
        case .apdu(let bytes): try checkList(apdu: bytes)
        case .feliCa(let packet): try checkList(packet: packet)
        case .miFare, .iso15693, .classic: break
        }
        let permissions = permissions()
        // A superuser's commands need no judgement.
        guard permissions != .everything, let reader else { return }
        try check(command, by: screen, permissions, on: reader)
    }

    /// Refuses a command of a driver that needs more than its method declares.
    ///
    /// - Parameters:
    ///   - capabilities: what it needs, all in one sentence.
    ///   - words: what it does, for the error, with its verb: `the write is`.
    func check(_ capabilities: [Capability], _ words: String) throws(TagError) {
        guard let reader, let objection = permissions().objection(to: capabilities, on: reader, words) else { return }
        throw objection
    }

    /// Whether all of these capabilities are granted.
    func give(_ capabilities: [Capability]) -> Bool {
        reader.map { permissions().allow(capabilities, on: $0) } ?? true
    }

    // MARK: Grants

    private func check(
        _ command: RawCommand, by screen: CommandScreen, _ permissions: Permissions, on reader: ReaderDescription
    ) throws(TagError) {
        let judgement = screen.judge(command)
        let needed = judgement.effect.capabilities
        if let objection = permissions.objection(to: needed, on: reader, "\(judgement.words) is") { throw objection }
        let sentences = permissions.sentences.filter { $0.gives(needed, on: reader) }
        guard !sentences.contains(where: { $0.reaches(judgement.reach, of: command, by: screen) }) else { return }
        throw .outOfReach(judgement, needed, on: reader)
    }

    // MARK: The lists of the session

    /// Refuses a command APDU that may select an application that is not on the session's list.
    private func checkList(apdu: [UInt8]) throws(TagError) {
        guard let names = selectIdentifiers else { return }
        switch ApplicationSelection(command: apdu) {
        case .none: return
        case .application(let name) where names.contains(name): return
        case .application(let name):
            throw .notListed(
                "application \(Hexadecimal.string(name)) is not one of the session's iso7816SelectIdentifiers")
        case .hidden(let reason):
            throw .notListed("\(reason), and the session may select only its iso7816SelectIdentifiers")
        }
    }

    /// Refuses a FeliCa packet that polls for a system that is not on the session's list. A wildcard byte (FF) is on none.
    private func checkList(packet: [UInt8]) throws(TagError) {
        guard let systemCodes, FeliCaCommand.isPolling(packet) else { return }
        guard let system = FeliCaSystemCode(polling: packet) else {
            throw .notListed("the Polling packet names no system; name one of the session's feliCaSystemCodes")
        }
        guard systemCodes.contains(system.rawValue) else {
            throw .notListed("system \(system) is not one of the session's feliCaSystemCodes")
        }
    }
}

extension Entitlements {
    /// Whether the sentence lets a command reach what it is about. Commands that are not screened may go anywhere.
    fileprivate func reaches(
        _ reach: CommandJudgement.Reach, of command: RawCommand, by screen: CommandScreen
    ) -> Bool {
        switch reach {
        case .none: !isForApplications
        case .application(let name): selectIdentifiers.contains(name)
        case .system(let code): systemCodes.contains(code)
        case .current: isUnlimited(for: command) || isSelected(for: command, by: screen)
        case .elsewhere: isUnlimited(for: command)
        }
    }

    private func isUnlimited(for command: RawCommand) -> Bool {
        if capabilities.contains(.rawUnscreened) { return true }
        if case .feliCa = command { return systemCodes == .all }
        return selectIdentifiers == .all
    }

    private func isSelected(for command: RawCommand, by screen: CommandScreen) -> Bool {
        guard case .some(let names) = selectIdentifiers else { return true }
        // PACE begins before an application is selected.
        return screen.isSelected(oneOf: names, for: command, allowsInitial: formats.contains(.pace))
    }
}

extension TagError {
    fileprivate static func notListed(_ detail: String) -> TagError { TagError(.securityViolation, detail) }

    /// Error 2 for a command that no sentence lets reach its application.
    fileprivate static func outOfReach(
        _ judgement: CommandJudgement, _ needed: [Capability], on reader: ReaderDescription
    ) -> TagError {
        let other = MissingKey.list("capabilities", needed.map(\.rawValue))
        var grant = Entitlements(capabilities: Set(needed), readers: .some([reader.id.rawValue]))
        switch judgement.reach {
        case .application(let name):
            grant.selectIdentifiers = .some([name])
            return .notGranted(
                "the application is", .list("iso7816-select-identifiers", [Hexadecimal.string(name)]), with: other,
                by: grant, at: reader)
        case .system(let code):
            grant.systemCodes = .some([code])
            return .notGranted(
                "the FeliCa system is", .list("felica-system-codes", [Hexadecimal.string(code)]), with: other,
                by: grant, at: reader)
        case .elsewhere(let reason):
            return .notListed(
                "\(reason): your grants on this reader name applications or systems, and nfcd cannot see which one it reaches"
            )
        case .none, .current:
            return .notListed(
                "\(judgement.words) reaches an application that is not granted to you; select one of those in"
                    + " iso7816-select-identifiers of your [[grant]] in nfcd.toml first, by its name (00 A4 04)")
        }
    }
}

extension CommandScreen {
    init(_ identity: TagIdentity, _ delivery: TagDelivery) {
        self.init(
            identity, isDESFire: identity.miFareFamily == .desfire, application: delivery.initialSelectedAID,
            system: delivery.systemCode.flatMap { code in delivery.manufactureIdentifier.map { (code, $0) } })
    }
}
