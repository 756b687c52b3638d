/// What a tag is, as far as it shows: for people, and for programs that look for a label.
public struct TagDescription: Sendable, Hashable {
    /// One fact.
    public struct Field: Sendable, Hashable {
        /// What it is, for example `Originality signature`.
        public let label: String
        /// The fact; bytes are hexadecimal, upper case.
        public let value: String

        /// A fact under a label.
        public init(_ label: String, _ value: String) {
            self.label = label
            self.value = value
        }
    }

    /// The maker's name for the product, nil if it is not known.
    public var productName: String?
    /// The maker, nil if it is not known.
    public var manufacturer: String?
    /// The whole memory in bytes, nil if it is not known.
    public var memorySize: Int?
    /// Bytes in a page or block.
    public var blockSize: Int
    /// Whether the content can be changed.
    public var lockState: LockState
    /// Whether the maker signed the identifier; nil for a product without such a signature.
    public var originality: TagOriginality?
    /// Everything else, in the order to show it.
    public var fields: [Field]

    /// Puts a description together.
    public init(
        productName: String? = nil, manufacturer: String? = nil, memorySize: Int? = nil, blockSize: Int,
        lockState: LockState = .unknown, originality: TagOriginality? = nil, fields: [Field] = []
    ) {
        self.productName = productName
        self.manufacturer = manufacturer
        self.memorySize = memorySize
        self.blockSize = blockSize
        self.lockState = lockState
        self.originality = originality
        self.fields = fields
    }
}

extension TagDescription.Field {
    /// A part that the tag refused, with the reason.
    static func refused(_ part: String, _ error: TagError) -> TagDescription.Field {
        .init("Refused", "\(part): \(error.detail)")
    }
}

extension Set<Int> {
    /// The numbers in order, runs of them as `first–last`.
    var inWords: String {
        var runs: [ClosedRange<Int>] = []
        for number in sorted() {
            if let last = runs.last, last.upperBound + 1 == number {
                runs[runs.endIndex - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }
}
