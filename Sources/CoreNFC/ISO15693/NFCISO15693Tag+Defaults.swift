public import Foundation

// What came after iOS 13 has a default, so that test doubles written before still conform.
extension NFCISO15693Tag {
    /// Calls `lockDFSID(requestFlags:completionHandler:)`, which is its older name.
    @preconcurrency
    public func lockDSFID(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        lockDFSID(requestFlags: flags, completionHandler: completionHandler)
    }

    /// Asks for the system information, and adds the UID, least significant byte first.
    @preconcurrency
    public func __getSystemInfoAndUID(
        with flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (Data?, Int, Int, Int, Int, Int, (any Error)?) -> Void
    ) {
        let uid = Data(identifier.reversed())
        getSystemInfo(requestFlags: flags) { dsfid, afi, blockSize, blockCount, reference, error in
            completionHandler(uid, dsfid, afi, blockSize, blockCount, reference, error)
        }
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __fastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        completionHandler([], NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __extendedWriteMultipleBlocks(
        withRequestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completionHandler(NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __authenticate(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    ) {
        completionHandler([], Data(), NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __keyUpdate(
        withRequestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    ) {
        completionHandler([], Data(), NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __challenge(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completionHandler(NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __readBuffer(
        withRequestFlags flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    ) {
        completionHandler([], Data(), NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __extendedGetMultipleBlockSecurityStatus(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    ) {
        completionHandler([], NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        completionHandler([], NFCReaderError(.readerErrorUnsupportedFeature))
    }

    /// Fails with error 1: the tag does not implement the command.
    @preconcurrency
    public func __sendRequest(
        withFlag flags: Int, commandCode: Int, data: Data?,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data?, (any Error)?) -> Void
    ) {
        completionHandler([], nil, NFCReaderError(.readerErrorUnsupportedFeature))
    }
}
