// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NDEF
public import NFCTypes

// The NDEF message of a tag, and the tag as a whole: `tag.*`.

/// Returns whether a tag holds NDEF, and how much fits.
public enum TagQueryNDEFStatus: TagMethod {
    public static let name = "tag.queryNDEFStatus"
    public static let requirement = Requirement.capability(.read)

    public struct Arguments: Codable, Sendable, Hashable {
        /// Whether to look for content that is recognized besides a message, which takes further reads; the default is false.
        public var content: Bool?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// Whether the tag holds NDEF, and whether it can be written.
        public var status: NDEFStatus
        /// The size of the largest message that fits, in bytes; 0 without NDEF.
        public var capacity: Int
        /// The reason why there is no NDEF.
        public var reason: String?
        /// Whether `tag.format` can be expected to work and overwrites nothing; only if there is no NDEF.
        public var formattable: Bool?
        /// What `tag.format` would overwrite: other data in the tag's memory, described. It does so only if `overwrite` is true.
        public var overwrites: String?
        /// The reason why `tag.format` cannot work on this tag.
        public var obstacle: String?
        /// What the memory holds besides a message, in a format that is recognized; only where `content` was true.
        public var content: TagContent?
    }
}

/// Reads the message on a tag.
public enum TagReadNDEF: TagMethod {
    public static let name = "tag.readNDEF"
    public static let requirement = Requirement.capability(.read)

    public struct Arguments: Codable, Sendable, Hashable {
        /// Whether to look for content that is recognized besides the message, which takes further reads; the default is false.
        public var content: Bool?
    }

    public struct Result: Codable, Sendable {
        /// The message.
        public var message: NDEFMessage
        /// Whether the message can be written.
        public var status: NDEFStatus
        /// The size of the largest message that fits, in bytes.
        public var capacity: Int
        /// What the memory holds besides the message, in a format that is recognized; only where `content` was true.
        public var content: TagContent?
    }
}

/// Writes a message to a tag and replaces the one on it.
///
/// A message without records erases the tag. One that would reach into content of a known format behind the message, such as that of a
/// filament tag, is refused, unless `overwrite` is true.
public enum TagWriteNDEF: TagMethod {
    public static let name = "tag.writeNDEF"
    public static let requirement = Requirement.capability(.write)

    public struct Arguments: Codable, Sendable, ProgressParameters {
        /// The message to write.
        public var message: NDEFMessage
        /// Whether to read the message back and compare it; the default is false.
        public var verify: Bool?
        /// Whether content behind the message may be overwritten; the default is false.
        public var overwrite: Bool?
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?
    }
}

/// Changes bytes inside the payload of a record, which keeps its length.
///
/// Only the blocks that differ are written; the header of the message is not, and only the locks of those blocks count. If other bytes
/// than `old` are there, nothing is written. Wherever it is interrupted, the bytes in front of the change stay; what the changed bytes may
/// be is in the error.
public enum TagUpdateRecord: TagMethod {
    public static let name = "tag.updateRecord"
    public static let requirement = Requirement.capability(.write)

    public struct Arguments: Codable, Sendable, Hashable, ProgressParameters {
        /// The index of the record in the message, from 0.
        public var record: Int
        /// Where the first byte is in the record's payload, from 0.
        public var offset: Int
        /// The bytes that have to be there.
        public var old: HexBytes
        /// The bytes that replace them, as many.
        public var new: HexBytes
        /// A byte that hides what is behind it while several blocks are written.
        public var stop: Stop?
        /// What the bytes are between `old` and `new`, step by step: each has the same length. Not with `stop`.
        public var steps: [HexBytes]?
        /// Whether to read the blocks back and compare them; the default is false.
        public var verify: Bool?
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?
    }

    /// A byte that is written first, and replaced last.
    public struct Stop: Codable, Sendable, Hashable {
        /// Where it is in the record's payload, within the change.
        public var offset: Int
        /// The byte, such as FF, which ends a CBOR map.
        public var byte: HexBytes
    }
}

/// Formats a tag without NDEF, so that it holds an empty message.
///
/// A tag whose memory holds other data is refused, unless `overwrite` is true.
public enum TagFormat: TagMethod {
    public static let name = "tag.format"
    public static let requirement = Requirement.capability(.format)

    public struct Arguments: Codable, Sendable, Hashable {
        /// Whether other data in the tag's memory may be overwritten; the default is false.
        public var overwrite: Bool?
    }
}

/// Makes a tag permanently read-only.
public enum TagWriteLock: TagMethod {
    public static let name = "tag.writeLock"
    public static let requirement = Requirement.capability(.lock)
    public typealias Arguments = Empty
}

/// Authenticates to a tag with its password.
///
/// The authentication lasts until the tag leaves the field, or until a raw command is sent to it. An ICODE SLIX2 answers nothing after a
/// wrong password until it is reset, which the command does: then no password is in force.
public enum TagAuthenticate: TagMethod {
    public static let name = "tag.authenticate"
    public static let requirement = Requirement.capability(.raw)

    public struct Arguments: Codable, Sendable, Hashable {
        /// The password, 4 bytes for Type 2 and ICODE SLIX2; 16 bytes are the AES key (DataProtKey) of MIFARE Ultralight AES.
        public var password: HexBytes
        /// Which password of an ICODE SLIX2; the default is `read` where reading needs one, else `write`.
        public var kind: PasswordKind?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The proof that the tag knows the password too: PACK of Type 2. Empty for an AES key, which the tag has proved to know, and for
        /// ICODE SLIX2.
        public var acknowledge: HexBytes
    }
}

/// Cancels the commands to a tag that have not started.
///
/// Each of them is answered with error -32800.
public enum TagCancelCommands: Method {
    public static let name = "tag.cancelCommands"
    public static let requirement = Requirement.nothing
    public typealias Parameters = TagAddress

    public struct Result: Codable, Sendable, Hashable {
        /// The number of cancelled commands.
        public var cancelled: Int
    }
}
