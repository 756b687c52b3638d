/// Why bytes or values are not a command APDU (ISO/IEC 7816-4).
public enum CommandAPDUError: Error, Sendable, Hashable {
    /// Fewer than the four header bytes; the number of bytes there were.
    case headerTruncated(Int)
    /// The extended length field that a leading 00 announces is cut off.
    case lengthFieldTruncated
    /// An extended Lc of zero, which no form has.
    case emptyDataField
    /// Lc and the number of bytes after it fit no form.
    case inconsistentLength(declared: Int, following: Int)
    /// More command data than an extended Lc can count.
    case dataTooLong(Int)
    /// An expected response length outside 1…65,536.
    case expectedLengthOutOfRange(Int)
}

extension CommandAPDUError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .headerTruncated(let count): "a command APDU has at least 4 bytes, there are \(count)"
        case .lengthFieldTruncated: "the extended length field is cut off"
        case .emptyDataField: "an extended Lc of 0 is not allowed"
        case .inconsistentLength(let declared, let following):
            "Lc declares \(declared) bytes of data, \(following) bytes follow"
        case .dataTooLong(let count): "command data is limited to 65535 bytes, there are \(count)"
        case .expectedLengthOutOfRange(let length): "the expected response length is 1 to 65536, not \(length)"
        }
    }
}
