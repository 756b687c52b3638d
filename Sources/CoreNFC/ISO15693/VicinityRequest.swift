import NFCClient
import NFCProtocol

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
    /// - Parameter prefix: what precedes the UID: the manufacturer's code of a custom command.
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

extension VicinityRequest {
    /// Sends the request.
    ///
    /// - Throws: ``TagSilence`` where the tag does not answer.
    func send(to remote: RemoteTag) async throws -> VicinityAnswer {
        do {
            let answer = try await remote.iso15693.sendRequest(
                requestFlags: flags, commandCode: command, data: try checkedData())
            return VicinityAnswer(answer.responseFlag, answer.data.bytes)
        } catch NFCClientError.refused(let refusal) {
            throw TagSilence(refusal) ?? NFCClientError.refused(refusal)
        }
    }
}

/// A tag of ISO/IEC 15693 that is in the field, and did not answer a request.
///
/// nfcd reports 102, as for an answer that makes no sense. An iPhone reports 100, "Tag connection lost": a request for which its
/// controller has no answer in time (Apple developer forums, thread 775235), and commands that a tag does not have (thread 787425;
/// ST community, "Present sector password on M24LR64E-R"; Stack Overflow question 60561202). The tag stays connected.
struct TagSilence: Error {
    /// What nfcd reported.
    let refusal: RPCError

    /// The status of a reader that got no answer from the tag.
    private static let noAnswer: [UInt8] = [0x64, 0x01]

    /// The silence behind an error; nil where there was an answer, or the error is another.
    init?(_ refusal: RPCError) {
        guard refusal.code == NFCReaderError.Code.readerTransceiveErrorTagResponseError.rawValue else { return nil }
        let data = refusal.data
        guard let status = data?.statusWord ?? data?.response else {
            self.refusal = refusal
            return
        }
        guard status.bytes == Self.noAnswer else { return nil }
        self.refusal = refusal
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
        guard let byte = bytes.first else { throw unexpectedLength("the tag answered with an error without its code") }
        let code = Int(byte)
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

// Block numbers and ranges as they go into requests of ISO/IEC 15693-3. Each throws 5 for what is out of bounds.

/// How wide the numbers of blocks are.
enum VicinityWidth: Sendable {
    /// A byte.
    case short
    /// Two bytes, the less significant first: the extended commands.
    case extended

    private var limit: Int { self == .short ? 0x100 : 0x1_0000 }

    /// The number of a block.
    func block(_ number: Int) throws(NFCReaderError) -> [UInt8] {
        guard (0..<limit).contains(number) else {
            throw Self.outOfBound("block number \(number) is not from 0 to \(limit - 1)")
        }
        return bytes(number)
    }

    /// A first block and a count, which travels as one less.
    func range(_ range: NSRange) throws(NFCReaderError) -> [UInt8] {
        guard (0..<limit).contains(range.location), (1...limit).contains(range.length) else {
            let reason =
                "blocks start from 0 to \(limit - 1) and are 1 to \(limit), not \(range.length) from \(range.location)"
            throw Self.outOfBound(reason)
        }
        return bytes(range.location) + bytes(range.length - 1)
    }

    /// A range and the blocks to write there.
    ///
    /// - Throws: 4 where they are not as many, or not of one size.
    func range(_ range: NSRange, _ blocks: [Data]) throws(NFCReaderError) -> [UInt8] {
        let start = try self.range(range)
        guard blocks.count == range.length, Set(blocks.map(\.count)).count == 1, blocks.first?.isEmpty == false else {
            let reason = "\(range.length) blocks need as many of one size"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        return start + blocks.flatMap { Array($0) }
    }

    private func bytes(_ value: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: value)
        return self == .short ? [low] : [low, UInt8(truncatingIfNeeded: value >> 8)]
    }

    static func outOfBound(_ reason: String) -> NFCReaderError {
        NFCReaderError(.readerErrorParameterOutOfBound, reason: reason)
    }

    /// A number that is a byte.
    static func byte(_ value: Int, _ what: String, in allowed: ClosedRange<Int> = 0...0xFF) throws(NFCReaderError)
        -> UInt8
    {
        guard allowed.contains(value), let byte = UInt8(exactly: value) else {
            throw outOfBound("\(what) \(value) is not from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return byte
    }
}

/// The answer to Get System Information (ISO/IEC 15693-3, 10.4.12); -1 for what the tag does not report.
struct VicinityInformation: Sendable {
    /// As it came, least significant byte first.
    let identifier: Data
    var format = -1
    var family = -1
    var blockSize = -1
    var blockCount = -1
    var reference = -1

    init(_ answer: VicinityAnswer) throws(NFCReaderError) {
        guard answer.bytes.count >= 9 else {
            throw answer.unexpectedLength("\(answer.bytes.count) bytes of information")
        }
        let present = answer.bytes[0]
        identifier = Data(answer.bytes[1..<9])
        var rest = answer.bytes.dropFirst(9)
        func next() throws(NFCReaderError) -> Int {
            guard let byte = rest.popFirst() else { throw answer.unexpectedLength("the information breaks off") }
            return Int(byte)
        }
        if present & 0x01 != 0 { format = try next() }
        if present & 0x02 != 0 { family = try next() }
        if present & 0x04 != 0 {
            blockCount = try next() + 1
            blockSize = (try next() & 0x1F) + 1
        }
        if present & 0x08 != 0 { reference = try next() }
    }
}
