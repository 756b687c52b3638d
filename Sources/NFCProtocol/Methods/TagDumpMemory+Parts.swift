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
