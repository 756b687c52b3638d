/// A change of bytes inside the payload of one record, which keeps its length.
///
/// Only the blocks that hold bytes which differ are written. A byte that is torn in the middle of a block write may be anything: what is
/// promised holds between the writes of whole blocks.
public struct RecordUpdate: Sendable, Hashable {
    /// A byte that, while blocks are being written, hides what is behind it.
    public struct Stop: Sendable, Hashable {
        /// Where it is, in bytes from the start of the payload.
        public let offset: Int
        /// The byte.
        public let byte: UInt8

        /// A stop.
        public init(offset: Int, byte: UInt8) { (self.offset, self.byte) = (offset, byte) }
    }

    /// The most bytes that can be changed.
    public static let sizeLimit = 1 << 16
    /// The most steps.
    public static let stepLimit = 16

    /// The index of the record in the message, from 0.
    public let record: Int
    /// The first byte, from the start of the payload.
    public let offset: Int
    /// What must be there.
    public let old: [UInt8]
    /// What replaces it, as many bytes.
    public let new: [UInt8]
    /// Where several blocks change, its block is written first with this byte, and last as in ``new``. In between, the payload has the
    /// old bytes in front of it.
    public let stop: Stop?
    /// The contents of the range between ``old`` and ``new``, which are written one after the other where several blocks change.
    public let steps: [[UInt8]]

    /// A change.
    ///
    /// - Throws: ``TagError`` 1 where the bytes, the stop and the steps do not fit one another.
    public init(
        record: Int, offset: Int, old: [UInt8], new: [UInt8], stop: Stop? = nil, steps: [[UInt8]] = []
    ) throws(TagError) {
        (self.record, self.offset, self.old, self.new, self.stop, self.steps) = (record, offset, old, new, stop, steps)
        if let fault { throw TagError(.unsupportedFeature, "the record cannot be changed like this: \(fault)") }
    }
}

extension RecordUpdate {
    /// What is wrong with the parameters; nil if nothing is.
    private var fault: String? {
        guard record >= 0, offset >= 0, offset <= Type4Tag.messageLimit else {
            return "record \(record), byte \(offset) is not in a message"
        }
        guard !old.isEmpty, old.count <= Self.sizeLimit else {
            return "1 to \(Self.sizeLimit) bytes can be changed, not \(old.count)"
        }
        guard new.count == old.count, steps.allSatisfy({ $0.count == old.count }) else {
            return "the new bytes and those of each step have to be as many as the old ones, \(old.count)"
        }
        return steps.isEmpty ? stop.flatMap(fault(of:)) : stepFault
    }

    private var stepFault: String? {
        if stop != nil { return "it has both a stop and steps; give one of them" }
        return steps.count <= Self.stepLimit ? nil : "at most \(Self.stepLimit) steps are possible, not \(steps.count)"
    }

    private func fault(of stop: Stop) -> String? {
        guard stop.offset >= offset, stop.offset - offset < old.count else {
            return "the stop at byte \(stop.offset) is not among the bytes to be changed"
        }
        guard old.prefix(stop.offset - offset) == new.prefix(stop.offset - offset) else {
            return "the bytes in front of the stop at byte \(stop.offset) have to stay the same"
        }
        return nil
    }
}
