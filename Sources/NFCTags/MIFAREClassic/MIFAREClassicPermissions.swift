/// Which key allows an operation.
public enum MIFAREClassicPermission: Sendable, Hashable, CaseIterable {
    /// Neither.
    case never
    /// Key A only.
    case a
    /// Key B only.
    case b
    /// Either key.
    case either

    /// Whether a key of this type allows it.
    public func allows(_ type: MIFAREClassicKeyType) -> Bool {
        switch self {
        case .never: false
        case .a: type == .a
        case .b: type == .b
        case .either: true
        }
    }

    /// What remains where key B can be read and is no key.
    var withoutKeyB: MIFAREClassicPermission { allows(.a) ? .a : .never }
}

extension MIFAREClassicPermission: CustomStringConvertible {
    /// `never`, `with key A`, `with key B` or `with either key`.
    public var description: String {
        switch self {
        case .never: "never"
        case .a: "with key A"
        case .b: "with key B"
        case .either: "with either key"
        }
    }
}

/// What the access condition of a data block allows (MF1S50yyX data sheet, access conditions for data blocks).
public struct MIFAREClassicDataPermissions: Sendable, Hashable {
    /// READ.
    public let read: MIFAREClassicPermission
    /// WRITE.
    public let write: MIFAREClassicPermission
    /// INCREMENT.
    public let increment: MIFAREClassicPermission
    /// DECREMENT, RESTORE and TRANSFER.
    public let decrement: MIFAREClassicPermission

    init(
        _ read: MIFAREClassicPermission, _ write: MIFAREClassicPermission, _ increment: MIFAREClassicPermission,
        _ decrement: MIFAREClassicPermission
    ) {
        (self.read, self.write, self.increment, self.decrement) = (read, write, increment, decrement)
    }

    var withoutKeyB: MIFAREClassicDataPermissions {
        MIFAREClassicDataPermissions(
            read.withoutKeyB, write.withoutKeyB, increment.withoutKeyB, decrement.withoutKeyB)
    }
}

extension MIFAREClassicDataPermissions: CustomStringConvertible {
    /// The four permissions in words.
    public var description: String {
        "read \(read), write \(write), increment \(increment), decrement, transfer and restore \(decrement)"
    }
}

/// What the access condition of a trailer allows (MF1S50yyX data sheet, access conditions for the sector trailer).
/// Key A can never be read.
public struct MIFAREClassicTrailerPermissions: Sendable, Hashable {
    /// Writing key A.
    public let writeKeyA: MIFAREClassicPermission
    /// Reading the access bits.
    public let readAccessBits: MIFAREClassicPermission
    /// Writing the access bits and the byte behind them.
    public let writeAccessBits: MIFAREClassicPermission
    /// Reading key B; where this is possible, key B is data and opens nothing.
    public let readKeyB: MIFAREClassicPermission
    /// Writing key B.
    public let writeKeyB: MIFAREClassicPermission

    init(
        _ writeKeyA: MIFAREClassicPermission, _ readAccessBits: MIFAREClassicPermission,
        _ writeAccessBits: MIFAREClassicPermission, _ readKeyB: MIFAREClassicPermission,
        _ writeKeyB: MIFAREClassicPermission
    ) {
        (self.writeKeyA, self.readAccessBits, self.writeAccessBits) = (writeKeyA, readAccessBits, writeAccessBits)
        (self.readKeyB, self.writeKeyB) = (readKeyB, writeKeyB)
    }
}

extension MIFAREClassicTrailerPermissions: CustomStringConvertible {
    /// The five permissions in words.
    public var description: String {
        "write key A \(writeKeyA), read access bits \(readAccessBits), write access bits \(writeAccessBits), "
            + "read key B \(readKeyB), write key B \(writeKeyB)"
    }
}
