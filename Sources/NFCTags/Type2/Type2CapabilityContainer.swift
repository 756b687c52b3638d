import ISO7816

/// The capability container of a Type 2 Tag: page 3, `E1 version size access` (NFC Forum Type 2 Tag).
public struct Type2CapabilityContainer: Sendable, Hashable {
    /// A nibble of the access byte.
    public enum Access: Sendable, Hashable {
        /// 0: without any condition.
        case free
        /// 8: with a password, or proprietary.
        case proprietary
        /// F: never.
        case never
        /// Any other value, which is reserved.
        case reserved(UInt8)

        init(nibble: UInt8) {
            switch nibble {
            case 0x0: self = .free
            case 0x8: self = .proprietary
            case 0xF: self = .never
            default: self = .reserved(nibble)
            }
        }
    }

    /// The four bytes.
    public let bytes: [UInt8]
    /// Byte 0, E1 for NDEF.
    public let magic: UInt8
    /// Byte 1, high nibble.
    public let majorVersion: UInt8
    /// Byte 1, low nibble.
    public let minorVersion: UInt8
    /// The size of the data area in bytes: byte 2 times 8, 0…2040.
    public let dataAreaSize: Int
    /// Byte 3, high nibble.
    public let readAccess: Access
    /// Byte 3, low nibble.
    public let writeAccess: Access

    /// Reads a container of exactly 4 bytes, valid or not; `nil` for any other number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        self.bytes = bytes
        magic = bytes[0]
        majorVersion = bytes[1] >> 4
        minorVersion = bytes[1] & 0x0F
        dataAreaSize = Int(bytes[2]) * 8
        readAccess = Access(nibble: bytes[3] >> 4)
        writeAccess = Access(nibble: bytes[3] & 0x0F)
    }
}

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

    /// All faults in words; nil for a valid container.
    var fault: String? { isValid ? nil : faults.map(\.description).joined(separator: "; ") }

    /// Where the data area is, in bytes from the start of memory.
    var dataArea: Range<Int> { Self.dataAreaStart..<Self.dataAreaStart + dataAreaSize }
    /// Page 4.
    static let dataAreaStart = 16

    /// The data area for ``TLVMessageStore``, as far as `reach` bytes of memory can be addressed.
    ///
    /// - Parameter isAuthenticated: whether the tag has accepted its password.
    func layout(reach: Int, isAuthenticated: Bool = false) -> TLVLayout {
        if let fault { return .absent(fault) }
        let end = max(Self.dataAreaStart, min(dataArea.upperBound, reach))
        var layout = TLVLayout(area: TLVArea(bounds: Self.dataAreaStart..<end))
        layout.obeysControlTLVs = true
        layout.status = writeAccess == .free ? .readWrite : .readOnly
        layout.writeRefusal = writeRefusal(isAuthenticated: isAuthenticated)
        if writeAccess == .proprietary { layout.warnings = [.writeNeedsPermission] }
        return layout
    }

    /// Why the container forbids writing; nil if it does not.
    func writeRefusal(isAuthenticated: Bool) -> String? {
        switch writeAccess {
        case .free: nil
        case .proprietary: isAuthenticated ? nil : "writing needs a password or a proprietary procedure"
        case .never, .reserved: "the capability container forbids writing"
        }
    }
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

/// Pages 0 to 3 of a Type 2 Tag: identifier, static lock bytes, capability container.
struct Type2Header: Sendable, Hashable {
    /// Pages 0 to 3, 16 bytes; zeros for pages that were not read.
    let bytes: [UInt8]
    /// Whether page 0 was read.
    let hasIdentifier: Bool
    /// Whether pages 1 and 2 were read. Reading a message does not take them.
    let hasLocks: Bool

    let container: Type2CapabilityContainer

    init?(_ image: MemoryImage) {
        guard case .bytes(let last) = image.contents(of: [12..<16]), let container = Type2CapabilityContainer(last)
        else {
            return nil
        }
        bytes = (0..<12).map { image[$0] ?? 0 } + last
        hasIdentifier = image[0] != nil
        hasLocks = image[4] != nil && image[8] != nil
        self.container = container
    }

    var page2: [UInt8] { Array(bytes[8..<12]) }

    /// The data area of the container; read-only also where every static lock bit is set, as far as they were read.
    func layout(reach: Int, isAuthenticated: Bool = false) -> TLVLayout {
        var layout = container.layout(reach: reach, isAuthenticated: isAuthenticated)
        if isLocked { layout.status = .readOnly }
        return layout
    }

    /// Stores the pages that do not have to be read again.
    func store(in memory: inout LazyMemory<some BlockReader>) {
        if hasIdentifier { memory.store(Array(bytes.prefix(4)), at: 0) }
        if hasLocks { memory.store(Array(bytes[4..<12]), at: 1) }
        memory.store(container.bytes, at: 3)
    }

    /// Whether this is the tag with that identifier: with check bytes between the parts, or without (NTAG I2C).
    func belongs(to identifier: [UInt8]) -> Bool {
        let checked = bytes.prefix(3) + bytes[4..<8]
        return Array(checked) == identifier || Array(bytes.prefix(7)) == identifier
    }

    /// Whether the static lock bytes lock a page; bit n of the two locks page n, from 3 on.
    func locks(page: Int) -> Bool { (3...15).contains(page) && staticLock >> page & 1 == 1 }

    /// Whether every static lock bit is set.
    var isLocked: Bool { staticLock == 0xFFFF }

    /// Whether those that are not set can be: bits 0 to 2 freeze bit 3, bits 4 to 9 and bits 10 to 15.
    var canBeLocked: Bool {
        let groups: [UInt16] = [0x0008, 0x03F0, 0xFC00]
        let frozen = groups.enumerated().reduce(UInt16(0)) { staticLock >> $1.offset & 1 == 1 ? $0 | $1.element : $0 }
        return frozen & ~staticLock == 0
    }

    private var staticLock: UInt16 { UInt16(bytes[11]) << 8 | UInt16(bytes[10]) }
}
