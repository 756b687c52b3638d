import NFCTags
import TestSupport

/// Memory images of Type 2 tags, made up page by page.
enum Images {
    /// UID and lock bytes: pages 0 to 2, with the check bytes a real tag has.
    static let header = hex("04A1B29F C3D4E5F6 04480000")

    /// A tag of `pages` pages: header, capability container, then the content of the data area, zero-padded.
    static func type2(pages: Int, container: String, area: [UInt8]) -> [UInt8] {
        let image = header + hex(container) + area
        return image + Array(repeating: 0, count: max(0, pages * 4 - image.count))
    }

    /// A message TLV with a terminator behind it.
    static func messageTLV(_ message: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            message.count < 255
            ? [UInt8(message.count)]
            : [0xFF, UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        return [0x03] + length + message + [0xFE]
    }

    /// NTAG213: 45 pages, 144 bytes of data, with its Lock Control TLV.
    static func ntag213(_ message: [UInt8]) -> [UInt8] {
        type2(pages: 45, container: "E1101200", area: hex("0103A00C34") + messageTLV(message))
    }

    /// NTAG213 as personalised by many writers, without the Lock Control TLV.
    static func ntag213Bare(_ message: [UInt8]) -> [UInt8] {
        type2(pages: 45, container: "E1101200", area: messageTLV(message))
    }

    /// NTAG215: 135 pages, 496 bytes of data.
    static func ntag215(_ message: [UInt8]) -> [UInt8] {
        type2(pages: 135, container: "E1103E00", area: messageTLV(message))
    }

    /// NTAG216: 231 pages, 872 bytes of data.
    static func ntag216(_ message: [UInt8]) -> [UInt8] {
        type2(pages: 231, container: "E1106D00", area: messageTLV(message))
    }

    /// Bytes that differ from one another and from filler, terminator and long-length marks.
    static func message(count: Int) -> [UInt8] {
        (0..<count).map { UInt8($0 % 200 + 4) }
    }
}

/// The error a call ends with.
func tagError(_ body: () async throws -> Void) async -> TagError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TagError
    }
}
