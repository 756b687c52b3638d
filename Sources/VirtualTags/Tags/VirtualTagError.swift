/// Why a virtual tag could not be made.
public enum VirtualTagError: Error, Hashable, CustomStringConvertible {
    /// The NDEF message does not fit; both sizes in bytes.
    case messageTooLarge(size: Int, capacity: Int)
    /// The memory image is not exactly as long as the product's memory; both sizes in bytes.
    case wrongMemorySize(size: Int, expected: Int)
    /// The identifier does not have the product's length in bytes.
    case wrongIdentifierSize(size: Int, expected: Int)
    /// The originality signature does not have the product's length in bytes.
    case wrongSignatureSize(size: Int, expected: Int)
    /// More counter values were given than the product has counters, or one is over 24 bits.
    case wrongCounters(count: Int, expected: Int)
    /// The capability container of a Type 4 tag is not one of the forms modelled, or names a file that is not there.
    case wrongCapabilityContainer
    /// No model of the catalogue has this name; `known` are the names there are.
    case unknownModel(name: String, known: [String])

    /// The error as a sentence.
    public var description: String {
        switch self {
        case .messageTooLarge(let size, let capacity):
            "the NDEF message has \(size) bytes, the tag takes at most \(capacity)"
        case .wrongMemorySize(let size, let expected):
            "the memory image has \(size) bytes, the tag has \(expected)"
        case .wrongIdentifierSize(let size, let expected):
            "the identifier has \(size) bytes, the tag has \(expected)"
        case .wrongSignatureSize(let size, let expected):
            "the signature has \(size) bytes, the tag has \(expected)"
        case .wrongCounters(let count, let expected):
            "\(count) counter values were given, the tag has \(expected) counters of 24 bits"
        case .wrongCapabilityContainer:
            "the capability container (E103) does not declare a message file that is there"
        case .unknownModel(let name, let known):
            "there is no virtual tag model \"\(name)\"; known models: \(known.joined(separator: ", "))"
        }
    }
}
