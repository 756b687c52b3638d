/// A file control TLV of a Type 4 Tag's capability container: which file holds the message and what may be done to it.
public struct Type4FileControl: Sendable, Hashable {
    /// T.
    public enum Kind: UInt8, Sendable, Hashable {
        /// 04: a file with a length field NLEN of 2 bytes.
        case ndef = 0x04
        /// 06: a file with a length field of 4 bytes (mapping version 3).
        case extendedNDEF = 0x06
    }

    /// Which of the two.
    public let kind: Kind
    /// The file identifier.
    public let identifier: UInt16
    /// The bytes of the file, its length field included.
    public let size: Int
    /// The read access condition: 00 is free.
    public let readAccess: UInt8
    /// The write access condition: 00 is free, FF never, 80…FE proprietary.
    public let writeAccess: UInt8
    /// Where the write access condition stands in the container, in bytes.
    let writeAccessOffset: Int

    /// `nil` for a value of the wrong length; `offset` is where the value stands in the container.
    init?(_ kind: Kind, _ value: [UInt8], at offset: Int) {
        let sizeLength = kind == .ndef ? 2 : 4
        guard value.count == 4 + sizeLength else { return nil }
        self.kind = kind
        identifier = UInt16(value[0]) << 8 | UInt16(value[1])
        size = value[2..<2 + sizeLength].reduce(0) { $0 << 8 | Int($1) }
        readAccess = value[2 + sizeLength]
        writeAccess = value[3 + sizeLength]
        writeAccessOffset = offset + 3 + sizeLength
    }

    /// The bytes of the length field in front of the message.
    public var lengthFieldSize: Int { kind == .ndef ? 2 : 4 }

    /// The largest message that fits, in bytes; never more than ``Type4Tag/messageLimit``.
    public var capacity: Int { max(0, min(size - lengthFieldSize, Type4Tag.messageLimit)) }

    /// The length of the message that a file begins with.
    ///
    /// - Throws: ``TagError`` 102 where it does not fit the file.
    func messageLength(_ head: [UInt8]) throws(TagError) -> Int {
        let length = head.prefix(lengthFieldSize).reduce(0) { $0 << 8 | Int($1) }
        guard length <= capacity else {
            throw TagError(
                .tagResponseError,
                "the file is damaged: its message has \(length) bytes, \(capacity) fit; it can be written again")
        }
        return length
    }
}
