import CoreNFC

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
