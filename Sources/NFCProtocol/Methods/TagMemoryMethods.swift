// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
import NFCTypes

/// Replaces blocks of a tag's memory that hold data, and verifies them.
///
/// Supported by Type 2 Tags whose product is recognized (the user pages from page 4 on) and by Type 5 Tags (all blocks). Lock bits,
/// one-time bits, configuration and keys are never written. Blocks that have their content already are left. Wherever it is
/// interrupted, the tag holds the old message, none, or the new content.
public enum TagWriteMemory: TagMethod {
    public static let name = "tag.writeMemory"
    public static let requirement = Requirement.capability(.write)
    public typealias Parameters = TagCommand<Arguments>

    public struct Arguments: Codable, Sendable, Hashable, ProgressParameters {
        /// The pages or blocks, each once.
        public var blocks: [Block]
        /// Whether to report progress with `$/progress`; the default is false.
        public var progress: Bool?

        public init(blocks: [Block], progress: Bool? = nil) {
            self.blocks = blocks
            self.progress = progress
        }
    }

    /// The content of a page or block.
    public struct Block: Codable, Sendable, Hashable {
        /// The number.
        public var number: Int
        /// All its bytes.
        public var bytes: HexBytes

        public init(number: Int, bytes: HexBytes) {
            self.number = number
            self.bytes = bytes
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        /// How many blocks had another content.
        public var written: Int

        package init(written: Int) {
            self.written = written
        }
    }
}
