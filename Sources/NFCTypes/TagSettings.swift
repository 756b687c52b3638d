/// A password for a tag, and what it protects. What is nil stays unchanged on the tag.
public struct TagPassword: Codable, Sendable, Hashable {
    /// The new password, 4 bytes; 16 for the AES key of MIFARE Ultralight AES.
    public var password: HexBytes
    /// PACK, the 2 bytes with which the tag answers the right password; the default is 0000. A tag with a key has none.
    public var pack: HexBytes?
    /// The first page that needs the password. The default is that of the password on the tag; without one, 4.
    public var firstPage: Int?
    /// Whether the password is needed to write, or to read as well. The default is as it is on the tag; without a password, to
    /// write.
    public var protects: PasswordScope?
    /// How many wrong passwords close the protected pages permanently, 1 to 7, of keys 1 to 1023; 0 for no limit. The default is as
    /// it is on the tag.
    public var attempts: Int?

    /// A password; its lengths and ranges are checked when it is set.
    public init(
        password: HexBytes, pack: HexBytes? = nil, firstPage: Int? = nil, protects: PasswordScope? = nil,
        attempts: Int? = nil
    ) {
        self.password = password
        self.pack = pack
        self.firstPage = firstPage
        self.protects = protects
        self.attempts = attempts
    }
}

/// What the password of a tag protects.
public struct TagProtection: Codable, Sendable, Hashable {
    /// The first page that needs the password now.
    public var firstPage: Int
    /// What the password is needed for now.
    public var protects: PasswordScope
    /// How many wrong passwords close the protected pages permanently; 0 for no limit.
    public var attempts: Int

    /// What a password protects.
    public init(firstPage: Int, protects: PasswordScope, attempts: Int) {
        self.firstPage = firstPage
        self.protects = protects
        self.attempts = attempts
    }
}

/// Changes of the counter and the mirror of a tag. What is nil stays unchanged.
public struct TagSettingChanges: Codable, Sendable, Hashable {
    /// Whether the tag counts the times it is read, and who can read the counter.
    public var counter: CounterUse?
    /// What the tag shows instead of its memory.
    public var mirror: MirrorContent?
    /// The page in which the mirror begins; required with a mirror.
    public var mirrorPage: Int?
    /// The byte of that page, 0 to 3; the default is 0.
    public var mirrorByte: Int?

    /// Changes; they are checked when they are made.
    public init(
        counter: CounterUse? = nil, mirror: MirrorContent? = nil, mirrorPage: Int? = nil, mirrorByte: Int? = nil
    ) {
        self.counter = counter
        self.mirror = mirror
        self.mirrorPage = mirrorPage
        self.mirrorByte = mirrorByte
    }
}

/// The counter and the mirror of a tag.
public struct TagSettings: Codable, Sendable, Hashable {
    /// Whether the tag counts now; absent if it cannot.
    public var counter: CounterUse?
    /// What the tag shows instead of its memory now.
    public var mirror: MirrorContent
    /// The page in which the mirror begins; absent without a mirror.
    public var mirrorPage: Int?
    /// The byte of that page; absent without a mirror.
    public var mirrorByte: Int?

    /// Settings of a tag.
    public init(counter: CounterUse?, mirror: MirrorContent, mirrorPage: Int? = nil, mirrorByte: Int? = nil) {
        self.counter = counter
        self.mirror = mirror
        self.mirrorPage = mirrorPage
        self.mirrorByte = mirrorByte
    }
}
