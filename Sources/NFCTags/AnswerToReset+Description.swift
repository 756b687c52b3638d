import ISO7816

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
