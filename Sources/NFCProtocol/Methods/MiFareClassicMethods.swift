// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
import NFCTypes

/// Authenticates to the sector of a block with one of its keys.
///
/// The sector stays authenticated until another one is, or until the card receives a command other than those of
/// `miFareClassic`. A wrong key halts the card.
public enum MiFareClassicAuthenticate: TagMethod {
    public static let name = "miFareClassic.authenticate"
    public static let requirement = Requirement.capability(.raw)

    public enum KeyType: String, Choice {
        /// Key A.
        case a
        /// Key B.
        case b
    }

    public struct Arguments: Codable, Sendable, Hashable {
        /// The number of any block of the sector.
        public var block: Int
        /// Which of the two keys of the sector: A or B.
        public var keyType: KeyType
        /// The key, 6 bytes.
        public var key: HexBytes
    }
}

/// Reads a block of the authenticated sector.
///
/// Key A in a sector trailer reads as zeros.
public enum MiFareClassicReadBlock: TagMethod {
    public static let name = "miFareClassic.readBlock"
    public static let requirement = Requirement.capability(.raw)
    public typealias Result = RawAnswer

    public struct Arguments: Codable, Sendable, Hashable {
        /// The number of the block.
        public var block: Int
    }
}

/// Writes a block of the authenticated sector.
///
/// Block 0 is refused, and a sector trailer unless `allowTrailer` is set.
public enum MiFareClassicWriteBlock: TagMethod {
    public static let name = "miFareClassic.writeBlock"
    public static let requirement = Requirement.capability(.raw)

    public struct Arguments: Codable, Sendable, Hashable {
        /// The number of the block.
        public var block: Int
        /// The new content, 16 bytes.
        public var data: HexBytes
        /// Whether a sector trailer may be written; the default is false. A wrong trailer makes its sector permanently
        /// unusable.
        public var allowTrailer: Bool?
    }
}

/// Increases the value in a value block of the authenticated sector.
///
/// Sends INCREMENT and TRANSFER.
public enum MiFareClassicIncrement: TagMethod {
    public static let name = "miFareClassic.increment"
    public static let requirement = Requirement.capability(.raw)
    public typealias Arguments = MiFareClassicAmount
}

/// Decreases the value in a value block of the authenticated sector.
///
/// Sends DECREMENT and TRANSFER.
public enum MiFareClassicDecrement: TagMethod {
    public static let name = "miFareClassic.decrement"
    public static let requirement = Requirement.capability(.raw)
    public typealias Arguments = MiFareClassicAmount
}

/// A value block and the amount to change it by.
public struct MiFareClassicAmount: Codable, Sendable, Hashable {
    /// The number of the value block.
    public var block: Int
    /// The amount to change the value by, not negative.
    public var amount: Int32
}

/// Copies a value block of the authenticated sector to another block of the sector.
///
/// Sends RESTORE and TRANSFER, which readers offer as one command only.
public enum MiFareClassicRestore: TagMethod {
    public static let name = "miFareClassic.restore"
    public static let requirement = Requirement.capability(.raw)

    public struct Arguments: Codable, Sendable, Hashable {
        /// The number of the block to copy.
        public var block: Int
        /// The number of the block to copy it to.
        public var destination: Int
    }
}
