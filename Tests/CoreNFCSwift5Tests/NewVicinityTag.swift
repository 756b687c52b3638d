import CoreNFC

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
