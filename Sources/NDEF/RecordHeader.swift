/// The first byte of a physical record (NDEF 1.0, §3.2).
package struct RecordFlags: Equatable {
    package var rawValue: UInt8

    private static let mb: UInt8 = 0x80
    private static let me: UInt8 = 0x40
    private static let cf: UInt8 = 0x20
    private static let sr: UInt8 = 0x10
    private static let il: UInt8 = 0x08
    private static let tnf: UInt8 = 0x07

    package var isMessageBegin: Bool { rawValue & Self.mb != 0 }
    package var isMessageEnd: Bool { rawValue & Self.me != 0 }
    package var isChunk: Bool { rawValue & Self.cf != 0 }
    package var isShortRecord: Bool { rawValue & Self.sr != 0 }
    package var hasIdentifierLength: Bool { rawValue & Self.il != 0 }
    // All eight values of the field have a case, so that the fallback is never taken.
    package var typeNameFormat: TypeNameFormat { TypeNameFormat(rawValue: rawValue & Self.tnf) ?? .reserved }

    /// Bytes from the flags up to and including the last length field: 3 to 7.
    package var headerLength: Int { (isShortRecord ? 3 : 6) + (hasIdentifierLength ? 1 : 0) }
}

extension RecordFlags {
    /// The flags of a record that is written whole, in its shortest form.
    init(typeNameFormat: TypeNameFormat, isFirst: Bool, isLast: Bool, isShort: Bool, hasIdentifier: Bool) {
        rawValue = typeNameFormat.rawValue
        if isFirst { rawValue |= Self.mb }
        if isLast { rawValue |= Self.me }
        if isShort { rawValue |= Self.sr }
        if hasIdentifier { rawValue |= Self.il }
    }
}

/// The flags and lengths that stand before the fields of a physical record (NDEF 1.0, §3.2).
package struct RecordHeader: Equatable {
    package let flags: RecordFlags
    package let typeLength: Int
    package let identifierLength: Int
    package let payloadLength: Int

    /// The header at `offset`, or nil where the bytes end before it does.
    package init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard offset < bytes.count else { return nil }
        flags = RecordFlags(rawValue: bytes[offset])
        guard flags.headerLength <= bytes.count - offset else { return nil }
        typeLength = Int(bytes[offset + 1])
        let identifierAt: Int
        if flags.isShortRecord {
            payloadLength = Int(bytes[offset + 2])
            identifierAt = offset + 3
        } else {
            let high = UInt32(bytes[offset + 2]) << 24 | UInt32(bytes[offset + 3]) << 16
            let low = UInt32(bytes[offset + 4]) << 8 | UInt32(bytes[offset + 5])
            // Clamped for the sake of 32-bit machines, where so long a payload is cut short in any case.
            payloadLength = Int(clamping: high | low)
            identifierAt = offset + 6
        }
        identifierLength = flags.hasIdentifierLength ? Int(bytes[identifierAt]) : 0
    }
}
