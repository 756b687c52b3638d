/// `miFareClassic.authenticate`: opens the sector of a block. It stays open until another is opened, or something other than
/// `miFareClassic` is done with the card. A wrong key halts the card.
public enum MiFareClassicAuthenticate: Method {
    /// The name on the wire.
    public static let name = "miFareClassic.authenticate"
    /// Nothing to say.
    public typealias Result = Empty

    /// Which of a sector's two keys.
    public enum KeyType: String, Choice {
        /// Key A.
        case a
        /// Key B.
        case b
    }

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// Any block of the sector.
        public var block: Int
        /// Which of its keys.
        public var keyType: KeyType
        /// The key, 6 bytes.
        public var key: HexBytes

        /// All fields.
        public init(session: String, tag: String, block: Int, keyType: KeyType, key: HexBytes) {
            self.session = session
            self.tag = tag
            self.block = block
            self.keyType = keyType
            self.key = key
        }
    }
}

/// `miFareClassic.readBlock`: a block of the open sector. Key A of a trailer reads as zeros.
public enum MiFareClassicReadBlock: Method {
    /// The name on the wire.
    public static let name = "miFareClassic.readBlock"
    /// The block's 16 bytes.
    public typealias Result = RawAnswer

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The block.
        public var block: Int

        /// All fields.
        public init(session: String, tag: String, block: Int) {
            self.session = session
            self.tag = tag
            self.block = block
        }
    }
}

/// `miFareClassic.writeBlock`: a block of the open sector. Block 0 is refused, and a trailer unless that is asked for.
public enum MiFareClassicWriteBlock: Method {
    /// The name on the wire.
    public static let name = "miFareClassic.writeBlock"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The block.
        public var block: Int
        /// Its new content, 16 bytes.
        public var data: HexBytes
        /// Write a trailer too: a wrong one makes its sector useless for ever. False, if absent.
        public var allowTrailer: Bool?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, tag: String, block: Int, data: HexBytes, allowTrailer: Bool? = nil) {
            self.session = session
            self.tag = tag
            self.block = block
            self.data = data
            self.allowTrailer = allowTrailer
        }
    }
}

/// `miFareClassic.increment`: adds to a value block of the open sector (INCREMENT and TRANSFER).
public enum MiFareClassicIncrement: Method {
    /// The name on the wire.
    public static let name = "miFareClassic.increment"
    /// The block and how much.
    public typealias Parameters = MiFareClassicAmount
    /// Nothing to say.
    public typealias Result = Empty
}

/// `miFareClassic.decrement`: takes from a value block of the open sector (DECREMENT and TRANSFER).
public enum MiFareClassicDecrement: Method {
    /// The name on the wire.
    public static let name = "miFareClassic.decrement"
    /// The block and how much.
    public typealias Parameters = MiFareClassicAmount
    /// Nothing to say.
    public typealias Result = Empty
}

/// What a value block is changed by.
public struct MiFareClassicAmount: Codable, Sendable, Hashable {
    /// The session's name.
    public var session: String
    /// The tag's name within the session.
    public var tag: String
    /// The block.
    public var block: Int
    /// How much, not below 0.
    public var amount: Int32

    /// All fields.
    public init(session: String, tag: String, block: Int, amount: Int32) {
        self.session = session
        self.tag = tag
        self.block = block
        self.amount = amount
    }
}

/// `miFareClassic.restore`: copies a value block of the open sector to another of it (RESTORE and TRANSFER, which readers
/// offer as one command only).
public enum MiFareClassicRestore: Method {
    /// The name on the wire.
    public static let name = "miFareClassic.restore"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The block that is copied.
        public var block: Int
        /// The block that it is copied to.
        public var destination: Int

        /// All fields.
        public init(session: String, tag: String, block: Int, destination: Int) {
            self.session = session
            self.tag = tag
            self.block = block
            self.destination = destination
        }
    }
}
