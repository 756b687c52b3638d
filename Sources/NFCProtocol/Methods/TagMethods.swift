/// The tag a request is about.
public struct TagParameters: Codable, Sendable, Hashable {
    /// The session's name.
    public var session: String
    /// The tag's name within the session.
    public var tag: String

    /// All fields.
    public init(session: String, tag: String) {
        self.session = session
        self.tag = tag
    }
}

/// `tag.queryNDEFStatus`: whether a tag holds NDEF, and how much.
public enum TagQueryNDEFStatus: Method {
    /// The name on the wire.
    public static let name = "tag.queryNDEFStatus"
    /// The tag.
    public typealias Parameters = TagParameters

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// What the tag is for NDEF.
        public var status: NDEFStatus
        /// The largest message that fits, in bytes; 0 without NDEF.
        public var capacity: Int
        /// Why there is no NDEF; absent where there is.
        public var reason: String?

        /// All fields.
        public init(status: NDEFStatus, capacity: Int, reason: String?) {
            self.status = status
            self.capacity = capacity
            self.reason = reason
        }
    }
}

/// `tag.readNDEF`: the message on a tag. `Message` is the JSON form of an NDEF message.
public enum TagReadNDEF<Message: Codable & Sendable>: Method {
    /// The name on the wire.
    public static var name: String { "tag.readNDEF" }
    /// The tag.
    public typealias Parameters = TagParameters

    /// What the daemon answers.
    public struct Result: Codable, Sendable {
        /// The message.
        public var message: Message
        /// Whether it can be written.
        public var status: NDEFStatus
        /// The largest message that fits, in bytes.
        public var capacity: Int

        /// All fields.
        public init(message: Message, status: NDEFStatus, capacity: Int) {
            self.message = message
            self.status = status
            self.capacity = capacity
        }
    }
}

/// `tag.writeNDEF`: puts a message in place of the one on a tag. `Message` is the JSON form of an NDEF message; one
/// without records erases the tag.
public enum TagWriteNDEF<Message: Codable & Sendable>: Method {
    /// The name on the wire.
    public static var name: String { "tag.writeNDEF" }
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, ProgressParameters {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// What to write.
        public var message: Message
        /// Read back what was written and compare; false, if absent.
        public var verify: Bool?
        /// Tell with `$/progress` how far it has come; false, if absent.
        public var progress: Bool?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, tag: String, message: Message, verify: Bool? = nil, progress: Bool? = nil) {
            self.session = session
            self.tag = tag
            self.message = message
            self.verify = verify
            self.progress = progress
        }
    }
}

/// `tag.format`: makes a tag without NDEF one with an empty message.
public enum TagFormat: Method {
    /// The name on the wire.
    public static let name = "tag.format"
    /// The tag.
    public typealias Parameters = TagParameters
    /// Nothing to say.
    public typealias Result = Empty
}

/// `tag.writeLock`: makes the message on a tag read-only, for ever.
public enum TagWriteLock: Method {
    /// The name on the wire.
    public static let name = "tag.writeLock"
    /// The tag.
    public typealias Parameters = TagParameters
    /// Nothing to say.
    public typealias Result = Empty
}

/// `tag.describe`: what a tag is, as far as it tells.
public enum TagDescribe: Method {
    /// The name on the wire.
    public static let name = "tag.describe"
    /// The tag.
    public typealias Parameters = TagParameters

    /// One fact.
    public struct Field: Codable, Sendable, Hashable {
        /// What it is, for example `Originality signature`.
        public var label: String
        /// The fact; bytes are hexadecimal.
        public var value: String

        /// All fields.
        public init(label: String, value: String) {
            self.label = label
            self.value = value
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The maker's name for the product; absent where it is not known.
        public var product: String?
        /// The maker; absent where it is not known.
        public var manufacturer: String?
        /// The whole memory in bytes; absent where it is not known.
        public var memorySize: Int?
        /// Bytes in a page or block.
        public var blockSize: Int
        /// Whether the content can be changed.
        public var lockState: LockState
        /// Everything else, in the order to show it.
        public var fields: [Field]

        /// All fields.
        public init(
            product: String?, manufacturer: String?, memorySize: Int?, blockSize: Int, lockState: LockState,
            fields: [Field]
        ) {
            self.product = product
            self.manufacturer = manufacturer
            self.memorySize = memorySize
            self.blockSize = blockSize
            self.lockState = lockState
            self.fields = fields
        }
    }
}

/// `tag.authenticate`: gives a tag its password, for as long as it stays in the field. Commands as they are (`iso7816`,
/// `miFare` and so on) make nfcd forget that it was given.
public enum TagAuthenticate: Method {
    /// The name on the wire.
    public static let name = "tag.authenticate"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The password; 4 bytes for Type 2.
        public var password: HexBytes

        /// All fields.
        public init(session: String, tag: String, password: HexBytes) {
            self.session = session
            self.tag = tag
            self.password = password
        }
    }

    /// What the tag answered.
    public struct Result: Codable, Sendable, Hashable {
        /// What the tag proves with that it knows the password too: PACK of Type 2. May be empty.
        public var acknowledge: HexBytes

        /// All fields.
        public init(acknowledge: HexBytes) {
            self.acknowledge = acknowledge
        }
    }
}
