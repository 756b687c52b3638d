import CoreNFC

/// The common part of test doubles as they were written for iOS 13: completion handlers alone, without `@Sendable`.
class OldTag: NSObject, NFCNDEFTag {
    /// What was called, such as `20 2 3` for reading block 3 with flags 02.
    var calls: [String] = []
    /// What every call fails with.
    var failure: Error?
    var message: NFCNDEFMessage? = NFCNDEFMessage(records: [])

    override init() {}
    required init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
    static var supportsSecureCoding: Bool { true }
    func copy(with zone: NSZone? = nil) -> Any { self }

    var type: __NFCTagType { .miFare }
    var session: NFCReaderSessionProtocol? { nil }
    var isAvailable: Bool { failure == nil }
    func asNFCISO15693Tag() -> NFCISO15693Tag? { self as? NFCISO15693Tag }
    func asNFCISO7816Tag() -> NFCISO7816Tag? { self as? NFCISO7816Tag }
    func asNFCFeliCaTag() -> NFCFeliCaTag? { self as? NFCFeliCaTag }
    func asNFCMiFareTag() -> NFCMiFareTag? { self as? NFCMiFareTag }

    func queryNDEFStatus(completionHandler: @escaping (NFCNDEFStatus, Int, Error?) -> Void) {
        note("status")
        completionHandler(.readWrite, 137, failure)
    }

    func readNDEF(completionHandler: @escaping (NFCNDEFMessage?, Error?) -> Void) {
        note("read")
        completionHandler(message, failure)
    }

    func writeNDEF(_ ndefMessage: NFCNDEFMessage, completionHandler: @escaping (Error?) -> Void) {
        note("write", ndefMessage.length)
        completionHandler(failure)
    }

    func writeLock(completionHandler: @escaping (Error?) -> Void) {
        note("lock")
        completionHandler(failure)
    }

    func note(_ name: String, _ arguments: Any...) {
        calls.append(([name] + arguments.map(Self.words)).joined(separator: " "))
    }

    private static func words(_ argument: Any) -> String {
        switch argument {
        case let data as Data: data.map { String(format: "%02x", $0) }.joined()
        case let list as [Data]: list.map(words).joined(separator: ",")
        case let range as NSRange: "\(range.location)+\(range.length)"
        case let flags as RequestFlag: "\(flags.rawValue)"
        case let apdu as NFCISO7816APDU: "\(apdu.instructionCode)"
        default: "\(argument)"
        }
    }
}

/// One way to call a method of a tag, what the tag is to see of it, and what is to come back, in words.
struct Form<Tag> {
    let call: String
    let answer: String
    let run: (Tag) async throws -> Any

    init(_ call: String, _ answer: String, _ run: @escaping (Tag) async throws -> Any) {
        (self.call, self.answer, self.run) = (call, answer, run)
    }
}

/// Waits for a result handler.
func result<Value>(_ start: (@escaping @Sendable (Result<Value, Error>) -> Void) -> Void) async throws -> Any {
    try await withCheckedThrowingContinuation { continuation in
        start { result in continuation.resume(with: result.map { $0 as Any }) }
    }
}

class OldSmartCard: OldTag, NFCISO7816Tag {
    var initialSelectedAID: String { "D2760000850101" }
    var identifier: Data { Data([4, 1]) }
    var historicalBytes: Data? { nil }
    var applicationData: Data? { nil }
    var proprietaryApplicationDataCoding: Bool { false }

    func sendCommand(apdu: NFCISO7816APDU, completionHandler: @escaping (Data, UInt8, UInt8, Error?) -> Void) {
        note("apdu", apdu)
        completionHandler(Data([1]), 0x6A, 0x82, failure)
    }
}

class OldMiFareTag: OldTag, NFCMiFareTag {
    var mifareFamily: NFCMiFareFamily { .ultralight }
    var identifier: Data { Data([4, 2]) }
    var historicalBytes: Data? { nil }

    func sendMiFareCommand(commandPacket command: Data, completionHandler: @escaping (Data, Error?) -> Void) {
        note("native", command)
        completionHandler(Data([2]), failure)
    }

    func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU, completionHandler: @escaping (Data, UInt8, UInt8, Error?) -> Void
    ) {
        note("apdu", apdu)
        completionHandler(Data([1]), 0x91, 0xAF, failure)
    }
}

class OldFeliCaTag: OldTag, NFCFeliCaTag {
    var currentSystemCode: Data { Data([0x12, 0xFC]) }
    var currentIDm: Data { Data(count: 8) }

    func polling(
        systemCode: Data, requestCode: PollingRequestCode, timeSlot: PollingTimeSlot,
        completionHandler: @escaping (Data, Data, Error?) -> Void
    ) {
        note("polling", systemCode, requestCode.rawValue, timeSlot.rawValue)
        completionHandler(Data([1]), Data([2]), failure)
    }

    func requestService(nodeCodeList: [Data], completionHandler: @escaping ([Data], Error?) -> Void) {
        note("service", nodeCodeList)
        completionHandler([Data([3])], failure)
    }

    func requestResponse(completionHandler: @escaping (Int, Error?) -> Void) {
        note("response")
        completionHandler(2, failure)
    }

    func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], completionHandler: @escaping (Int, Int, [Data], Error?) -> Void
    ) {
        note("read", serviceCodeList, blockList)
        completionHandler(1, 2, [Data([3])], failure)
    }

    func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data],
        completionHandler: @escaping (Int, Int, Error?) -> Void
    ) {
        note("write", serviceCodeList, blockList, blockData)
        completionHandler(1, 2, failure)
    }

    func requestSystemCode(completionHandler: @escaping ([Data], Error?) -> Void) {
        note("systems")
        completionHandler([Data([4])], failure)
    }

    func requestServiceV2(
        nodeCodeList: [Data], completionHandler: @escaping (Int, Int, EncryptionId, [Data], [Data], Error?) -> Void
    ) {
        note("service2", nodeCodeList)
        completionHandler(1, 2, .AES_DES, [Data([3])], [Data([4])], failure)
    }

    func requestSpecificationVersion(completionHandler: @escaping (Int, Int, Data, Data, Error?) -> Void) {
        note("version")
        completionHandler(1, 2, Data([3]), Data([4]), failure)
    }

    func resetMode(completionHandler: @escaping (Int, Int, Error?) -> Void) {
        note("reset")
        completionHandler(1, 2, failure)
    }

    func sendFeliCaCommand(commandPacket: Data, completionHandler: @escaping (Data, Error?) -> Void) {
        note("raw", commandPacket)
        completionHandler(Data([5]), failure)
    }
}
