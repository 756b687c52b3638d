/// An answer to reset, taken apart (ISO/IEC 7816-3): TS, T0, the TA/TB/TC/TD chain, historical bytes and TCK.
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

    /// Something odd that does not keep the rest from being used.
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
    /// What was odd.
    public let warnings: [Warning]

    /// The protocols that the TD bytes announce, in order; T=0 when there is no TD.
    public var protocols: [UInt8] {
        let announced = interfaceBytes.compactMap { $0.td.map { $0 & 0x0F } }
        return announced.isEmpty ? [0] : announced
    }

    /// Takes an answer apart. A wrong or missing TCK is a warning only.
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
