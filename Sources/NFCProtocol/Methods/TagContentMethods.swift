// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

/// Returns the product, the memory and the lock state of a tag, as far as the tag reports them.
public enum TagDescribe: TagMethod {
    public static let name = "tag.describe"
    public static let requirement = Requirement.capability(.read)
    public typealias Arguments = Empty
    public typealias Result = TagDescription
}

/// Reads all readable memory of a tag.
public enum TagDumpMemory: TagMethod {
    public static let name = "tag.dump"
    public static let requirement = Requirement.capability(.read)
    public typealias Result = TagDump

    public struct Arguments: Codable, Sendable, Hashable, ProgressParameters {
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?
    }
}

/// Replaces blocks of a tag's memory that hold data, and verifies them.
///
/// Supported by Type 2 Tags whose product is recognized (the user pages from page 4 on) and by Type 5 Tags (all blocks). Lock bits,
/// one-time bits, configuration and keys are never written. Blocks that have their content already are left. Content of a known
/// format, that of a spool or of an item of a library, is not overwritten unless `overwrite` is true; what changes with the use of a
/// spool, the remaining amount of a TigerTag, always may be. Wherever it is interrupted, the tag holds the old message, none, or the
/// new content.
public enum TagWriteMemory: TagMethod {
    public static let name = "tag.writeMemory"
    public static let requirement = Requirement.capability(.write)

    public struct Arguments: Codable, Sendable, Hashable, ProgressParameters {
        /// The pages or blocks, each once.
        public var blocks: [Block]
        /// Whether content of a known format may be overwritten: a TigerTag, an OpenPrintTag, the data of a maker of filament or a
        /// library; the default is false.
        public var overwrite: Bool?
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?
    }

    /// The content of a page or block.
    public struct Block: Codable, Sendable, Hashable {
        /// The number.
        public var number: Int
        /// All its bytes.
        public var bytes: HexBytes
    }

    public struct Result: Codable, Sendable, Hashable {
        /// How many blocks had another content.
        public var written: Int
    }
}
