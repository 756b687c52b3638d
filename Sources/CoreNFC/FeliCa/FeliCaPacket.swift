import NFCProtocol

/// A FeliCa command from its code on, without length byte and CRC (JIS X 6319-4).
struct FeliCaPacket: Sendable {
    var bytes: [UInt8]

    /// A command with the card's IDm.
    init(_ code: UInt8, to identifier: Data, _ parameters: [UInt8] = []) {
        bytes = [code] + identifier + parameters
    }

    /// Any command.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The bytes, if they are as many as a packet may have.
    ///
    /// - Throws: 105 for too many, 4 for none.
    func checked() throws(NFCReaderError) -> [UInt8] {
        guard !bytes.isEmpty else {
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: "a FeliCa packet has at least 1 byte")
        }
        guard FeliCaSendCommand.lengths.contains(bytes.count) else {
            throw NFCReaderError(
                .readerTransceiveErrorPacketTooLong, reason: "a FeliCa packet has 254 bytes at most, not \(bytes.count)"
            )
        }
        return bytes
    }
}

/// What a card answered, from the response code on, taken from the front.
struct FeliCaAnswer: Sendable {
    private var rest: ArraySlice<UInt8>

    /// The answer to a command: its code is the command's plus one.
    init(_ bytes: [UInt8], to packet: FeliCaPacket) throws(NFCReaderError) {
        rest = bytes[...]
        let (code, command) = (try byte(), packet.bytes.first ?? 0)
        guard code == command &+ 1 else {
            throw NFCReaderError(
                .readerTransceiveErrorTagResponseError, reason: "response code \(code) does not answer \(command)")
        }
    }

    var isEmpty: Bool { rest.isEmpty }

    /// Everything that is left.
    var remainder: Data { Data(rest) }

    mutating func byte() throws(NFCReaderError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .tooShort }
        return byte
    }

    mutating func bytes(_ count: Int) throws(NFCReaderError) -> Data {
        guard rest.count >= count else { throw .tooShort }
        defer { rest = rest.dropFirst(count) }
        return Data(rest.prefix(count))
    }

    /// A count byte, and as many items of one size.
    mutating func list(of size: Int) throws(NFCReaderError) -> [Data] {
        var items: [Data] = []
        for _ in 0..<(try byte()) { items.append(try bytes(size)) }
        return items
    }

    /// Both status flags.
    mutating func flags() throws(NFCReaderError) -> (Int, Int) {
        (Int(try byte()), Int(try byte()))
    }
}

extension NFCReaderError {
    fileprivate static var tooShort: NFCReaderError {
        NFCReaderError(
            .readerTransceiveErrorTagResponseError, reason: "the answer is too short",
            userInfo: [NFCTagResponseUnexpectedLengthErrorKey: true])
    }
}

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

    /// Elements of two or three bytes; the card decides how many it takes.
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
