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

    /// An answer to a command, which says so: its code is the command's plus one.
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
