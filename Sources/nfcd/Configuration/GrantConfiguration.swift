import NFCTypes
import NFCSessions
import ServiceSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Grant {
    /// A `[[grant]]` of the file.
    init(_ table: String, of source: inout ConfigurationSource) throws(ConfigurationError) {
        self.init(
            to: try Subject(table, of: &source), on: try source.socketName("\(table).socket"),
            try Entitlements(table, of: &source))
    }
}

extension Grant.Subject {
    /// The `user` or the `group` of a grant; without either, every process that can open the socket.
    fileprivate init(_ table: String, of source: inout ConfigurationSource) throws(ConfigurationError) {
        let (userKey, groupKey) = ("\(table).user", "\(table).group")
        let (user, group) = (try source.word(userKey), try source.word(groupKey))
        switch (user, group) {
        case (let user?, nil):
            guard let id = Accounts.userID(user) else { throw source.wrong(userKey, "there is no user \"\(user)\"") }
            self = .user(id)
        case (nil, let group?):
            guard let id = Accounts.groupID(group) else {
                throw source.wrong(groupKey, "there is no group \"\(group)\"")
            }
            self = .group(id)
        case (nil, nil): self = .everyone
        case (_?, _?): throw source.wrong(groupKey, "a grant has either a user or a group; write two grants")
        }
    }
}

extension Entitlements {
    /// The entitlements that a grant names; it gives no others.
    fileprivate init(_ table: String, of source: inout ConfigurationSource) throws(ConfigurationError) {
        self.init(
            formats: Set(try source.words("\(table).formats", SessionFormat.self)),
            capabilities: Set(try source.words("\(table).capabilities", Capability.self)),
            selectIdentifiers: try source.names(
                "\(table).iso7816-select-identifiers", "10 to 32 hexadecimal digits, or \"*\" for all", applicationName),
            systemCodes: try source.names(
                "\(table).felica-system-codes", "four hexadecimal digits without FF, or \"*\" for all", systemCode),
            readers: try source.names("\(table).readers", "the name or id of a reader, or \"*\" for all") {
                $0.isEmpty ? nil : $0
            },
            sessionTimeout: try source.integer("\(table).session-timeout", 1...86_400).map { .seconds($0) })
        requiresProof = try source.choice("\(table).require", ProofRequirement.self) != nil
        if requiresProof { try refuseCommands(table, source) }
    }

    /// What is not about receiving taps cannot depend on a proof: a command may come before it.
    private func refuseCommands(_ table: String, _ source: ConfigurationSource) throws(ConfigurationError) {
        let (taps, formats): (Set<Capability>, Set<SessionFormat>) = ([.read, .background, .taps], [.ndef])
        guard capabilities.isSubset(of: taps), self.formats.isSubset(of: formats) else {
            throw source.wrong(
                "\(table).require",
                "a grant that requires a proof can have the capabilities \"read\", \"background\" and \"taps\" and the format "
                    + "\"NDEF\"; write a second grant for the rest")
        }
    }
}

/// A `[[socket]]` of the file: a further socket that the service manager passes, with its own grants.
struct SocketConfiguration: Sendable, Equatable {
    /// Its name (FileDescriptorName=, systemd.socket(5)).
    let name: String
    /// Whether root may do everything there.
    let trustsRoot: Bool

    init(_ table: String, of source: inout ConfigurationSource) throws(ConfigurationError) {
        guard let name = try source.socketName("\(table).name") else { throw source.missing("name", in: table) }
        self.name = name
        trustsRoot = try source.boolean("\(table).root") ?? false
    }
}

extension ConfigurationSource {
    /// The name of a further socket.
    fileprivate mutating func socketName(_ key: String) throws(ConfigurationError) -> String? {
        guard let name = try string(key) else { return nil }
        guard FurtherSocket.isName(name) else { throw wrong(key, FurtherSocket.rule) }
        return name
    }
}

/// The user that nfcd-relay runs as, who may receive taps and observe readers whatever the grants are.
struct RelayUser: Sendable, Equatable {
    /// The user that its package creates.
    private static let usual = "nfcd-relay"
    private static let noUser = "none"

    /// Nil: there is none.
    private let id: UInt32?

    /// The usual user, if there is one.
    init() { id = Accounts.userID(Self.usual) }

    /// - Parameter word: a name, a number, or `none`.
    fileprivate init?(_ word: String) {
        id = word == Self.noUser ? nil : Accounts.userID(word)
        if id == nil, word != Self.noUser { return nil }
    }

    /// The user, if there is one.
    var userIDs: [UInt32] { id.map { [$0] } ?? [] }

    /// What the user is granted.
    var grants: [Grant] {
        id.map { [Grant(to: .user($0), Entitlements(capabilities: [.taps, .monitor], readers: .all))] } ?? []
    }
}

/// The user that nfcd-fido runs as, who may use security keys whatever the grants are.
struct FIDOUser: Sendable, Equatable {
    /// The user that its package creates.
    private static let usual = "nfcd-fido"
    private static let noUser = "none"

    /// Nil: there is none.
    private let id: UInt32?

    /// The usual user, if there is one.
    init() { id = Accounts.userID(Self.usual) }

    /// - Parameter word: a name, a number, or `none`.
    init?(_ word: String) {
        id = word == Self.noUser ? nil : Accounts.userID(word)
        if id == nil, word != Self.noUser { return nil }
    }

    /// The user, if there is one.
    var userIDs: [UInt32] { id.map { [$0] } ?? [] }

    /// What the user is granted.
    var grants: [Grant] { id.map { Grant.securityKeys(to: .user($0)) } ?? [] }
}

extension ConfigurationValue<FIDOUser> {
    /// A user by name or number, or `none`.
    static var fidoUser: Self {
        Self(take: { source, key throws(ConfigurationError) in
            guard let word = try source.word(key) else { return nil }
            guard let user = FIDOUser(word) else { throw source.wrong(key, "there is no user \"\(word)\"") }
            return user
        })
    }
}

extension ConfigurationValue<RelayUser> {
    /// A user by name or number, or `none`.
    static var relayUser: Self {
        Self(take: { source, key throws(ConfigurationError) in
            guard let word = try source.word(key) else { return nil }
            guard let user = RelayUser(word) else { throw source.wrong(key, "there is no user \"\(word)\"") }
            return user
        })
    }
}

/// The name of an application, 5 to 16 bytes (ISO/IEC 7816-4, application identifiers).
private func applicationName(_ text: String) -> [UInt8]? {
    guard let bytes = Hexadecimal.bytes(text), (5...16).contains(bytes.count) else { return nil }
    return bytes
}

/// A FeliCa system; FF in either half means any system to a card, and CoreNFC does not allow it.
private func systemCode(_ text: String) -> UInt16? {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 2, !bytes.contains(0xFF) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt16($1) }
}

extension ConfigurationSource {
    /// A list of words of a kind; empty, if absent.
    fileprivate mutating func words<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ words: Word.Type
    ) throws(ConfigurationError) -> [Word] {
        let expected = "one of " + Self.quoted(words.allCases.map(\.rawValue))
        return try list(key, expected: expected) { Word(rawValue: $0) } ?? []
    }

    /// A list of names, or `["*"]` for all; none, if absent.
    fileprivate mutating func names<Name: Sendable & Hashable>(
        _ key: String, _ expected: String, _ name: (String) -> Name?
    ) throws(ConfigurationError) -> Entitlements.Names<Name> {
        // Nil stands for all.
        let names =
            try list(key, expected: expected) { $0 == "*" ? .some(Name?.none) : name($0).map { .some($0) } } ?? []
        guard names.contains(nil) else { return .some(Set(names.compactMap { $0 })) }
        guard names.count == 1 else { throw wrong(key, "\"*\" means all; remove the others") }
        return .all
    }
}

/// The users and groups of the system, by number or by name.
enum Accounts {
    /// The limit of the size of an entry, with the members of a group.
    private static let largestEntry = 4 * 1024 * 1024

    /// The number of a user; nil if there is no such name. A number need not belong to a user.
    static func userID(_ word: String) -> UInt32? {
        number(word) ?? find(word, passwd()) { getpwnam_r($0, $1, $2, $3, $4) }?.pw_uid
    }

    /// The number of a group; nil if there is no such name. A number need not belong to a group.
    static func groupID(_ word: String) -> UInt32? {
        number(word) ?? find(word, group()) { getgrnam_r($0, $1, $2, $3, $4) }?.gr_gid
    }

    /// The greatest number means no user (chown(2)).
    private static func number(_ word: String) -> UInt32? {
        UInt32(word).flatMap { $0 == .max ? nil : $0 }
    }

    /// An entry, of which only the numbers are valid: its texts are freed.
    private static func find<Entry>(
        _ name: String, _ empty: Entry,
        _ ask: (
            UnsafePointer<CChar>, UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32
    ) -> Entry? {
        var room = 16 * 1024
        while room <= largestEntry {
            var buffer = [CChar](repeating: 0, count: room)
            var entry = empty
            var found: UnsafeMutablePointer<Entry>?
            let code = ask(name, &entry, &buffer, room, &found)
            guard code == ERANGE else { return code == 0 && found != nil ? entry : nil }
            room *= 4
        }
        return nil
    }
}
