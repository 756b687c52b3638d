/// The commands that bring a message to a Type 3 Tag, in an order that leaves the old one, none or the new one.
struct Type3Write: Sendable {
    enum Step: Sendable, Hashable {
        /// One command.
        case write(blocks: [UInt16], data: [UInt8])
        /// The data blocks from 1 on have to hold these bytes.
        case check([UInt8])
    }

    /// The attribute block as it was.
    let attribute: AttributeInformation
    /// The attribute block that shows the new message.
    let finalAttribute: AttributeInformation
    private(set) var steps = TearSafeWrite<Step>()
    private let data: [UInt8]

    /// - Parameters:
    ///   - message: at most as long as the tag's capacity.
    ///   - current: what the blocks for the message hold now, all of them.
    ///   - blocksPerCommand: at least 1.
    init(message: [UInt8], current: [UInt8], attribute: AttributeInformation, blocksPerCommand: Int) {
        self.attribute = attribute
        finalAttribute = attribute.holding(length: message.count)
        data = message + [UInt8](repeating: 0, count: message.count.inBlocks * FeliCaBlock.size - message.count)
        let changed = Self.differences(data, current)
        steps.data = stride(from: 0, to: changed.count, by: blocksPerCommand).map { first in
            let group = changed[first..<min(first + blocksPerCommand, changed.count)]
            return .write(blocks: group.map(\.block), data: group.flatMap(\.data))
        }
        if attribute.hasMessage && !changed.isEmpty { steps.invalidate = [Self.write(attribute.writing)] }
        if !steps.invalidate.isEmpty || finalAttribute != attribute { steps.commit = [Self.write(finalAttribute)] }
    }

    /// Reads the data back before it is shown.
    mutating func addCheck() {
        if !steps.data.isEmpty { steps.data.append(.check(data)) }
    }

    private static func write(_ attribute: AttributeInformation) -> Step { .write(blocks: [0], data: attribute.bytes) }

    private static func differences(_ new: [UInt8], _ old: [UInt8]) -> [(block: UInt16, data: [UInt8])] {
        stride(from: 0, to: new.count, by: FeliCaBlock.size).compactMap { start in
            let bytes = Array(new.dropFirst(start).prefix(FeliCaBlock.size))
            guard !old.dropFirst(start).prefix(FeliCaBlock.size).elementsEqual(bytes) else { return nil }
            return (UInt16(truncatingIfNeeded: start / FeliCaBlock.size + 1), bytes)
        }
    }
}
