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

    /// How the memory is laid out.
    public enum Layout: String, Choice {
        /// Blocks of 8 bytes: Topaz.
        case type1
        /// Pages of 4 bytes: Ultralight and NTAG.
        case type2
        /// Blocks of 16 bytes: FeliCa.
        case type3
        /// Files, in rows of 16 bytes.
        case type4
        /// Blocks of 1 to 32 bytes: ISO/IEC 15693.
        case type5
        /// Blocks of 16 bytes, in sectors with keys.
        case mifareClassic
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// How the memory is laid out.
        public var layout: Layout
        /// The maker's name for the product; absent where it is not known.
        public var product: String?
        /// Bytes in a page, block or row.
        public var blockSize: Int
        /// The memory: one part without a name, or the files.
        public var sections: [Section]
        /// What is known besides.
        public var facts: Facts

        /// All fields.
        public init(layout: Layout, product: String?, blockSize: Int, sections: [Section], facts: Facts) {
            self.layout = layout
            self.product = product
            self.blockSize = blockSize
            self.sections = sections
            self.facts = facts
        }
    }
}
