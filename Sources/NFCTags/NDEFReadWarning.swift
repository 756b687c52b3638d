import ISO7816

/// Something odd on a tag that did not keep its message from being read. Offsets count bytes from the start of memory.
public enum NDEFReadWarning: Sendable, Hashable {
    /// A TLV of an unassigned type was skipped by its length.
    case unknownTLV(type: UInt8, offset: Int, length: Int)
    /// A Lock Control or Memory Control TLV that is not 3 bytes long was ignored.
    case malformedControlTLV(type: UInt8, offset: Int, length: Int)
    /// A further NDEF message TLV stands behind the first one, which was read.
    case furtherMessage(offset: Int)
    /// The TLVs behind the message are damaged.
    case damagedAfterMessage(String)
    /// The capability container says that writing needs a password or is proprietary.
    case writeNeedsPermission
}

extension NDEFReadWarning: CustomStringConvertible {
    /// The remark in words.
    public var description: String {
        switch self {
        case .unknownTLV(let type, let offset, let length):
            "TLV of unknown type \(Hexadecimal.string(type)) at byte \(offset) skipped, \(length) bytes"
        case .malformedControlTLV(let type, let offset, let length):
            "control TLV \(Hexadecimal.string(type)) at byte \(offset) ignored, \(length) bytes instead of 3"
        case .furtherMessage(let offset): "another NDEF message at byte \(offset), the first one counts"
        case .damagedAfterMessage(let detail): "behind the message: \(detail)"
        case .writeNeedsPermission: "writing needs a password or a proprietary procedure"
        }
    }
}
