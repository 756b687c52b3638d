import CoreNFC

/// A test double in an app on the main actor: tags are not bound to it.
nonisolated final class MainActorCard: NSObject, NFCISO7816Tag {
    override init() {}
    required init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
    static var supportsSecureCoding: Bool { true }
    func copy(with zone: NSZone? = nil) -> Any { self }

    var type: __NFCTagType { .iso7816Compatible }
    var session: (any NFCReaderSessionProtocol)? { nil }
    var isAvailable: Bool { true }
    func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { nil }
    func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { self }
    func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { nil }
    func asNFCMiFareTag() -> (any NFCMiFareTag)? { nil }

    func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void) {
        completionHandler(.notSupported, 0, nil)
    }

    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
        completionHandler(nil, nil)
    }

    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    var initialSelectedAID: String { "" }
    var identifier: Data { Data() }
    var historicalBytes: Data? { nil }
    var applicationData: Data? { nil }
    var proprietaryApplicationDataCoding: Bool { false }

    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async { completionHandler(Data([apdu.instructionCode]), 0x90, 0x00, nil) }
    }
}
