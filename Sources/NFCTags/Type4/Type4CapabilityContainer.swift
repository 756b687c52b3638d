import ISO7816

/// The capability container of a Type 4 Tag, the content of file E103 (NFC Forum Type 4 Tag).
public struct Type4CapabilityContainer: Sendable, Hashable {
    /// Bytes in front of the TLVs: CCLEN, mapping version, MLe, MLc.
    static let headerSize = 7
    /// The least CCLEN, and how much is read at first.
    static let minimumSize = 15
    /// The most that is read, in bytes; the rest is ignored.
    static let sizeLimit = 1024

    /// CCLEN: the bytes of the container.
    public let length: Int
    /// The mapping version: major in the high nibble, minor in the low one.
    public let mappingVersion: UInt8
    /// MLe: the most response data of one READ BINARY, in bytes.
    public let maximumReadSize: Int
    /// MLc: the most command data of one UPDATE BINARY, in bytes.
    public let maximumWriteSize: Int
    /// The first file control TLV of an NDEF file; `nil` if there is none of the right length.
    public let file: Type4FileControl?
    /// The length of an NDEF file control TLV that has the wrong one, where no right one precedes it.
    let malformedControlLength: Int?

    /// Reads a container, valid or not; `nil` for fewer than its first 7 bytes. Only what CCLEN covers counts.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerSize else { return nil }
        let length = Int(bytes[0]) << 8 | Int(bytes[1])
        self.length = length
        mappingVersion = bytes[2]
        maximumReadSize = Int(bytes[3]) << 8 | Int(bytes[4])
        maximumWriteSize = Int(bytes[5]) << 8 | Int(bytes[6])
        var search = FileControlSearch(bytes: Array(bytes.prefix(length)), position: Self.headerSize)
        search.run()
        file = search.file
        malformedControlLength = search.malformedLength
    }
}

/// Walks over the TLVs of a container to the first NDEF file; proprietary and unknown ones are passed over.
private struct FileControlSearch {
    let bytes: [UInt8]
    var position: Int
    var file: Type4FileControl?
    var malformedLength: Int?

    mutating func run() {
        while file == nil, malformedLength == nil, let (type, value) = next() {
            guard let kind = Type4FileControl.Kind(rawValue: type) else { continue }
            file = Type4FileControl(kind, Array(bytes[value]), at: value.lowerBound)
            if file == nil { malformedLength = value.count }
        }
    }

    /// The next complete TLV.
    private mutating func next() -> (type: UInt8, value: Range<Int>)? {
        guard position + 1 < bytes.count else { return nil }
        let type = bytes[position]
        var length = Int(bytes[position + 1])
        var start = position + 2
        if length == 0xFF {
            guard start + 1 < bytes.count else { return nil }
            length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            start += 2
        }
        guard start + length <= bytes.count else { return nil }
        position = start + length
        return (type, start..<position)
    }
}

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
    /// Where the write access condition is in the container, in bytes.
    let writeAccessOffset: Int

    /// `nil` for a value of the wrong length; `offset` is where the value is in the container.
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
    /// - Throws: ``TagError`` 102 if it does not fit the file.
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

extension Type4CapabilityContainer {
    /// Why a tag with this container is not one we read NDEF from.
    public enum Fault: Sendable, Hashable {
        /// CCLEN is less than 15.
        case tooShort(Int)
        /// The major mapping version is not 1, 2 or 3.
        case unsupportedVersion(UInt8)
        /// MLe is less than 15.
        case readSizeTooSmall(Int)
        /// No file control TLV of an NDEF file.
        case noFile
        /// The file control TLV has the wrong length.
        case malformedFileControl(Int)
        /// The file identifier is one of the reserved ones.
        case reservedFileIdentifier(UInt16)
        /// The file has no room for a message.
        case fileTooSmall(Int)
        /// The read access condition does not give free access.
        case notReadable(UInt8)
    }

    /// Everything that is wrong, in the order of the bytes; empty for a valid container.
    public var faults: [Fault] {
        var faults: [Fault] = []
        if length < Self.minimumSize { faults.append(.tooShort(length)) }
        if !(1...3).contains(mappingVersion >> 4) { faults.append(.unsupportedVersion(mappingVersion)) }
        if maximumReadSize < 0x0F { faults.append(.readSizeTooSmall(maximumReadSize)) }
        return faults + (file.map(\.faults) ?? [malformedControlLength.map(Fault.malformedFileControl) ?? .noFile])
    }

    /// Whether NDEF can be read.
    public var isValid: Bool { faults.isEmpty }

    /// Whether the message can be replaced: free write access, and commands that take the whole length field at once,
    /// as half a length would show a broken message. Above 7FFF the offset and its tags have to fit as well.
    public var isWritable: Bool {
        guard let file, file.writeAccess == 0x00 else { return false }
        return maximumWriteSize >= (file.size > 0x8000 ? 8 : file.lengthFieldSize)
    }

    /// What is odd without being wrong.
    var warnings: [NDEFReadWarning] {
        guard let file else { return [] }
        var warnings: [NDEFReadWarning] = []
        if (mappingVersion >> 4 == 3) != (file.kind == .extendedNDEF) {
            warnings.append(.fileControlOfOtherVersion(type: file.kind.rawValue, version: mappingVersion))
        }
        if file.writeAccess != 0x00, file.writeAccess != 0xFF { warnings.append(.writeNeedsPermission) }
        return warnings
    }
}

extension Type4FileControl {
    fileprivate var faults: [Type4CapabilityContainer.Fault] {
        var faults: [Type4CapabilityContainer.Fault] = []
        if [0x0000, 0xE102, 0xE103, 0x3F00, 0x3FFF, 0xFFFF].contains(identifier) {
            faults.append(.reservedFileIdentifier(identifier))
        }
        if size < lengthFieldSize + 3 { faults.append(.fileTooSmall(size)) }
        if readAccess != 0x00 { faults.append(.notReadable(readAccess)) }
        return faults
    }
}

extension Type4CapabilityContainer.Fault: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .tooShort(let length): "the capability container has \(length) bytes, 15 is the least"
        case .unsupportedVersion(let version):
            "mapping version \(version >> 4).\(version & 0x0F) is not supported"
        case .readSizeTooSmall(let size): "MLe is \(size), 15 is the least"
        case .noFile: "the capability container names no NDEF file"
        case .malformedFileControl(let length): "the NDEF file control TLV has \(length) bytes"
        case .reservedFileIdentifier(let identifier):
            "the NDEF file has the reserved identifier \(Hexadecimal.string(identifier))"
        case .fileTooSmall(let size): "the NDEF file has \(size) bytes, too few for a message"
        case .notReadable(0xFF): "the capability container denies reading"
        case .notReadable: "reading needs a key or a proprietary procedure"
        }
    }
}
