// The extended commands of ISO/IEC 15693-3, on blocks whose number is two bytes.

extension LiveISO15693Tag {
    @preconcurrency
    func extendedReadSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        readBlock(0x30, flags, .extended, blockNumber, completionHandler)
    }

    @preconcurrency
    func extendedWriteSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x31, flags, { () throws(NFCReaderError) in try VicinityWidth.extended.block(blockNumber) + dataBlock },
            done: completionHandler)
    }

    @preconcurrency
    func extendedLockBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x32, flags, { () throws(NFCReaderError) in try VicinityWidth.extended.block(blockNumber) },
            done: completionHandler)
    }

    @preconcurrency
    func extendedReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x33, flags, .extended, blockRange, completionHandler)
    }

    @preconcurrency
    func __extendedWriteMultipleBlocks(
        withRequestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x34, flags, { () throws(NFCReaderError) in try VicinityWidth.extended.range(blockRange, dataBlocks) },
            done: completionHandler)
    }

    @preconcurrency
    func __extendedGetMultipleBlockSecurityStatus(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    ) {
        readStates(0x3C, flags, .extended, blockRange, completionHandler)
    }

    @preconcurrency
    func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x3D, flags, .extended, blockRange, completionHandler)
    }
}
