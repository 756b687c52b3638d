/// The memory of a tag as far as it can be read.
public struct TagDump: Codable, Sendable, Hashable {
    /// A part of the memory with its own numbering.
    public struct Section: Codable, Sendable, Hashable {
        /// The name, for example `E104` for a file; absent if the tag has one memory.
        public var name: String?
        /// The pages, blocks or rows in order. The last row of a file may be shorter.
        public var blocks: [TagBlock]

        /// A part with or without a name.
        public init(name: String? = nil, blocks: [TagBlock]) {
            self.name = name
            self.blocks = blocks
        }
    }

    /// What is known about a tag besides its memory.
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
        /// The numbers of the locked blocks of an ISO/IEC 15693 tag.
        public var lockedBlocks: [Int]?

        /// No facts.
        public init() {}
    }

    /// The layout of the memory.
    public var layout: TagLayout
    /// The manufacturer's name for the product, if known.
    public var product: String?
    /// The size of a page, block or row in bytes.
    public var blockSize: Int
    /// The memory: one section without a name, or the files.
    public var sections: [Section]
    /// What is known about the tag besides its memory.
    public var facts: Facts

    /// The pages, blocks or rows of all parts, one part after another.
    public var blocks: [TagBlock] { sections.flatMap(\.blocks) }

    /// A dump.
    public init(
        layout: TagLayout, product: String? = nil, blockSize: Int, sections: [Section], facts: Facts = Facts()
    ) {
        self.layout = layout
        self.product = product
        self.blockSize = blockSize
        self.sections = sections
        self.facts = facts
    }
}

/// A page, block or row of a tag's memory.
public struct TagBlock: Codable, Sendable, Hashable {
    /// The number.
    public var number: Int
    /// The bytes; null if the block cannot be read.
    public var bytes: HexBytes?
    /// The purpose, for example `static lock`; absent for plain data.
    public var meaning: String?

    /// A page, block or row with its bytes, nil if it cannot be read.
    public init(number: Int, bytes: [UInt8]?, meaning: String? = nil) {
        self.number = number
        self.bytes = bytes.map { HexBytes($0) }
        self.meaning = meaning
    }

    /// Encodes null for `bytes` instead of leaving it out, because programs that read dumps expect the member.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(number, forKey: .number)
        try object.encode(bytes, forKey: .bytes)
        try object.encodeIfPresent(meaning, forKey: .meaning)
    }
}
