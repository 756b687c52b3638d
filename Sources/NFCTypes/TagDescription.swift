/// What a tag is, as far as it reports it.
public struct TagDescription: Codable, Sendable, Hashable {
    /// One fact.
    public struct Field: Codable, Sendable, Hashable {
        /// The label, for example `Originality signature`.
        public var label: String
        /// The value; bytes are hexadecimal.
        public var value: String

        /// A fact with its label.
        public init(_ label: String, _ value: String) {
            self.label = label
            self.value = value
        }
    }

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

    /// A description.
    public init(
        product: String? = nil, manufacturer: String? = nil, memorySize: Int? = nil, blockSize: Int,
        lockState: LockState = .unknown, originality: TagOriginality? = nil, fields: [Field] = []
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

/// What the memory of a tag holds besides an NDEF message, in a format that is recognized.
public struct TagContent: Codable, Sendable, Hashable {
    /// The word for the format: `tigertag`, `anycubic`, `elegoo`, `qidi`, or `library` for an item of a library.
    public var format: String
    /// The content in words, with an article, for example `an Elegoo filament tag`.
    public var name: String
    /// The number of the first page or block that it takes.
    public var block: Int

    /// Content of a format.
    public init(format: String, name: String, block: Int) {
        self.format = format
        self.name = name
        self.block = block
    }
}
