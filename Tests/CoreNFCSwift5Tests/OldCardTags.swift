import CoreNFC

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
