/// How the type of a record is to be read: the TNF field (NFC Forum NDEF 1.0, §3.2.6).
///
/// The reserved value 7 has no name here. A record that was read with it is ``unknown``, and is written as it was.
public enum NFCTypeNameFormat: UInt8, Sendable {
    /// No type, identifier or payload.
    case empty = 0
    /// A type of the NFC Forum's Record Type Definitions, such as `T` or `U`.
    case nfcWellKnown = 1
    /// A media type (RFC 2046), such as `text/vcard`.
    case media = 2
    /// The type is an absolute URI (RFC 3986).
    case absoluteURI = 3
    /// An NFC Forum external type, such as `example.com:lock`.
    case nfcExternal = 4
    /// A payload of unknown kind; there is no type.
    case unknown = 5
    /// A chunk after the first of a record; never in a message that was read.
    case unchanged = 6
}
