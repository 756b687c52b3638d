import NFCTags
import NFCTypes
import Synchronization

/// The identity of a client process, as the kernel reports it.
public struct Principal: Sendable, Hashable {
    /// The user's number.
    public let userID: UInt32
    /// The numbers of all groups of the process, the first among them.
    public let groupIDs: Set<UInt32>
    /// The further socket that it connected to, by name; nil: the socket for users of this machine.
    public let socket: String?

    /// A process of a user in groups.
    public init(userID: UInt32, groupIDs: Set<UInt32>, socket: String? = nil) {
        self.userID = userID
        self.groupIDs = groupIDs
        self.socket = socket
    }
}

/// Entitlements for a user or a group.
public struct Grant: Sendable, Hashable {
    /// To whom the grant applies.
    public enum Subject: Sendable, Hashable {
        /// A user by number.
        case user(UInt32)
        /// The members of a group, by number.
        case group(UInt32)
        /// Every process that can open the socket.
        case everyone

        func applies(to principal: Principal) -> Bool {
            switch self {
            case .user(let id): principal.userID == id
            case .group(let id): principal.groupIDs.contains(id)
            case .everyone: true
            }
        }
    }

    /// To whom the grant applies.
    public let subject: Subject
    /// The further socket that it applies to, by name; nil: the socket for users of this machine, and no other.
    public let socket: String?
    /// What the subject may do.
    public let entitlements: Entitlements

    /// A grant.
    public init(to subject: Subject, on socket: String? = nil, _ entitlements: Entitlements) {
        self.subject = subject
        self.socket = socket
        self.entitlements = entitlements
    }

    func applies(to principal: Principal) -> Bool {
        socket == principal.socket && subject.applies(to: principal)
    }
}

/// The access rules. Grants add up as sentences, never field by field; what none of them gives is refused.
public struct AccessRules: Sendable, Hashable {
    /// The grants, in any order.
    public var grants: [Grant]
    /// Users that may do everything.
    public var superusers: Set<UInt32>
    /// The further sockets on which root may do everything too. On the others, a process with the number of root has the grants of
    /// the socket alone: it may be root of a container.
    public var rootSockets: Set<String>

    /// Makes rules; the superusers are root and, usually, the user that the daemon runs as.
    public init(
        grants: [Grant] = [.byDefault], superusers: Set<UInt32> = [0], rootSockets: Set<String> = []
    ) {
        self.grants = grants
        self.superusers = superusers
        self.rootSockets = rootSockets
    }

    /// What a principal may do: the sentences of all grants that apply to it.
    public func permissions(of principal: Principal) -> Permissions {
        guard !mayDoEverything(principal) else { return .everything }
        return Permissions(grants.filter { $0.applies(to: principal) }.map(\.entitlements))
    }

    private func mayDoEverything(_ principal: Principal) -> Bool {
        guard let socket = principal.socket else { return superusers.contains(principal.userID) }
        return principal.userID == 0 && rootSockets.contains(socket)
    }
}

extension Grant {
    /// The default without a configuration: every process that can open the socket may use tags, but neither lock them nor
    /// interfere with other clients.
    public static let byDefault = Grant(
        to: .everyone,
        Entitlements(
            formats: [.ndef, .tag], capabilities: [.read, .write, .format, .raw, .background, .simulate],
            selectIdentifiers: .all, systemCodes: .all, readers: .all))
}

extension Grant {
    /// The grants of the program that uses security keys: commands that change something reach the FIDO application alone.
    package static func securityKeys(to subject: Subject) -> [Grant] {
        let application = Entitlements.Names.some([FIDOCommand.application])
        let use = Entitlements(
            formats: [.tag], capabilities: [.background, .read, .raw, .monitor], selectIdentifiers: application,
            readers: .all, sessionTimeout: .seconds(86_400))
        var change = Entitlements(
            capabilities: [.raw, .write, .lock], selectIdentifiers: application, readers: .all)
        change.isForApplications = true
        return [Grant(to: subject, use), Grant(to: subject, change)]
    }
}

/// The rules in force. They can be replaced while the daemon runs; every request is checked against the present ones.
public final class AccessPolicy: Sendable {
    private let current: Mutex<AccessRules>

    /// A policy with its first rules.
    public init(_ rules: AccessRules = AccessRules()) { current = Mutex(rules) }

    /// The rules in force.
    var rules: AccessRules { current.withLock { $0 } }

    /// Replaces the rules.
    public func replace(with rules: AccessRules) { current.withLock { $0 = rules } }

    /// What a principal may do now.
    public func permissions(of principal: Principal) -> Permissions {
        rules.permissions(of: principal)
    }
}
