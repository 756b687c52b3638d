/// A tag that has a password or other settings besides its message. Nothing of them is ever tried: a tag that does not have a
/// setting, or whose configuration is locked, is left unchanged.
public protocol SettableTag: NDEFTag {
    /// Protects the tag with a password, or changes its password; the tag has to accept it before it is in force.
    ///
    /// - Returns: what the password protects.
    /// - Throws: ``TagError``, before anything is written: 1 if tag or reader do not support it, or a value is out of its
    ///   range; 400 if the configuration is locked, or the tag needs its present password. Then 401 or 100; the detail states
    ///   whether the tag has a password.
    @discardableResult
    func setPassword(_ password: TagPassword) async throws(TagError) -> TagPassword.Protection

    /// Removes the password; a tag without one stays without.
    ///
    /// - Throws: ``TagError`` as ``setPassword(_:)``.
    func removePassword() async throws(TagError)

    /// Changes the counter and the mirror.
    ///
    /// - Returns: the settings that the tag has then.
    /// - Throws: ``TagError`` as ``setPassword(_:)``.
    @discardableResult
    func configure(_ changes: TagSettings) async throws(TagError) -> TagSettings
}

/// A password for a tag. What is nil stays unchanged on the tag.
public struct TagPassword: Sendable, Hashable {
    /// What a password protects.
    public struct Protection: Sendable, Hashable {
        /// The first page that needs the password.
        public let firstPage: Int
        /// What it is needed for.
        public let scope: PasswordScope
        /// How many wrong passwords close the protected pages permanently; 0 for no limit.
        public let attempts: Int
    }

    /// The password, 4 bytes; on MIFARE Ultralight AES its DataProtKey, 16 bytes, first the one that AES uses first.
    public let password: [UInt8]
    /// What the tag answers to it, 2 bytes; zeros with a key.
    public let acknowledge: [UInt8]
    /// The first page that needs the password; 4 on a tag without one.
    public let firstPage: Int?
    /// What it is needed for; to write on a tag without one.
    public let scope: PasswordScope?
    /// How many wrong passwords are taken, 1 to 7, or keys, 1 to 1023; 0 for any number.
    public let attempts: Int?

    /// A password; its lengths and ranges are checked when it is set.
    public init(
        _ password: [UInt8], acknowledge: [UInt8]? = nil, firstPage: Int? = nil, scope: PasswordScope? = nil,
        attempts: Int? = nil
    ) {
        self.password = password
        self.acknowledge = acknowledge ?? [0, 0]
        self.firstPage = firstPage
        self.scope = scope
        self.attempts = attempts
    }
}

/// The counter and the mirror of a tag. As a change, nil leaves a setting as it is.
public struct TagSettings: Sendable, Hashable {
    /// What the tag shows instead of its memory, and where.
    public struct Mirror: Sendable, Hashable {
        /// What it shows.
        public let content: MirrorContent
        /// The page in which it begins; 0 for no mirror.
        public let page: Int
        /// The byte of that page, 0 to 3.
        public let byte: Int

        /// A mirror; its place is checked when it is set.
        public init(_ content: MirrorContent, page: Int = 0, byte: Int = 0) {
            (self.content, self.page, self.byte) = (content, page, byte)
        }
    }

    /// Whether the tag counts the times it is read; nil also on a tag that cannot.
    public let counter: CounterUse?
    /// The mirror.
    public let mirror: Mirror?

    /// Settings.
    public init(counter: CounterUse? = nil, mirror: Mirror? = nil) {
        (self.counter, self.mirror) = (counter, mirror)
    }
}
