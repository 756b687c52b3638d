// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

/// Protects a tag with a password, or changes its password.
///
/// Supported by NTAG21x and MIFARE Ultralight EV1, and by MIFARE Ultralight AES with an AES key instead of the password, on a reader
/// that sends raw commands. Where the tag has a password already, give it
/// first with `tag.authenticate`. The tag has to accept the new password before it is in force; wherever the command is interrupted,
/// the tag has the old password, none, or the new one. A tag whose password is lost stays unchanged.
public enum TagSetPassword: TagMethod {
    public static let name = "tag.setPassword"
    public static let requirement = Requirement.capability(.lock)
    public typealias Parameters = TagCommand<Arguments>

    public struct Arguments: Codable, Sendable, Hashable {
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

    public struct Result: Codable, Sendable, Hashable {
        /// The first page that needs the password now.
        public var firstPage: Int
        /// What the password is needed for now.
        public var protects: PasswordScope
        /// How many wrong passwords close the protected pages permanently; 0 for no limit.
        public var attempts: Int

        package init(firstPage: Int, protects: PasswordScope, attempts: Int) {
            self.firstPage = firstPage
            self.protects = protects
            self.attempts = attempts
        }
    }
}

/// Removes the password of a tag.
///
/// Give the password first with `tag.authenticate`. Afterwards the tag has the password FFFFFFFF, or the key of zeros, that it was
/// delivered with, and no page needs it.
public enum TagRemovePassword: TagMethod {
    public static let name = "tag.removePassword"
    public static let requirement = Requirement.capability(.lock)
    public typealias Parameters = TagAddress
    public typealias Result = Empty
}

/// Changes the NFC counter and the ASCII mirror of an NTAG21x.
///
/// What is not given stays unchanged. The counter and its mirror are supported by NTAG213, 215 and 216, the mirror of the UID by NTAG210
/// and 212 too. The tag shows the mirror instead of the stored bytes whenever it is read.
public enum TagConfigure: TagMethod {
    public static let name = "tag.configure"
    public static let requirement = Requirement.capability(.lock)
    public typealias Parameters = TagCommand<Arguments>

    public struct Arguments: Codable, Sendable, Hashable {
        /// Whether the tag counts the times it is read, and who can read the counter.
        public var counter: CounterUse?
        /// What the tag shows instead of its memory.
        public var mirror: MirrorContent?
        /// The page in which the mirror begins; required with a mirror.
        public var mirrorPage: Int?
        /// The byte of that page, 0 to 3; the default is 0.
        public var mirrorByte: Int?

        public init(
            counter: CounterUse? = nil, mirror: MirrorContent? = nil, mirrorPage: Int? = nil, mirrorByte: Int? = nil
        ) {
            self.counter = counter
            self.mirror = mirror
            self.mirrorPage = mirrorPage
            self.mirrorByte = mirrorByte
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// Whether the tag counts now; absent if it cannot.
        public var counter: CounterUse?
        /// What the tag shows instead of its memory now.
        public var mirror: MirrorContent
        /// The page in which the mirror begins; absent without a mirror.
        public var mirrorPage: Int?
        /// The byte of that page; absent without a mirror.
        public var mirrorByte: Int?

        package init(counter: CounterUse?, mirror: MirrorContent, mirrorPage: Int?, mirrorByte: Int?) {
            self.counter = counter
            self.mirror = mirror
            self.mirrorPage = mirrorPage
            self.mirrorByte = mirrorByte
        }
    }
}
