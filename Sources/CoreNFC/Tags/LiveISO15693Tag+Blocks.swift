// The commands of ISO/IEC 15693-3 on blocks whose number is a byte.

extension LiveISO15693Tag {
    @preconcurrency
    func readSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        readBlock(0x20, flags, .short, Int(blockNumber), completionHandler)
    }

    @preconcurrency
    func writeSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x21, flags, { () throws(NFCReaderError) in try VicinityWidth.short.block(Int(blockNumber)) + dataBlock },
            done: completionHandler)
    }

    @preconcurrency
    func lockBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x22, flags, { () throws(NFCReaderError) in try VicinityWidth.short.block(Int(blockNumber)) },
            done: completionHandler)
    }

    @preconcurrency
    func readMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x23, flags, .short, blockRange, completionHandler)
    }

    @preconcurrency
    func writeMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x24, flags, { () throws(NFCReaderError) in try VicinityWidth.short.range(blockRange, dataBlocks) },
            done: completionHandler)
    }

    @preconcurrency
    func getMultipleBlockSecurityStatus(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    ) {
        readStates(0x2C, flags, .short, blockRange, completionHandler)
    }

    @preconcurrency
    func __fastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x2D, flags, .short, blockRange, completionHandler)
    }
}
