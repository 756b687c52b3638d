/// A reader's name as pcscd spells it: bytes without the final NUL, since a driver may use any encoding.
public struct ReaderName: Sendable, Hashable, CustomStringConvertible {
    let bytes: [CChar]

    init(bytes: [CChar]) {
        self.bytes = bytes
    }

    /// The name in UTF-8; everything behind a NUL is dropped.
    public init(_ name: String) {
        bytes = name.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
    }

    /// The pseudo-reader that signals readers coming and going (pcsc-lite, "PnP notification").
    public static let plugAndPlayNotification = ReaderName("\\\\?PnP?\\Notification")

    /// The name for people; bytes that are no UTF-8 are replaced.
    public var description: String {
        String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
