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
    /// The file control TLV is not the one that the mapping version has (Type 4 Tag).
    case fileControlOfOtherVersion(type: UInt8, version: UInt8)
    /// The file holds a whole TLV in place of the message in it, which was read (Type 4 Tag).
    case messageInsideTLV
    /// A write was begun and not ended: what was there is lost, the tag is empty and can be written again.
    case interruptedWrite
    /// A field of the attribute information block has a value that the standard does not allow.
    case malformedAttribute(String)
    /// The TLVs of a Type 5 Tag begin at a block, not behind the capability container.
    case tlvsAtBlock(offset: Int)
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
        case .tlvsAtBlock(let offset): "the TLVs begin at byte \(offset), not behind the capability container"
        case .writeNeedsPermission: "writing needs a password or a proprietary procedure"
        case .fileControlOfOtherVersion(let type, let version):
            "file control TLV \(Hexadecimal.string(type)) with mapping version \(version >> 4).\(version & 0x0F)"
        case .messageInsideTLV: "the message is wrapped into a TLV"
        case .interruptedWrite: "a write broke off, the message is lost; the tag can be written again"
        case .malformedAttribute(let detail): "attribute information: \(detail)"
        }
    }
}
