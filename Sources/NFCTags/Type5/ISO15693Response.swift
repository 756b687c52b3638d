import ISO7816

/// The code in an answer with the error flag (ISO/IEC 15693-3, response error code), open.
public struct ISO15693ErrorCode: RawRepresentable, Error, Sendable, Hashable {
    /// The byte.
    public let rawValue: UInt8

    /// Any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 01: the command is not supported.
    public static let notSupported = ISO15693ErrorCode(rawValue: 0x01)
    /// 02: the command is not recognised, for example its format is wrong.
    public static let notRecognised = ISO15693ErrorCode(rawValue: 0x02)
    /// 03: the option is not supported.
    public static let optionNotSupported = ISO15693ErrorCode(rawValue: 0x03)
    /// 0F: unknown error.
    public static let unknown = ISO15693ErrorCode(rawValue: 0x0F)
    /// 10: the block does not exist.
    public static let blockNotAvailable = ISO15693ErrorCode(rawValue: 0x10)
    /// 11: the block is locked already.
    public static let blockAlreadyLocked = ISO15693ErrorCode(rawValue: 0x11)
    /// 12: the block is locked and cannot be changed.
    public static let blockLocked = ISO15693ErrorCode(rawValue: 0x12)
    /// 13: the block was not written.
    public static let notProgrammed = ISO15693ErrorCode(rawValue: 0x13)
    /// 14: the block was not locked.
    public static let notLocked = ISO15693ErrorCode(rawValue: 0x14)
}

extension ISO15693ErrorCode: CustomStringConvertible {
    /// The meaning in words.
    public var description: String {
        switch self {
        case .notSupported: "command not supported (01)"
        case .notRecognised: "command not recognised (02)"
        case .optionNotSupported: "option not supported (03)"
        case .unknown: "unknown error (0F)"
        case .blockNotAvailable: "no such block (10)"
        case .blockAlreadyLocked: "block locked already (11)"
        case .blockLocked: "block locked (12)"
        case .notProgrammed: "block not written (13)"
        case .notLocked: "block not locked (14)"
        default: (0xA0...0xDF).contains(rawValue) ? "custom error (\(number))" : "error \(number)"
        }
    }

    private var number: String { Hexadecimal.string(rawValue) }
}

/// An answer: the content behind its flags, or an error code.
public enum ISO15693Response: Sendable, Hashable {
    /// What follows the flags.
    case content([UInt8])
    /// The tag refused.
    case error(ISO15693ErrorCode)

    /// Parses an answer; nil if there are no flags, or no code behind the error flag.
    public init?(_ bytes: [UInt8]) {
        guard let flags = bytes.first else { return nil }
        guard flags & 0x01 != 0 else {
            self = .content(Array(bytes.dropFirst()))
            return
        }
        guard let code = bytes.dropFirst().first else { return nil }
        self = .error(ISO15693ErrorCode(rawValue: code))
    }
}

/// The answer to GET SYSTEM INFORMATION (ISO/IEC 15693-3), in its short or its extended form.
public struct ISO15693SystemInformation: Sendable, Hashable {
    /// The UID, E0 first.
    public let uid: [UInt8]
    /// The data storage format identifier.
    public let dsfid: UInt8?
    /// The application family identifier.
    public let afi: UInt8?
    /// Bytes per block, 1…32.
    public let blockSize: Int?
    /// The number of blocks.
    public let blockCount: Int?
    /// The maker's reference of the chip.
    public let icReference: UInt8?

    /// Parses the content of an answer; nil if it ends too early.
    ///
    /// - Parameter isExtended: the number of blocks has two bytes.
    public init?(_ content: [UInt8], isExtended: Bool = false) {
        guard content.count >= 9 else { return nil }
        uid = content[1..<9].reversed()
        var rest = content[9...]
        let flags = content[0]
        func take(_ bit: UInt8, _ count: Int) -> [UInt8]? {
            guard flags & bit != 0 else { return [] }
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let dsfid = take(0x01, 1), let afi = take(0x02, 1), let size = take(0x04, isExtended ? 3 : 2),
            let reference = take(0x08, 1)
        else { return nil }
        (self.dsfid, self.afi, icReference) = (dsfid.first, afi.first, reference.first)
        blockSize = size.last.map { Int($0 & 0x1F) + 1 }
        blockCount = size.isEmpty ? nil : size.dropLast().reversed().reduce(0) { $0 << 8 | Int($1) } + 1
    }
}

extension NativeChannel {
    /// Sends one request of ISO/IEC 15693 and returns what follows the flags of the answer.
    ///
    /// - Throws: ``TagError`` 102 if the tag refuses or answers without flags, and as
    ///   ``NativeChannel/transceive(_:)`` does. A refusal carries 64xx with the error code instead of a status word.
    public func perform(
        _ request: ISO15693Request, target: ISO15693Request.Target = .any,
        flags: ISO15693Request.Flags = .highDataRate
    ) async throws(TagError) -> [UInt8] {
        let answer = try await transceive(request.frame(to: target, flags: flags))
        return try request.content(of: answer)
    }

    /// Sends requests one after another, with nothing in between, and returns the same for each of them.
    ///
    /// All of them are sent, whatever the tag answers to one, so they must not change anything.
    func perform(
        inTurn requests: [ISO15693Request], target: ISO15693Request.Target
    ) async throws(TagError) -> [[UInt8]] {
        let answers = try await transceive(inTurn: requests.map { $0.frame(to: target) })
        var contents: [[UInt8]] = []
        for (request, answer) in zip(requests, answers) { contents.append(try request.content(of: answer)) }
        return contents
    }
}

extension ISO15693Request {
    /// What follows the flags of an answer.
    func content(of answer: [UInt8]) throws(TagError) -> [UInt8] {
        let command = Hexadecimal.string(code)
        switch ISO15693Response(answer) {
        case .content(let content): return content
        case .error(let code):
            throw TagError(
                .tagResponseError, "command \(command): \(code)", response: answer, statusWord: .refusal(code))
        case nil:
            throw TagError(.tagResponseError, "command \(command) was answered without flags", response: answer)
        }
    }
}

extension StatusWord {
    /// 64xx, execution error with nothing changed (ISO/IEC 7816-4), for a refusal that came without a status word.
    fileprivate static func refusal(_ code: ISO15693ErrorCode) -> StatusWord {
        StatusWord(sw1: 0x64, sw2: code.rawValue)
    }
}
