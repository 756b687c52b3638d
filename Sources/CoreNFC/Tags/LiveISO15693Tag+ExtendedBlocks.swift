// The extended commands of ISO/IEC 15693-3, on blocks whose number is two bytes.

extension LiveISO15693Tag {
    @preconcurrency
    func extendedReadSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        command(0x30, flags) { () throws(NFCReaderError) in
            try VicinityWidth.extended.block(blockNumber)
        } read: { answer throws(NFCReaderError) in
            Data(answer.bytes)
        } completion: {
            completionHandler((try? $0.get()) ?? Data(), $0.failure)
        }
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
        command(0x33, flags) { () throws(NFCReaderError) in
            try VicinityWidth.extended.range(blockRange)
        } read: { answer throws(NFCReaderError) in
            try answer.parts(blockRange.length)
        } completion: {
            completionHandler((try? $0.get()) ?? [], $0.failure)
        }
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
        command(0x3C, flags) { () throws(NFCReaderError) in
            try VicinityWidth.extended.range(blockRange)
        } read: { answer throws(NFCReaderError) in
            try answer.states(blockRange.length)
        } completion: {
            completionHandler((try? $0.get()) ?? [], $0.failure)
        }
    }

    @preconcurrency
    func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        command(0x3D, flags) { () throws(NFCReaderError) in
            try VicinityWidth.extended.range(blockRange)
        } read: { answer throws(NFCReaderError) in
            try answer.parts(blockRange.length)
        } completion: {
            completionHandler((try? $0.get()) ?? [], $0.failure)
        }
    }
}
