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
