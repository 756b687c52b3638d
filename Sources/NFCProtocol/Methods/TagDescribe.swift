/// `tag.describe`: what a tag is, as far as it tells.
public enum TagDescribe: Method {
    /// The name on the wire.
    public static let name = "tag.describe"
    /// The tag.
    public typealias Parameters = TagParameters

    /// Whether the content can be changed.
    public enum LockState: String, Choice {
        /// Nothing is locked.
        case unlocked
        /// A part is locked.
        case partlyLocked
        /// All of it is locked, for good.
        case locked
        /// Changing it needs a password or key.
        case passwordProtected
        /// The tag does not tell, or its product is not known.
        case unknown
    }

    /// One fact.
    public struct Field: Codable, Sendable, Hashable {
        /// What it is, for example `Originality signature`.
        public var label: String
        /// The fact; bytes are hexadecimal.
        public var value: String

        /// All fields.
        public init(label: String, value: String) {
            self.label = label
            self.value = value
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The maker's name for the product; absent where it is not known.
        public var product: String?
        /// The maker; absent where it is not known.
        public var manufacturer: String?
        /// The whole memory in bytes; absent where it is not known.
        public var memorySize: Int?
        /// Bytes in a page or block.
        public var blockSize: Int
        /// Whether the content can be changed.
        public var lockState: LockState
        /// Everything else, in the order to show it.
        public var fields: [Field]

        /// All fields.
        public init(
            product: String?, manufacturer: String?, memorySize: Int?, blockSize: Int, lockState: LockState,
            fields: [Field]
        ) {
            self.product = product
            self.manufacturer = manufacturer
            self.memorySize = memorySize
            self.blockSize = blockSize
            self.lockState = lockState
            self.fields = fields
        }
    }
}
