/// What a program may pass to FeliCa commands. Each check throws 4 for a list or an item of the wrong length.
enum FeliCaLimits {
    static let blockLength = 16
    private static let nodes = 1...32
    private static let services = 1...16

    /// Node codes of two bytes each, as they go into a packet.
    static func nodeCodes(_ codes: [Data]) throws(NFCReaderError) -> [UInt8] {
        try joined(codes, nodes, item: 2...2, "node codes")
    }

    static func serviceCodes(_ codes: [Data]) throws(NFCReaderError) -> [UInt8] {
        try joined(codes, services, item: 2...2, "service codes")
    }

    /// Elements of two or three bytes; how many a card takes, it says itself.
    static func blockList(_ elements: [Data]) throws(NFCReaderError) -> [UInt8] {
        try joined(elements, 1...255, item: 2...3, "elements of the block list")
    }

    static func blockData(_ blocks: [Data], for elements: [Data]) throws(NFCReaderError) -> [UInt8] {
        guard blocks.count == elements.count else {
            let reason = "\(blocks.count) blocks of data for \(elements.count) elements of the block list"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        for block in blocks where block.count != blockLength {
            let reason = "a block has \(blockLength) bytes, not \(block.count)"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        return blocks.flatMap { Array($0) }
    }

    /// A system code of two bytes.
    ///
    /// - Throws: 4 for another length, 2 for a wildcard byte.
    static func systemCode(_ code: Data) throws(NFCReaderError) -> [UInt8] {
        guard code.count == 2 else {
            let reason = "a system code has 2 bytes, not \(code.count)"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        guard !code.contains(0xFF) else {
            throw NFCReaderError(.readerErrorSecurityViolation, reason: "a system code has no wildcard byte FF")
        }
        return Array(code)
    }

    /// A count byte and the items.
    private static func joined(
        _ items: [Data], _ counts: ClosedRange<Int>, item lengths: ClosedRange<Int>, _ what: String
    ) throws(NFCReaderError) -> [UInt8] {
        guard counts.contains(items.count), let count = UInt8(exactly: items.count) else {
            let reason = "\(what): \(counts.lowerBound) to \(counts.upperBound), not \(items.count)"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        for item in items where !lengths.contains(item.count) {
            let reason = "\(what): not of \(item.count) bytes each"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        return [count] + items.flatMap { Array($0) }
    }
}
