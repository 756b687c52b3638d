/// A request of ISO/IEC 15693-3: flags, command, and what follows.
struct VicinityRequest: Sendable {
    let flags: UInt8
    let command: UInt8
    let data: [UInt8]
    /// The bytes a frame has at most.
    private static let longestFrame = 256

    /// A request as the caller puts it together.
    init(flags: UInt8, command: UInt8, data: [UInt8]) {
        self.flags = flags
        self.command = command
        self.data = data
    }

    /// An addressed command: the address flag is set and the UID sent, unless `.select` is passed.
    ///
    /// - Parameter prefix: what stands before the UID: the manufacturer's code of a custom command.
    init(
        _ command: UInt8, _ flags: NFCISO15693RequestFlag, prefix: [UInt8] = [], to identifier: [UInt8],
        _ parameters: [UInt8]
    ) {
        let isAddressed = !flags.contains(.select)
        self.init(
            flags: isAddressed ? flags.union(.address).rawValue : flags.subtracting(.address).rawValue,
            command: command, data: prefix + (isAddressed ? identifier : []) + parameters)
    }

    /// What follows flags and command.
    ///
    /// - Throws: 105 where the frame is too long.
    func checkedData() throws(NFCReaderError) -> [UInt8] {
        guard data.count + 2 <= Self.longestFrame else {
            let reason = "a frame has \(Self.longestFrame) bytes at most, not \(data.count + 2)"
            throw NFCReaderError(.readerTransceiveErrorPacketTooLong, reason: reason)
        }
        return data
    }
}

/// What a tag answered.
struct VicinityAnswer: Sendable {
    let flags: NFCISO15693ResponseFlag
    let bytes: [UInt8]

    init(_ flags: UInt8, _ bytes: [UInt8]) {
        self.flags = NFCISO15693ResponseFlag(rawValue: flags)
        self.bytes = bytes
    }

    /// - Throws: 102 with the error byte, where the tag answered with an error.
    func checkError() throws(NFCReaderError) {
        guard flags.contains(.error) else { return }
        let code = Int(bytes.first ?? 0x0F)
        throw NFCReaderError(
            .readerTransceiveErrorTagResponseError, reason: "the tag answered with error \(code)",
            userInfo: [NFCISO15693TagResponseErrorKey: code])
    }

    /// The bytes in parts of one length.
    func parts(_ count: Int) throws(NFCReaderError) -> [Data] {
        guard count > 0, !bytes.isEmpty, bytes.count.isMultiple(of: count) else {
            throw unexpectedLength("\(bytes.count) bytes are not \(count) blocks")
        }
        let size = bytes.count / count
        return stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<$0 + size]) }
    }

    /// A byte for each block.
    func states(_ count: Int) throws(NFCReaderError) -> [NSNumber] {
        guard bytes.count == count else { throw unexpectedLength("\(bytes.count) bytes for \(count) blocks") }
        return bytes.map { NSNumber(value: Int($0)) }
    }

    func unexpectedLength(_ reason: String) -> NFCReaderError {
        NFCReaderError(
            .readerTransceiveErrorTagResponseError, reason: reason,
            userInfo: [NFCTagResponseUnexpectedLengthErrorKey: true])
    }
}
