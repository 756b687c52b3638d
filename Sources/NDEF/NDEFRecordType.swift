/// What decides how a payload is to be read: the type name format together with the type.
///
/// Well-known types are compared with case (NFC Forum RTD 1.0); media and external types without, and a media type without
/// its parameters, so that `Text/vCard; charset=utf-8` and `text/vcard` are the same.
public struct NDEFRecordType: Sendable, Hashable {
    /// How the type is to be read (TNF).
    public let typeNameFormat: TypeNameFormat
    /// The TYPE field in the form that is compared; lower case for media and external types.
    public let type: [UInt8]

    /// The record type of these two fields.
    public init(_ typeNameFormat: TypeNameFormat, _ type: [UInt8]) {
        self.typeNameFormat = typeNameFormat
        self.type =
            switch typeNameFormat {
            case .media: Self.withoutParameters(type).map(Self.lowerCased)
            case .nfcExternal: type.map(Self.lowerCased)
            default: type
            }
    }

    /// The well-known type of that name, such as `U`.
    public static func wellKnown(_ name: String) -> Self { Self(.nfcWellKnown, Array(name.utf8)) }

    /// The media type of that name, such as `text/vcard`.
    public static func media(_ name: String) -> Self { Self(.media, Array(name.utf8)) }

    /// The external type of that name, such as `android.com:pkg`.
    public static func external(_ name: String) -> Self { Self(.nfcExternal, Array(name.utf8)) }

    private static func withoutParameters(_ type: [UInt8]) -> ArraySlice<UInt8> {
        var essence = type.prefix { $0 != UInt8(ascii: ";") }
        while essence.last == UInt8(ascii: " ") { essence.removeLast() }
        return essence
    }

    private static func lowerCased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
