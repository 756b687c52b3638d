// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

/// Returns the product, the memory and the lock state of a tag, as far as the tag reports them.
public enum TagDescribe: TagMethod {
    public static let name = "tag.describe"
    public static let requirement = Requirement.capability(.read)
    public typealias Parameters = TagAddress

    public struct Field: Codable, Sendable, Hashable {
        /// The label, for example `Originality signature`.
        public var label: String
        /// The value; bytes are hexadecimal.
        public var value: String

        package init(label: String, value: String) {
            self.label = label
            self.value = value
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The manufacturer's name for the product, if known.
        public var product: String?
        /// The manufacturer, if known.
        public var manufacturer: String?
        /// The size of the whole memory in bytes, if known.
        public var memorySize: Int?
        /// The size of a page or block in bytes.
        public var blockSize: Int
        /// Whether the content can be changed.
        public var lockState: LockState
        /// Whether the manufacturer signed the UID; absent for products without an originality signature.
        public var originality: TagOriginality?
        /// Everything else, in the order for display.
        public var fields: [Field]

        package init(
            product: String?, manufacturer: String?, memorySize: Int?, blockSize: Int, lockState: LockState,
            originality: TagOriginality?, fields: [Field]
        ) {
            self.product = product
            self.manufacturer = manufacturer
            self.memorySize = memorySize
            self.blockSize = blockSize
            self.lockState = lockState
            self.originality = originality
            self.fields = fields
        }
    }
}

/// Reads all readable memory of a tag.
public enum TagDumpMemory: TagMethod {
    public static let name = "tag.dump"
    public static let requirement = Requirement.capability(.read)
    public typealias Parameters = TagCommand<Arguments>

    public struct Arguments: Codable, Sendable, Hashable, ProgressParameters {
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?

        public init(progress: Bool? = nil) {
            self.progress = progress
        }
    }

    public struct Result: Codable, Sendable, Hashable {
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

        package init(layout: TagLayout, product: String?, blockSize: Int, sections: [Section], facts: Facts) {
            self.layout = layout
            self.product = product
            self.blockSize = blockSize
            self.sections = sections
            self.facts = facts
        }
    }

    /// A part of the memory with its own numbering.
    public struct Section: Codable, Sendable, Hashable {
        /// The name, for example `E104` for a file; absent if the tag has one memory.
        public var name: String?
        /// The pages, blocks or rows in order.
        public var blocks: [Block]

        package init(name: String?, blocks: [Block]) {
            self.name = name
            self.blocks = blocks
        }
    }

    /// A page, block or row.
    public struct Block: Codable, Sendable, Hashable {
        /// The number.
        public var number: Int
        /// The bytes; null if the block cannot be read.
        public var bytes: HexBytes?
        /// The purpose, for example `static lock`; absent for plain data.
        public var meaning: String?

        package init(number: Int, bytes: HexBytes?, meaning: String?) {
            self.number = number
            self.bytes = bytes
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

        package init() {}
    }
}
