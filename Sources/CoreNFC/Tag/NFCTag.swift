public import Foundation

/// A tag that an ``NFCTagReaderSession`` found, by its kind.
public enum NFCTag {
    /// A FeliCa tag (NFC-F).
    case feliCa(any NFCFeliCaTag)
    /// A tag of ISO/IEC 7816-4 with one of the listed applications.
    case iso7816(any NFCISO7816Tag)
    /// A tag of ISO/IEC 15693 (NFC-V).
    case iso15693(any NFCISO15693Tag)
    /// A MIFARE tag, or one of type A that is much like it (NFC-A).
    case miFare(any NFCMiFareTag)

    /// Whether the tag is connected and still on the reader.
    public var isAvailable: Bool {
        switch self {
        case .feliCa(let tag): tag.isAvailable
        case .iso7816(let tag): tag.isAvailable
        case .iso15693(let tag): tag.isAvailable
        case .miFare(let tag): tag.isAvailable
        }
    }
}

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

/// How often a legacy command is tried. The commands that take it fail with error 1 on tags of today's sessions.
open class NFCTagCommandConfiguration: NSObject, NSCopying {
    /// How often the command is tried again: 0…256, by default 0.
    open var maximumRetries: Int = 0
    /// The seconds between two tries, by default 0.
    open var retryInterval: TimeInterval = 0

    /// A configuration without retries.
    public override init() {}

    /// A configuration of these values.
    init(maximumRetries: Int, retryInterval: TimeInterval) {
        self.maximumRetries = maximumRetries
        self.retryInterval = retryInterval
    }

    /// A copy that can be changed on its own.
    open func copy(with zone: NSZone? = nil) -> Any {
        NFCTagCommandConfiguration(maximumRetries: maximumRetries, retryInterval: retryInterval)
    }
}
