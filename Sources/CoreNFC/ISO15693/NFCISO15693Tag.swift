public import Foundation

/// A tag of ISO/IEC 15693 (NFC-V). The numbers in the descriptions are the command codes of ISO/IEC 15693-3.
///
/// The address flag is set and the UID is sent whatever the caller passes, unless the select flag is set. An error that
/// the tag answers is error 102, with the tag's error byte under ``NFCISO15693TagResponseErrorKey``. A block range outside
/// its bounds gives error 5, a wrong number or size of blocks error 4.
public protocol NFCISO15693Tag: NFCNDEFTag, __NFCTag {
    /// The UID: eight bytes, most significant first.
    var identifier: Data { get }
    /// The manufacturer's code (ISO/IEC 7816-6): the second byte of the UID.
    var icManufacturerCode: Int { get }
    /// The serial number: the last six bytes of the UID, most significant first.
    var icSerialNumber: Data { get }

    /// Sends a custom command of the legacy session: error 1 with today's sessions.
    @preconcurrency
    func sendCustomCommand(
        commandConfiguration: NFCISO15693CustomCommandConfiguration,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    )

    /// Reads blocks in the manner of the legacy session: error 1 with today's sessions.
    @preconcurrency
    func readMultipleBlock(
        readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    )

    /// 02: the tag answers nothing more before it is selected or reset.
    @preconcurrency
    func stayQuiet(completionHandler: @escaping @Sendable ((any Error)?) -> Void)

    /// 20: reads a block.
    @preconcurrency
    func readSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    )

    /// 21: writes a block.
    @preconcurrency
    func writeSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 22: makes a block read-only permanently.
    @preconcurrency
    func lockBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 23: reads 1…256 blocks, which are all of one size.
    @preconcurrency
    func readMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    )

    /// 24: writes 1…256 blocks, as many as the range is long.
    @preconcurrency
    func writeMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 25: selects the tag, which then answers requests with the select flag.
    @preconcurrency
    func select(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 26: ends what Select and Stay quiet began.
    @preconcurrency
    func resetToReady(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 27: writes the application family identifier.
    @preconcurrency
    func writeAFI(
        requestFlags flags: NFCISO15693RequestFlag, afi: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 28: makes the application family identifier read-only permanently.
    @preconcurrency
    func lockAFI(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 29: writes the data storage format identifier.
    @preconcurrency
    func writeDSFID(
        requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// The misspelt name of ``lockDSFID(requestFlags:completionHandler:)``.
    @available(iOS, deprecated: 14.0, renamed: "lockDSFID(requestFlags:completionHandler:)")
    @preconcurrency
    func lockDFSID(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 2A: makes the data storage format identifier read-only permanently.
    @preconcurrency
    func lockDSFID(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 2B: asks for DSFID, AFI, block size, number of blocks and IC reference; −1 where the tag does not report them.
    @available(iOS, deprecated: 14.0, renamed: "getSystemInfo(requestFlags:resultHandler:)")
    @preconcurrency
    func getSystemInfo(
        requestFlags flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (Int, Int, Int, Int, Int, (any Error)?) -> Void
    )

    /// 2C: asks for the security status of 1…256 blocks.
    @preconcurrency
    func getMultipleBlockSecurityStatus(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    )

    /// A0…DF: sends a custom command. The manufacturer code of the tag is inserted.
    @preconcurrency
    func customCommand(
        requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int, customRequestParameters: Data,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    )

    /// 30: reads a block, number 0…65535.
    @preconcurrency
    func extendedReadSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    )

    /// 31: writes a block, number 0…65535.
    @preconcurrency
    func extendedWriteSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 32: makes a block read-only permanently, number 0…65535.
    @preconcurrency
    func extendedLockBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 33: reads 1…65536 blocks.
    @preconcurrency
    func extendedReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    )

    // Since iOS 14. On an iPhone these are behind the methods of the same name without underscores.

    /// 2B: asks for the UID, DSFID, AFI, block size, number of blocks and IC reference.
    @preconcurrency
    func __getSystemInfoAndUID(
        with flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (Data?, Int, Int, Int, Int, Int, (any Error)?) -> Void
    )

    /// 2D: reads blocks at the fast rate.
    @preconcurrency
    func __fastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    )

    /// 34: writes 1…65536 blocks.
    @preconcurrency
    func __extendedWriteMultipleBlocks(
        withRequestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 35: takes part in an authentication.
    @preconcurrency
    func __authenticate(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    )

    /// 36: changes a key.
    @preconcurrency
    func __keyUpdate(
        withRequestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    )

    /// 39: gives the tag a challenge, which it does not answer.
    @preconcurrency
    func __challenge(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )

    /// 3A: reads the response buffer.
    @preconcurrency
    func __readBuffer(
        withRequestFlags flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    )

    /// 3C: asks for the security status of blocks.
    @preconcurrency
    func __extendedGetMultipleBlockSecurityStatus(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    )

    /// 3D: reads blocks at the fast rate.
    @preconcurrency
    func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    )

    /// Sends a raw request: flag byte, command byte, data. The caller adds the UID.
    @preconcurrency
    func __sendRequest(
        withFlag flags: Int, commandCode: Int, data: Data?,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data?, (any Error)?) -> Void
    )
}

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
