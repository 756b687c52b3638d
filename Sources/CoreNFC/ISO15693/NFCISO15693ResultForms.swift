public import Foundation

extension NFCISO15693Tag {
    /// 20: reads a block.
    @preconcurrency
    public func readSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        readSingleBlock(requestFlags: flags, blockNumber: blockNumber) {
            resultHandler(outcome($0, $1))
        }
    }

    /// 23: reads 1…256 blocks, which are all of one size.
    @preconcurrency
    public func readMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
    ) {
        readMultipleBlocks(requestFlags: flags, blockRange: blockRange) {
            resultHandler(outcome($0, $1))
        }
    }

    /// 2B: queries the system information of the tag.
    @preconcurrency
    public func getSystemInfo(
        requestFlags flags: NFCISO15693RequestFlag,
        resultHandler: @escaping @Sendable (Result<NFCISO15693SystemInfo, any Error>) -> Void
    ) {
        __getSystemInfoAndUID(with: flags) {
            resultHandler(
                outcome(
                    NFCISO15693SystemInfo(
                        uniqueIdentifier: $0 ?? Data(), dataStorageFormatIdentifier: $1,
                        applicationFamilyIdentifier: $2,
                        blockSize: $3, totalBlocks: $4, icReference: $5), $6))
        }
    }

    /// 2D: reads blocks at the fast rate.
    @preconcurrency
    public func fastReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
    ) {
        __fastReadMultipleBlocks(with: flags, blockRange: blockRange) {
            resultHandler(outcome($0, $1))
        }
    }

    /// A0…DF: sends a custom command. The manufacturer code of the tag is inserted.
    @preconcurrency
    public func customCommand(
        requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int, customRequestParameters: Data,
        resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        customCommand(
            requestFlags: flags, customCommandCode: customCommandCode, customRequestParameters: customRequestParameters
        ) {
            resultHandler(outcome($0, $1))
        }
    }

    /// 30: reads a block, number 0…65535.
    @preconcurrency
    public func extendedReadSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        extendedReadSingleBlock(requestFlags: flags, blockNumber: blockNumber) {
            resultHandler(outcome($0, $1))
        }
    }

    /// 3C: asks for the security status of blocks.
    @preconcurrency
    public func extendedGetMultipleBlockSecurityStatus(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        resultHandler: @escaping @Sendable (Result<NFCISO15693MultipleBlockSecurityStatus, any Error>) -> Void
    ) {
        __extendedGetMultipleBlockSecurityStatus(with: flags, blockRange: blockRange) {
            resultHandler(outcome(NFCISO15693MultipleBlockSecurityStatus(blockSecurityStatus: $0.map(\.intValue)), $1))
        }
    }

    /// 3D: reads blocks at the fast rate.
    @preconcurrency
    public func extendedFastReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        resultHandler: @escaping @Sendable (Result<[Data], any Error>) -> Void
    ) {
        __extendedFastReadMultipleBlocks(with: flags, blockRange: blockRange) {
            resultHandler(outcome($0, $1))
        }
    }

    /// Sends a raw request: flag byte, command byte, data. The caller adds the UID.
    @preconcurrency
    public func sendRequest(
        requestFlags flags: Int, commandCode: Int, data: Data?,
        resultHandler: @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data?), any Error>) -> Void
    ) {
        __sendRequest(withFlag: flags, commandCode: commandCode, data: data) {
            resultHandler(outcome(($0, $1), $2))
        }
    }

    /// 34: writes 1…65536 blocks.
    @preconcurrency
    public func extendedWriteMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        __extendedWriteMultipleBlocks(
            withRequestFlags: flags, blockRange: blockRange, dataBlocks: dataBlocks,
            completionHandler: completionHandler)
    }
}

// Authentication (ISO/IEC 29167 over ISO/IEC 15693-3).
extension NFCISO15693Tag {
    /// 35: takes part in an authentication.
    @preconcurrency
    public func authenticate(
        requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        resultHandler: @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
    ) {
        __authenticate(withRequestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message) {
            resultHandler(outcome(($0, $1), $2))
        }
    }

    /// 36: changes a key.
    @preconcurrency
    public func keyUpdate(
        requestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
        resultHandler: @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
    ) {
        __keyUpdate(withRequestFlags: flags, keyIdentifier: keyIdentifier, message: message) {
            resultHandler(outcome(($0, $1), $2))
        }
    }

    /// 3A: reads the response buffer.
    @preconcurrency
    public func readBuffer(
        requestFlags flags: NFCISO15693RequestFlag,
        resultHandler: @escaping @Sendable (Result<(NFCISO15693ResponseFlag, Data), any Error>) -> Void
    ) {
        __readBuffer(withRequestFlags: flags) {
            resultHandler(outcome(($0, $1), $2))
        }
    }

    /// 39: gives the tag a challenge, which it does not answer.
    @preconcurrency
    public func challenge(
        requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        __challenge(
            withRequestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message,
            completionHandler: completionHandler)
    }
}
