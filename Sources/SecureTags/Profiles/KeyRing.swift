/// A key of a site, from which the keys of its tags follow: in memory, or in a token that never reveals it.
public protocol MasterKey: Sendable {
    /// Whether everyone knows it; see ``PublishedKeys``. It proves nothing.
    var isPublished: Bool { get }

    /// The key of a tag by AN10922.
    ///
    /// - Parameter input: M, 1 to 31 bytes.
    /// - Throws: ``SecureTagError``, ``UnavailableKey``, or the error of the token.
    func derived(from input: [UInt8], padding: KeyDiversification.Padding) async throws -> TagKey

    /// The key itself, for a key that all tags share.
    ///
    /// - Throws: if it is in a token that does not reveal it.
    func shared() throws -> TagKey
}

/// A master key in a token that does not answer now. It may later.
public struct UnavailableKey: Error, Sendable, Hashable, CustomStringConvertible {
    /// What failed, and what to do.
    public let description: String

    /// - Parameter description: what failed, and what to do; without a secret.
    public init(_ description: String) { self.description = description }
}

extension TagKey: MasterKey {
    /// The key of a tag by AN10922.
    public func derived(from input: [UInt8], padding: KeyDiversification.Padding) throws -> TagKey {
        try KeyDiversification.aes128(master: self, input: input, padding: padding)
    }

    /// Itself.
    public func shared() throws -> TagKey { self }
}

/// The keys of a site, by name and version. No description shows one.
public struct KeyRing: Sendable {
    /// What a version is used for.
    public enum State: String, Sendable, CaseIterable {
        /// Tags are set up with it.
        case current
        /// Tags that have not been changed to the current one yet.
        case previous
        /// Tags that were changed already by another machine.
        case next
    }

    /// One version of a key.
    public struct Entry: Sendable {
        /// The name, which profiles and taps use.
        public let name: String
        /// 1 to 255; the tag has it beside the key.
        public let version: UInt8
        /// What it is used for.
        public let state: State
        /// The key.
        public let master: any MasterKey

        /// A version of a key.
        public init(name: String, version: UInt8, state: State, master: any MasterKey) {
            self.name = name
            self.version = version
            self.state = state
            self.master = master
        }
    }

    /// All versions of all keys.
    public let entries: [Entry]

    /// Keys; of each name and version there is one.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The versions of a key: the current one, then previous and next ones.
    public func versions(of name: String) -> [Entry] {
        let found = entries.filter { $0.name == name }
        return State.allCases.flatMap { state in found.filter { $0.state == state } }
    }

    /// A version of a key; nil if there is none.
    public func entry(_ name: String, version: UInt8) -> Entry? {
        entries.first { $0.name == name && $0.version == version }
    }
}
