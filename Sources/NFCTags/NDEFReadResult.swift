import ISO7816

/// What reading a tag gave.
public struct NDEFReadResult: Sendable, Hashable {
    /// Whether there is NDEF, and whether it can be written.
    public let status: NDEFStatus
    /// Why the status is ``NDEFStatus/notSupported``, in words; otherwise `nil`.
    public let reason: String?
    /// The largest message that fits, in bytes; 0 if NDEF is not supported.
    public let capacity: Int
    /// The bytes of the message; `nil` where the tag is formatted and empty, or NDEF is not supported.
    public let message: [UInt8]?
    /// What was unusual.
    public let warnings: [NDEFReadWarning]

    /// The result for a tag with an NDEF area; `nil` or no bytes of message mean that the area is empty.
    public init(status: NDEFStatus, capacity: Int, message: [UInt8]?, warnings: [NDEFReadWarning] = []) {
        self.status = status
        reason = nil
        self.capacity = capacity
        self.message = message?.isEmpty == true ? nil : message
        self.warnings = warnings
    }

    private init(reason: String, warnings: [NDEFReadWarning]) {
        status = .notSupported
        self.reason = reason
        capacity = 0
        message = nil
        self.warnings = warnings
    }

    /// The result for a tag without NDEF, with the reason in words.
    public static func notSupported(_ reason: String, warnings: [NDEFReadWarning] = []) -> NDEFReadResult {
        NDEFReadResult(reason: reason, warnings: warnings)
    }
}

/// What a tag is for NDEF, without its message.
public struct NDEFStatusResult: Sendable, Hashable {
    /// Whether there is NDEF, and whether it can be written.
    public let status: NDEFStatus
    /// The largest message that fits, in bytes; 0 if NDEF is not supported.
    public let capacity: Int
    /// Why the status is ``NDEFStatus/notSupported``, in words; otherwise `nil`.
    public let reason: String?
    /// What was unusual, except what only the message would show.
    public let warnings: [NDEFReadWarning]

    /// The result of reading without the message.
    public init(_ result: NDEFReadResult) {
        status = result.status
        capacity = result.capacity
        reason = result.reason
        warnings = result.warnings
    }
}

/// Something unusual on a tag that did not keep its message from being read. Offsets count bytes from the start of memory.
public enum NDEFReadWarning: Sendable, Hashable {
    /// A TLV of an unassigned type was skipped by its length.
    case unknownTLV(type: UInt8, offset: Int, length: Int)
    /// A Lock Control or Memory Control TLV that is not 3 bytes long was ignored.
    case malformedControlTLV(type: UInt8, offset: Int, length: Int)
    /// A TLV of the type of messages follows TLVs of unknown types and holds no records: other data, not a message.
    case noMessage(offset: Int, length: Int)
    /// The container declares a data area that ends at `declared`, but the chip's memory for data ends at `end`, as far as is certain.
    case smallerThanDeclared(declared: Int, end: Int)
    /// A further NDEF message TLV follows the first one, which was read.
    case furtherMessage(offset: Int)
    /// The TLVs behind the message are damaged.
    case damagedAfterMessage(String)
    /// According to the capability container, writing needs a password or a proprietary procedure.
    case writeNeedsPermission
    /// The file control TLV is not the one that the mapping version has (Type 4 Tag).
    case fileControlOfOtherVersion(type: UInt8, version: UInt8)
    /// The file holds a whole TLV instead of the message in it, which was read (Type 4 Tag).
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
        case .noMessage(let offset, let length):
            "TLV 03 at byte \(offset) holds no records and is not a message, \(length) bytes"
        case .smallerThanDeclared(let declared, let end):
            "the container declares memory up to byte \(declared), of which only that up to byte \(end) is certain to be for data"
        case .furtherMessage(let offset): "another NDEF message at byte \(offset), the first one counts"
        case .damagedAfterMessage(let detail): "behind the message: \(detail)"
        case .tlvsAtBlock(let offset): "the TLVs begin at byte \(offset), not behind the capability container"
        case .writeNeedsPermission: "writing needs a password or a proprietary procedure"
        case .fileControlOfOtherVersion(let type, let version):
            "file control TLV \(Hexadecimal.string(type)) with mapping version \(version >> 4).\(version & 0x0F)"
        case .messageInsideTLV: "the message is wrapped into a TLV"
        case .interruptedWrite: "a write was interrupted and the message is lost; the tag can be written again"
        case .malformedAttribute(let detail): "attribute information: \(detail)"
        }
    }
}
