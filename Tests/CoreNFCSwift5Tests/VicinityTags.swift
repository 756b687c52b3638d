import CoreNFC

/// The methods of an ISO 15693 tag of iOS 13.
class VicinityMethods: OldTag {
    var identifier: Data { Data([0xE0, 4, 3, 4, 5, 6, 7, 8]) }
    var icManufacturerCode: Int { 4 }
    var icSerialNumber: Data { identifier.dropFirst(2) }

    func sendCustomCommand(
        commandConfiguration: NFCISO15693CustomCommandConfiguration, completionHandler: @escaping (Data, Error?) -> Void
    ) {
        note("custom")
        completionHandler(Data([7]), failure)
    }

    func readMultipleBlock(
        readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration,
        completionHandler: @escaping (Data, Error?) -> Void
    ) {
        note("legacy")
        completionHandler(Data([7]), failure)
    }

    func stayQuiet(completionHandler: @escaping (Error?) -> Void) {
        note("02")
        completionHandler(failure)
    }

    func readSingleBlock(
        requestFlags flags: RequestFlag, blockNumber: UInt8, completionHandler: @escaping (Data, Error?) -> Void
    ) {
        note("20", flags, blockNumber)
        completionHandler(Data([7]), failure)
    }

    func writeSingleBlock(
        requestFlags flags: RequestFlag, blockNumber: UInt8, dataBlock: Data,
        completionHandler: @escaping (Error?) -> Void
    ) {
        note("21", flags, blockNumber, dataBlock)
        completionHandler(failure)
    }

    func lockBlock(requestFlags flags: RequestFlag, blockNumber: UInt8, completionHandler: @escaping (Error?) -> Void) {
        note("22", flags, blockNumber)
        completionHandler(failure)
    }

    func readMultipleBlocks(
        requestFlags flags: RequestFlag, blockRange: NSRange, completionHandler: @escaping ([Data], Error?) -> Void
    ) {
        note("23", flags, blockRange)
        completionHandler([Data([7]), Data([8])], failure)
    }

    func writeMultipleBlocks(
        requestFlags flags: RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping (Error?) -> Void
    ) {
        note("24", flags, blockRange, dataBlocks)
        completionHandler(failure)
    }

    func select(requestFlags flags: RequestFlag, completionHandler: @escaping (Error?) -> Void) {
        note("25", flags)
        completionHandler(failure)
    }

    func resetToReady(requestFlags flags: RequestFlag, completionHandler: @escaping (Error?) -> Void) {
        note("26", flags)
        completionHandler(failure)
    }

    func writeAFI(requestFlags flags: RequestFlag, afi: UInt8, completionHandler: @escaping (Error?) -> Void) {
        note("27", flags, afi)
        completionHandler(failure)
    }

    func lockAFI(requestFlags flags: RequestFlag, completionHandler: @escaping (Error?) -> Void) {
        note("28", flags)
        completionHandler(failure)
    }

    func writeDSFID(requestFlags flags: RequestFlag, dsfid: UInt8, completionHandler: @escaping (Error?) -> Void) {
        note("29", flags, dsfid)
        completionHandler(failure)
    }

    func lockDFSID(requestFlags flags: RequestFlag, completionHandler: @escaping (Error?) -> Void) {
        note("2A", flags)
        completionHandler(failure)
    }

    func getSystemInfo(
        requestFlags flags: RequestFlag, completionHandler: @escaping (Int, Int, Int, Int, Int, Error?) -> Void
    ) {
        note("2B", flags)
        completionHandler(1, 2, 3, 4, 5, failure)
    }

    func getMultipleBlockSecurityStatus(
        requestFlags flags: RequestFlag, blockRange: NSRange, completionHandler: @escaping ([NSNumber], Error?) -> Void
    ) {
        note("2C", flags, blockRange)
        completionHandler([0, 1], failure)
    }

    func customCommand(
        requestFlags flags: RequestFlag, customCommandCode: Int, customRequestParameters: Data,
        completionHandler: @escaping (Data, Error?) -> Void
    ) {
        note("A0", flags, customCommandCode, customRequestParameters)
        completionHandler(Data([7]), failure)
    }

    func extendedReadSingleBlock(
        requestFlags flags: RequestFlag, blockNumber: Int, completionHandler: @escaping (Data, Error?) -> Void
    ) {
        note("30", flags, blockNumber)
        completionHandler(Data([7]), failure)
    }

    func extendedWriteSingleBlock(
        requestFlags flags: RequestFlag, blockNumber: Int, dataBlock: Data,
        completionHandler: @escaping (Error?) -> Void
    ) {
        note("31", flags, blockNumber, dataBlock)
        completionHandler(failure)
    }

    func extendedLockBlock(
        requestFlags flags: RequestFlag, blockNumber: Int, completionHandler: @escaping (Error?) -> Void
    ) {
        note("32", flags, blockNumber)
        completionHandler(failure)
    }

    func extendedReadMultipleBlocks(
        requestFlags flags: RequestFlag, blockRange: NSRange, completionHandler: @escaping ([Data], Error?) -> Void
    ) {
        note("33", flags, blockRange)
        completionHandler([Data([7]), Data([8])], failure)
    }
}

/// A test double that knows nothing newer.
final class OldVicinityTag: VicinityMethods, NFCISO15693Tag {}

/// A test double of iOS 14, which implements the methods behind the newer ones.
final class NewVicinityTag: VicinityMethods, NFCISO15693Tag {
    func __getSystemInfoAndUID(
        with flags: NFCISO15693RequestFlag,
        completionHandler: @escaping (Data?, Int, Int, Int, Int, Int, Error?) -> Void
    ) {
        note("2B", flags)
        completionHandler(Data([7]), 1, 2, 3, 4, 5, failure)
    }

    func __fastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange, completionHandler: @escaping ([Data], Error?) -> Void
    ) {
        note("2D", flags, blockRange)
        completionHandler([Data([7]), Data([8])], failure)
    }

    func __extendedWriteMultipleBlocks(
        withRequestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping (Error?) -> Void
    ) {
        note("34", flags, blockRange, dataBlocks)
        completionHandler(failure)
    }

    func __authenticate(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping (NFCISO15693ResponseFlag, Data, Error?) -> Void
    ) {
        note("35", flags, cryptoSuiteIdentifier, message)
        completionHandler(.finalResponse, Data([7]), failure)
    }

    func __keyUpdate(
        withRequestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
        completionHandler: @escaping (NFCISO15693ResponseFlag, Data, Error?) -> Void
    ) {
        note("36", flags, keyIdentifier, message)
        completionHandler(.finalResponse, Data([7]), failure)
    }

    func __challenge(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping (Error?) -> Void
    ) {
        note("39", flags, cryptoSuiteIdentifier, message)
        completionHandler(failure)
    }

    func __readBuffer(
        withRequestFlags flags: NFCISO15693RequestFlag,
        completionHandler: @escaping (NFCISO15693ResponseFlag, Data, Error?) -> Void
    ) {
        note("3A", flags)
        completionHandler(.finalResponse, Data([7]), failure)
    }

    func __extendedGetMultipleBlockSecurityStatus(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping ([NSNumber], Error?) -> Void
    ) {
        note("3C", flags, blockRange)
        completionHandler([0, 1], failure)
    }

    func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange, completionHandler: @escaping ([Data], Error?) -> Void
    ) {
        note("3D", flags, blockRange)
        completionHandler([Data([7]), Data([8])], failure)
    }

    func __sendRequest(
        withFlag flags: Int, commandCode: Int, data: Data?,
        completionHandler: @escaping (NFCISO15693ResponseFlag, Data?, Error?) -> Void
    ) {
        note("raw", flags, commandCode, data ?? Data())
        completionHandler(.finalResponse, Data([7]), failure)
    }
}
