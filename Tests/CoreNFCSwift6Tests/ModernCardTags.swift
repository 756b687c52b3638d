import CoreNFC

final class ModernSmartCard: ModernTag, NFCISO7816Tag {
    var initialSelectedAID: String { "A000000247" }
    var identifier: Data { Data([4, 1]) }
    var historicalBytes: Data? { nil }
    var applicationData: Data? { nil }
    var proprietaryApplicationDataCoding: Bool { false }
    var supportsPACE: Bool { true }

    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        completionHandler(Data([1]), 0x90, 0x00, nil)
    }
}

/// Its handlers are not `@Sendable`, which Swift 6 takes as well.
final class CarelessMiFareTag: ModernTag, NFCMiFareTag {
    var mifareFamily: NFCMiFareFamily { .desfire }
    var identifier: Data { Data([4, 2]) }
    var historicalBytes: Data? { nil }

    func sendMiFareCommand(commandPacket command: Data, completionHandler: @escaping (Data, (any Error)?) -> Void) {
        completionHandler(command, nil)
    }

    func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU, completionHandler: @escaping (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        completionHandler(Data([2]), 0x91, 0x00, nil)
    }
}

final class ModernFeliCaTag: ModernTag, NFCFeliCaTag {
    var currentSystemCode: Data { Data([0x12, 0xFC]) }
    var currentIDm: Data { Data(count: 8) }

    func polling(
        systemCode: Data, requestCode: NFCFeliCaPollingRequestCode, timeSlot: NFCFeliCaPollingTimeSlot,
        completionHandler: @escaping @Sendable (Data, Data, (any Error)?) -> Void
    ) {
        completionHandler(Data([1]), Data(), nil)
    }

    func requestService(nodeCodeList: [Data], completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void) {
        completionHandler(nodeCodeList, nil)
    }

    func requestResponse(completionHandler: @escaping @Sendable (Int, (any Error)?) -> Void) {
        completionHandler(0, nil)
    }

    func readWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, [Data], (any Error)?) -> Void
    ) {
        completionHandler(0, 0, blockList, nil)
    }

    func writeWithoutEncryption(
        serviceCodeList: [Data], blockList: [Data], blockData: [Data],
        completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void
    ) {
        completionHandler(0, 0, nil)
    }

    func requestSystemCode(completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void) {
        completionHandler([currentSystemCode], nil)
    }

    func requestServiceV2(
        nodeCodeList: [Data],
        completionHandler: @escaping @Sendable (Int, Int, NFCFeliCaEncryptionId, [Data], [Data], (any Error)?) -> Void
    ) {
        completionHandler(0, 0, .AES, [], [], nil)
    }

    func requestSpecificationVersion(
        completionHandler: @escaping @Sendable (Int, Int, Data, Data, (any Error)?) -> Void
    ) {
        completionHandler(0, 0, Data(), Data(), nil)
    }

    func resetMode(completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void) {
        completionHandler(0, 0, nil)
    }

    func sendFeliCaCommand(
        commandPacket: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        completionHandler(commandPacket, nil)
    }
}
