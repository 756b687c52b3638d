public import Foundation

/// The kind of a tag, as Objective-C numbers it.
public enum __NFCTagType: UInt, Sendable {
    /// ISO/IEC 15693 (NFC-V).
    case ISO15693 = 1
    /// FeliCa (NFC-F).
    case feliCa = 2
    /// ISO/IEC 7816-4 with one of the listed applications.
    case iso7816Compatible = 3
    /// MIFARE (NFC-A).
    case miFare = 4
}

/// What all tags have in common. Swift code uses ``NFCTag``; test doubles name this protocol.
public protocol __NFCTag: NSCopying, NSSecureCoding, NSObjectProtocol {
    /// The kind of the tag.
    var type: __NFCTagType { get }
    /// The session that found the tag; nil where it is gone. Weak on an iPhone, and in CoreNFC's own tags.
    var session: (any NFCReaderSessionProtocol)? { get }
    /// Whether the tag is connected and still on the reader.
    var isAvailable: Bool { get }

    /// The tag, if it is of ISO/IEC 15693.
    func asNFCISO15693Tag() -> (any NFCISO15693Tag)?
    /// The tag, if it is of ISO/IEC 7816-4.
    func asNFCISO7816Tag() -> (any NFCISO7816Tag)?
    /// The tag, if it is a FeliCa tag.
    func asNFCFeliCaTag() -> (any NFCFeliCaTag)?
    /// The tag, if it is a MIFARE tag.
    func asNFCMiFareTag() -> (any NFCMiFareTag)?
}
