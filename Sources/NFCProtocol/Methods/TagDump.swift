/// `tag.dump`: everything that can be read of a tag's memory, with what it is for.
public enum TagDumpMemory: Method {
    /// The name on the wire.
    public static let name = "tag.dump"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable, ProgressParameters {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// Tell with `$/progress` how far it has come; false, if absent.
        public var progress: Bool?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, tag: String, progress: Bool? = nil) {
            self.session = session
            self.tag = tag
            self.progress = progress
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// How the memory is laid out.
        public var layout: TagLayout
        /// The maker's name for the product; absent where it is not known.
        public var product: String?
        /// Bytes in a page, block or row.
        public var blockSize: Int
        /// The memory: one part without a name, or the files.
        public var sections: [Section]
        /// What is known besides.
        public var facts: Facts

        /// All fields.
        public init(layout: TagLayout, product: String?, blockSize: Int, sections: [Section], facts: Facts) {
            self.layout = layout
            self.product = product
            self.blockSize = blockSize
            self.sections = sections
            self.facts = facts
        }
    }
}

extension TagDumpMemory {
    /// A part of the memory that is numbered on its own.
    public struct Section: Codable, Sendable, Hashable {
        /// What it is called, for example `E104`, the file; absent where the tag has one memory.
        public var name: String?
        /// Its pages, blocks or rows in order.
        public var blocks: [Block]

        /// All fields.
        public init(name: String?, blocks: [Block]) {
            self.name = name
            self.blocks = blocks
        }
    }

    /// A page, block or row.
    public struct Block: Codable, Sendable, Hashable {
        /// Its number.
        public var number: Int
        /// Its bytes; null where it cannot be read.
        public var bytes: HexBytes?
        /// What it is for, for example `static lock`; absent for plain data.
        public var meaning: String?

        /// All fields.
        public init(number: Int, bytes: HexBytes?, meaning: String?) {
            self.number = number
            self.bytes = bytes
            self.meaning = meaning
        }

        /// `bytes` is null, not left out: whoever reads the dump looks for it.
        public func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(number, forKey: .number)
            try object.encode(bytes, forKey: .bytes)
            try object.encodeIfPresent(meaning, forKey: .meaning)
        }
    }

    /// What is known of a tag besides its memory; what is not known is absent.
    public struct Facts: Codable, Sendable, Hashable {
        /// The answer to GET_VERSION.
        public var version: HexBytes?
        /// The originality signature.
        public var signature: HexBytes?
        /// The one-way counters by their numbers.
        public var counters: [Int: Int]?
        /// PMm of FeliCa.
        public var manufactureParameter: HexBytes?
        /// DSFID of ISO/IEC 15693.
        public var dsfid: UInt8?
        /// AFI of ISO/IEC 15693.
        public var afi: UInt8?
        /// IC reference of ISO/IEC 15693.
        public var icReference: UInt8?
        /// The blocks of ISO/IEC 15693 that are locked.
        public var lockedBlocks: [Int]?

        /// No facts.
        public init() {}
    }
}
