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

    /// What a tag is for NDEF.
    public enum Status: String, Choice {
        /// Not NDEF formatted, or not readable.
        case notSupported
        /// Can be read and written.
        case readWrite
        /// Can only be read.
        case readOnly
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// What the tag is for NDEF.
        public var status: Status
        /// The largest message that fits, in bytes; 0 without NDEF.
        public var capacity: Int
        /// Why there is no NDEF; absent where there is.
        public var reason: String?

        /// All fields.
        public init(status: Status, capacity: Int, reason: String?) {
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
        public var status: TagQueryNDEFStatus.Status
        /// The largest message that fits, in bytes.
        public var capacity: Int

        /// All fields.
        public init(message: Message, status: TagQueryNDEFStatus.Status, capacity: Int) {
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

/// `iso7816.sendCommand`: a command APDU, sent as it is.
public enum ISO7816SendCommand: Method {
    /// The name on the wire.
    public static let name = "iso7816.sendCommand"
    /// The lengths an APDU can have, in bytes (ISO/IEC 7816-3): a header; at most 65,535 bytes of data and extended lengths.
    public static let lengths = 4...65_544

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The command, 4 to 65,544 bytes.
        public var apdu: HexBytes
        /// Seconds for the whole command, more than 0 and at most 60; the reader's own limit for each exchange, if absent.
        /// After a time-out (102) the tag has to be detected anew.
        public var timeout: Double?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, tag: String, apdu: HexBytes, timeout: Double? = nil) {
            self.session = session
            self.tag = tag
            self.apdu = apdu
            self.timeout = timeout
        }
    }

    /// What the card answered.
    public struct Result: Codable, Sendable, Hashable {
        /// The response data.
        public var data: HexBytes
        /// The first byte of the status word.
        public var sw1: UInt8
        /// The second byte of the status word.
        public var sw2: UInt8

        /// All fields.
        public init(data: HexBytes, sw1: UInt8, sw2: UInt8) {
            self.data = data
            self.sw1 = sw1
            self.sw2 = sw2
        }
    }
}
