import Synchronization

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
    public func grants(_ capability: Entitlements.Capability, to principal: Principal) -> Bool {
        rules.withLock { $0 }.grants(capability, to: principal)
    }
}
