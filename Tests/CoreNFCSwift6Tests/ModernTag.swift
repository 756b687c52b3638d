import CoreNFC

/// The common part of test doubles as they are written for Swift 6: completion handlers alone, `@Sendable`.
class ModernTag: NSObject, NFCNDEFTag {
    override init() {}
    required init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
    static var supportsSecureCoding: Bool { true }
    func copy(with zone: NSZone? = nil) -> Any { self }

    var type: __NFCTagType { .ISO15693 }
    var session: (any NFCReaderSessionProtocol)? { nil }
    var isAvailable: Bool { true }
    func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { self as? any NFCISO15693Tag }
    func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { self as? any NFCISO7816Tag }
    func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { self as? any NFCFeliCaTag }
    func asNFCMiFareTag() -> (any NFCMiFareTag)? { self as? any NFCMiFareTag }

    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void) {
        completionHandler(.readOnly, 48, nil)
    }

    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
        completionHandler(NFCNDEFMessage(records: []), nil)
    }

    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(NFCReaderError(.ndefReaderSessionErrorTagNotWritable))
    }

    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(NFCReaderError(.ndefReaderSessionErrorTagNotWritable))
    }
}
