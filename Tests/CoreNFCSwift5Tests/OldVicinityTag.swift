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
