public import NFCTypes
import Synchronization

/// Who asks, as the kernel says.
public struct Principal: Sendable, Hashable {
    /// The user's number.
    public let userID: UInt32
    /// The numbers of all groups of the process, the first among them.
    public let groupIDs: Set<UInt32>

    /// A process of a user in groups.
    public init(userID: UInt32, groupIDs: Set<UInt32>) {
        self.userID = userID
        self.groupIDs = groupIDs
    }
}

/// Entitlements for a user or a group.
public struct Grant: Sendable, Hashable {
    /// Who is meant.
    public enum Subject: Sendable, Hashable {
        /// A user by number.
        case user(UInt32)
        /// Everybody in a group, by number.
        case group(UInt32)
        /// Everybody who can open the socket.
        case everybody

        func means(_ principal: Principal) -> Bool {
            switch self {
            case .user(let id): principal.userID == id
            case .group(let id): principal.groupIDs.contains(id)
            case .everybody: true
            }
        }
    }

    /// Who is meant.
    public let subject: Subject
    /// What they may do.
    public let entitlements: Entitlements

    /// A grant.
    public init(to subject: Subject, _ entitlements: Entitlements) {
        self.subject = subject
        self.entitlements = entitlements
    }
}

/// Who may do what. Grants add up; what none of them gives is refused.
public struct AccessRules: Sendable, Hashable {
    /// The grants, in any order.
    public var grants: [Grant]
    /// Users to whom nothing is refused.
    public var superusers: Set<UInt32>

    /// Rules; the superusers are root and, usually, the user the daemon runs as.
    public init(grants: [Grant] = [.byDefault], superusers: Set<UInt32> = [0]) {
        self.grants = grants
        self.superusers = superusers
    }

    /// What a principal may do.
    public func entitlements(of principal: Principal) -> Entitlements {
        guard !superusers.contains(principal.userID) else { return .everything }
        return grants.filter { $0.subject.means(principal) }.reduce(Entitlements()) { $0.union($1.entitlements) }
    }

    /// Whether a principal has a capability. The same as asking for its entitlements, without putting them together.
    public func grants(_ capability: Capability, to principal: Principal) -> Bool {
        superusers.contains(principal.userID)
            || grants.contains { $0.subject.means(principal) && $0.entitlements.capabilities.contains(capability) }
    }
}

extension Grant {
    /// What holds where nothing is configured: everybody who can open the socket may use tags, but neither lock them nor
    /// interfere with others.
    public static let byDefault = Grant(
        to: .everybody,
        Entitlements(
            formats: [.ndef, .tag], capabilities: [.read, .write, .format, .raw, .background, .simulate],
            selectIdentifiers: .all, systemCodes: .all, readers: .all))
}

/// The rules in force. They can be replaced while the daemon runs; what a principal may do is asked anew each time.
public final class AccessPolicy: Sendable {
    private let rules: Mutex<AccessRules>

    /// A policy with its first rules.
    public init(_ rules: AccessRules = AccessRules()) { self.rules = Mutex(rules) }

    /// Puts other rules in force.
    public func replace(with rules: AccessRules) { self.rules.withLock { $0 = rules } }

    /// What a principal may do now.
    public func entitlements(of principal: Principal) -> Entitlements {
        rules.withLock { $0 }.entitlements(of: principal)
    }

    /// Whether a principal has a capability now.
    public func grants(_ capability: Capability, to principal: Principal) -> Bool {
        rules.withLock { $0 }.grants(capability, to: principal)
    }
}
