import ISO7816

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

extension Hexadecimal {
    /// Four upper-case digits.
    static func string(_ number: UInt16) -> String {
        string([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
    }
}
