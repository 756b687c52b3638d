import ISO7816

extension Type2CapabilityContainer {
    /// Why a tag with this container is not one we read NDEF from.
    public enum Fault: Sendable, Hashable {
        /// All four bytes are 00: never formatted.
        case blank
        /// Byte 0 is not E1.
        case wrongMagic(UInt8)
        /// The major version is not 1.
        case unsupportedVersion(major: UInt8, minor: UInt8)
        /// The data area has no bytes.
        case noDataArea
        /// The high nibble of the access byte does not give free read access.
        case notReadable(Access)
    }

    /// Everything that is wrong, in the order of the bytes; empty for a valid container.
    public var faults: [Fault] {
        if bytes.allSatisfy({ $0 == 0 }) { return [.blank] }
        guard magic == 0xE1 else { return [.wrongMagic(magic)] }
        var faults: [Fault] = []
        if majorVersion != 1 { faults.append(.unsupportedVersion(major: majorVersion, minor: minorVersion)) }
        if dataAreaSize == 0 { faults.append(.noDataArea) }
        if readAccess != .free { faults.append(.notReadable(readAccess)) }
        return faults
    }

    /// Whether NDEF can be read.
    public var isValid: Bool { faults.isEmpty }
}

extension Type2CapabilityContainer.Fault: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .blank: "the capability container is blank"
        case .wrongMagic(let byte): "the capability container starts with \(Hexadecimal.string(byte)), not E1"
        case .unsupportedVersion(let major, let minor): "mapping version \(major).\(minor) is not supported"
        case .noDataArea: "the data area has no bytes"
        case .notReadable(.proprietary): "reading needs a password or a proprietary procedure"
        case .notReadable: "the capability container denies reading"
        }
    }
}
