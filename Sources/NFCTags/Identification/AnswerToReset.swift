import ISO7816

/// A parsed answer to reset (ISO/IEC 7816-3): TS, T0, the TA/TB/TC/TD chain, historical bytes and TCK.
public struct AnswerToReset: Sendable, Hashable {
    /// The interface bytes of one level; TD of a level announces the next one.
    public struct InterfaceBytes: Sendable, Hashable {
        /// TAi, if present.
        public var ta: UInt8?
        /// TBi, if present.
        public var tb: UInt8?
        /// TCi, if present.
        public var tc: UInt8?
        /// TDi, if present: high nibble what follows, low nibble the protocol T.
        public var td: UInt8?
    }

    /// Something unusual that does not keep the rest from being used.
    public enum Warning: Sendable, Hashable {
        /// TCK is not the exclusive-or of the bytes from T0 on.
        case checkByteWrong(found: UInt8, expected: UInt8)
        /// A protocol other than T=0 is announced, so TCK has to be there, and is not.
        case checkByteMissing
        /// Bytes behind the end of the answer.
        case trailingBytes(Int)
    }

    /// The whole answer, at most 33 bytes.
    public let bytes: [UInt8]
    /// TA1…TD1, TA2…TD2 and so on; empty when T0 announces none.
    public let interfaceBytes: [InterfaceBytes]
    /// The 0…15 historical bytes.
    public let historicalBytes: [UInt8]
    /// What was unusual.
    public let warnings: [Warning]

    /// Parses an answer. A wrong or missing TCK is a warning only.
    ///
    /// - Throws: ``AnswerToResetError`` for no bytes, more than 33, an unknown TS, or an end before its time.
    public init(_ bytes: [UInt8]) throws(AnswerToResetError) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= 33 else { throw .tooLong(bytes.count) }
        var parser = AnswerToResetParser(bytes)
        try parser.parse()
        self.bytes = bytes
        interfaceBytes = parser.interfaceBytes
        historicalBytes = parser.historicalBytes
        warnings = parser.warnings
    }
}

/// Why bytes are not an answer to reset.
public enum AnswerToResetError: Error, Sendable, Hashable {
    /// No bytes at all.
    case empty
    /// More than TS and 32 characters.
    case tooLong(Int)
    /// TS is neither 3B nor 3F.
    case unknownInitialCharacter(UInt8)
    /// The answer ends inside the named part.
    case truncated(String)
}

extension AnswerToResetError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .empty: "the answer to reset is empty"
        case .tooLong(let count): "an answer to reset has at most 33 bytes, this one has \(count)"
        case .unknownInitialCharacter(let byte):
            "an answer to reset starts with 3B or 3F, this one with \(Hexadecimal.string(byte))"
        case .truncated(let part): "the answer to reset ends before \(part)"
        }
    }
}

extension AnswerToReset.Warning: CustomStringConvertible {
    /// The remark in words.
    public var description: String {
        switch self {
        case .checkByteWrong(let found, let expected):
            "the check byte TCK is \(Hexadecimal.string(found)), it should be \(Hexadecimal.string(expected))"
        case .checkByteMissing: "the check byte TCK is missing"
        case .trailingBytes(let count): "\(count) bytes follow the end of the answer to reset"
        }
    }
}

/// Walks through the characters of an answer to reset in order (ISO/IEC 7816-3).
struct AnswerToResetParser {
    private let bytes: [UInt8]
    private var rest: ArraySlice<UInt8>
    private(set) var interfaceBytes: [AnswerToReset.InterfaceBytes] = []
    private(set) var historicalBytes: [UInt8] = []
    private(set) var warnings: [AnswerToReset.Warning] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = bytes[...]
    }

    mutating func parse() throws(AnswerToResetError) {
        let initial = try next("TS")
        guard initial == 0x3B || initial == 0x3F else { throw .unknownInitialCharacter(initial) }
        let format = try next("T0")
        try parseInterfaceBytes(announcedBy: format)
        let count = Int(format & 0x0F)
        guard rest.count >= count else { throw .truncated("the last of \(count) historical bytes") }
        historicalBytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        parseCheckByte()
        if !rest.isEmpty { warnings.append(.trailingBytes(rest.count)) }
    }

    /// Every level consumes at least its TD, so the chain ends with the bytes.
    private mutating func parseInterfaceBytes(announcedBy format: UInt8) throws(AnswerToResetError) {
        var presence = format
        while presence & 0xF0 != 0 {
            let level = interfaceBytes.count + 1
            let group = AnswerToReset.InterfaceBytes(
                ta: presence & 0x10 == 0 ? nil : try next("TA\(level)"),
                tb: presence & 0x20 == 0 ? nil : try next("TB\(level)"),
                tc: presence & 0x40 == 0 ? nil : try next("TC\(level)"),
                td: presence & 0x80 == 0 ? nil : try next("TD\(level)"))
            interfaceBytes.append(group)
            presence = group.td ?? 0
        }
    }

    /// TCK is present when any protocol other than T=0 is announced.
    private mutating func parseCheckByte() {
        guard interfaceBytes.contains(where: { ($0.td ?? 0) & 0x0F != 0 }) else { return }
        let covered = bytes.dropFirst().prefix(bytes.count - 1 - rest.count)
        guard let found = rest.popFirst() else { return warnings.append(.checkByteMissing) }
        let expected = covered.reduce(0, ^)
        if found != expected { warnings.append(.checkByteWrong(found: found, expected: expected)) }
    }

    private mutating func next(_ name: String) throws(AnswerToResetError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .truncated(name) }
        return byte
    }
}
