/// The memory of a tag as far as it can be read, for people and for dump files.
public struct TagDump: Sendable, Hashable {
    /// A part of the memory that is numbered on its own.
    public struct Section: Sendable, Hashable {
        /// What it is called, for example `E104`, the file; nil if the tag has one memory.
        public let name: String?
        /// Its pages or blocks in order. Of a file that does not fill its last row, that row is shorter.
        public let blocks: [TagBlock]

        /// A part with or without a name.
        public init(name: String? = nil, blocks: [TagBlock]) {
            self.name = name
            self.blocks = blocks
        }
    }

    /// What is known of a tag besides its memory; nil or empty if it is not known.
    public struct Facts: Sendable, Hashable {
        /// The answer to GET_VERSION, 8 bytes.
        public var version: [UInt8]?
        /// The originality signature, 32 bytes.
        public var signature: [UInt8]?
        /// The one-way counters by their numbers.
        public var counters: [Int: Int] = [:]
        /// PMm of FeliCa, 8 bytes.
        public var manufactureParameter: [UInt8]?
        /// DSFID of ISO/IEC 15693.
        public var dsfid: UInt8?
        /// AFI of ISO/IEC 15693.
        public var afi: UInt8?
        /// IC reference of ISO/IEC 15693.
        public var icReference: UInt8?
        /// The blocks of ISO/IEC 15693 that are locked.
        public var lockedBlocks: [Int] = []

        /// No facts.
        public init() {}
    }

    /// How the memory is laid out.
    public let layout: TagLayout
    /// The maker's name for the product, nil if it is not known.
    public let productName: String?
    /// Bytes in a page, block or row.
    public let blockSize: Int
    /// The memory; one part without a name, or the files.
    public let sections: [Section]
    /// What is known besides.
    public let facts: Facts

    /// The pages, blocks or rows of all parts behind one another.
    public var blocks: [TagBlock] { sections.flatMap(\.blocks) }

    /// Puts a dump together.
    public init(
        layout: TagLayout, productName: String? = nil, blockSize: Int, sections: [Section], facts: Facts = Facts()
    ) {
        self.layout = layout
        self.productName = productName
        self.blockSize = blockSize
        self.sections = sections
        self.facts = facts
    }
}

/// A page or block of a tag's memory as it was read.
public struct TagBlock: Sendable, Hashable {
    /// Its number.
    public let number: Int
    /// Its bytes, nil if it cannot be read.
    public let bytes: [UInt8]?
    /// The purpose, for example `static lock`; nil for plain data.
    public let meaning: String?

    /// A page or block.
    public init(number: Int, bytes: [UInt8]?, meaning: String? = nil) {
        self.number = number
        self.bytes = bytes
        self.meaning = meaning
    }
}

/// Receives the progress of a long operation: the steps done, and their total. Called by the driver; it must not block.
public typealias TagProgress = @Sendable (_ done: Int, _ total: Int) -> Void

/// Reports the progress of a dump: the blocks or bytes done, and their total.
struct DumpProgress: Sendable {
    private let listener: TagProgress?
    private let total: Int
    private var done = 0

    init(_ listener: TagProgress?, total: Int) {
        self.listener = listener
        self.total = total
    }

    /// Reports progress after a read; does nothing where nothing new was read.
    mutating func reach(_ count: Int) {
        guard count > done else { return }
        done = min(count, total)
        listener?(done, total)
    }

    /// At the end, also if the rest cannot be read.
    mutating func finish() { reach(total) }
}

extension Array {
    /// The elements in groups of `size`, at least 1; the last one may be shorter.
    func groups(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: Swift.max(1, size)).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
