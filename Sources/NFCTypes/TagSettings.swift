/// A password for a tag, and what it protects. What is nil stays unchanged on the tag.
public struct TagPassword: Codable, Sendable, Hashable {
    /// The new password, 4 bytes; 16 for the AES key of MIFARE Ultralight AES.
    public var password: HexBytes
    /// PACK, the 2 bytes with which the tag answers the right password; the default is 0000. A tag with a key has none.
    public var pack: HexBytes?
    /// The first page that needs the password. The default is that of the password on the tag; without one, 4, and 0 for ICODE SLIX2.
    public var firstPage: Int?
    /// Whether the password is needed to write, or to read as well. The default is as it is on the tag; without a password, to
    /// write.
    public var protects: PasswordScope?
    /// How many wrong passwords close the protected pages permanently, 1 to 7, of keys 1 to 1023; 0 for no limit. The default is as
    /// it is on the tag.
    public var attempts: Int?
    /// ICODE SLIX2: the first page that does not need the password, with `firstPage` 0. The default is as it is on the tag; without a
    /// password, every page needs it.
    public var endPage: Int?
    /// ICODE SLIX2: which password. The default is `write`, and `read` where reading needs the password as well.
    public var kind: PasswordKind?

    /// A password; its lengths and ranges are checked when it is set.
    public init(
        password: HexBytes, pack: HexBytes? = nil, firstPage: Int? = nil, protects: PasswordScope? = nil,
        attempts: Int? = nil, endPage: Int? = nil, kind: PasswordKind? = nil
    ) {
        (self.endPage, self.kind) = (endPage, kind)
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
    /// ICODE SLIX2: the first page that does not need the password; the number of pages for data if all behind the first one do, the
    /// first page if none does.
    public var endPage: Int?
    /// ICODE SLIX2: which password was set.
    public var kind: PasswordKind?

    /// What a password protects.
    public init(
        firstPage: Int, protects: PasswordScope, attempts: Int, endPage: Int? = nil, kind: PasswordKind? = nil
    ) {
        (self.endPage, self.kind) = (endPage, kind)
        self.firstPage = firstPage
        self.protects = protects
        self.attempts = attempts
    }
}

/// Changes of the counter, the mirror and other settings of a tag. What is nil stays unchanged.
public struct TagSettingChanges: Codable, Sendable, Hashable {
    /// Whether the tag counts the times it is read, and who can read the counter.
    public var counter: CounterUse?
    /// What the tag shows instead of its memory.
    public var mirror: MirrorContent?
    /// The page in which the mirror begins; required with a mirror.
    public var mirrorPage: Int?
    /// The byte of that page, 0 to 3; the default is 0.
    public var mirrorByte: Int?
    /// ICODE SLIX2: the value to which the counter is set, 0 to 65535.
    public var counterValue: Int?
    /// ICODE SLIX2: the application family identifier, 1 byte.
    public var afi: HexBytes?
    /// ICODE SLIX2: whether gates against theft notice the tag (EAS).
    public var eas: Bool?
    /// ICODE SLIX2: what is locked permanently.
    public var locks: [TagLock]?
    /// ICODE SLIX2: true turns privacy mode on, in which the tag shows no UID and readers do not find it; nfcd cannot turn it off.
    /// Its password has to be given with `tag.authenticate` first.
    public var privacy: Bool?

    /// Changes; they are checked when they are made.
    public init(
        counter: CounterUse? = nil, mirror: MirrorContent? = nil, mirrorPage: Int? = nil, mirrorByte: Int? = nil,
        counterValue: Int? = nil, afi: HexBytes? = nil, eas: Bool? = nil, locks: [TagLock]? = nil,
        privacy: Bool? = nil
    ) {
        (self.counterValue, self.afi, self.eas) = (counterValue, afi, eas)
        (self.locks, self.privacy) = (locks, privacy)
        self.counter = counter
        self.mirror = mirror
        self.mirrorPage = mirrorPage
        self.mirrorByte = mirrorByte
    }
}

/// The counter, the mirror and other settings of a tag.
public struct TagSettings: Codable, Sendable, Hashable {
    /// Whether the tag counts now; absent if it cannot.
    public var counter: CounterUse?
    /// What the tag shows instead of its memory now.
    public var mirror: MirrorContent
    /// The page in which the mirror begins; absent without a mirror.
    public var mirrorPage: Int?
    /// The byte of that page; absent without a mirror.
    public var mirrorByte: Int?
    /// ICODE SLIX2: the value of the counter now.
    public var counterValue: Int?
    /// ICODE SLIX2: the application family identifier now.
    public var afi: HexBytes?
    /// ICODE SLIX2: whether gates against theft notice the tag now; absent if that was not to be changed.
    public var eas: Bool?
    /// ICODE SLIX2: what was locked permanently.
    public var locks: [TagLock]?
    /// ICODE SLIX2: whether the tag is in privacy mode now; absent if that was not to be changed.
    public var privacy: Bool?

    /// Settings of a tag.
    public init(
        counter: CounterUse?, mirror: MirrorContent, mirrorPage: Int? = nil, mirrorByte: Int? = nil,
        counterValue: Int? = nil, afi: HexBytes? = nil, eas: Bool? = nil, locks: [TagLock]? = nil,
        privacy: Bool? = nil
    ) {
        (self.counterValue, self.afi, self.eas) = (counterValue, afi, eas)
        (self.locks, self.privacy) = (locks, privacy)
        self.counter = counter
        self.mirror = mirror
        self.mirrorPage = mirrorPage
        self.mirrorByte = mirrorByte
    }
}
