public import Foundation

extension NFCISO15693Tag {
    /// 30: reads a block, number 0…65535.
    public func extendedReadSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int
    ) async throws -> Data {
        try await awaiting {
            extendedReadSingleBlock(requestFlags: flags, blockNumber: blockNumber, completionHandler: $0)
        }
    }

    /// 31: writes a block, number 0…65535.
    public func extendedWriteSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data
    ) async throws {
        try await awaiting { finish in
            extendedWriteSingleBlock(requestFlags: flags, blockNumber: blockNumber, dataBlock: dataBlock) {
                finish((), $0)
            }
        }
    }

    /// 32: makes a block read-only for ever, number 0…65535.
    public func extendedLockBlock(requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int) async throws {
        try await awaiting { finish in
            extendedLockBlock(requestFlags: flags, blockNumber: blockNumber) { finish((), $0) }
        }
    }

    /// 33: reads 1…65536 blocks.
    public func extendedReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [Data] {
        try await awaiting {
            extendedReadMultipleBlocks(requestFlags: flags, blockRange: blockRange, completionHandler: $0)
        }
    }

    /// 2B: asks for what the tag tells about itself.
    public func systemInfo(requestFlags flags: NFCISO15693RequestFlag) async throws -> NFCISO15693SystemInfo {
        let (uid, dsfid, afi, blockSize, blockCount, reference) = try await __systemInfoAndUID(with: flags)
        return NFCISO15693SystemInfo(
            uniqueIdentifier: uid ?? Data(), dataStorageFormatIdentifier: dsfid, applicationFamilyIdentifier: afi,
            blockSize: blockSize, totalBlocks: blockCount, icReference: reference)
    }

    /// 2D: reads blocks at the fast rate.
    public func fastReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [Data] {
        try await __fastReadMultipleBlocks(with: flags, blockRange: blockRange)
    }

    /// 34: writes 1…65536 blocks.
    public func extendedWriteMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data]
    ) async throws {
        try await __extendedWriteMultipleBlocks(withRequestFlags: flags, blockRange: blockRange, dataBlocks: dataBlocks)
    }

    /// 35: takes part in an authentication.
    public func authenticate(
        requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data
    ) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await __authenticate(
            withRequestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message)
    }

    /// 36: changes a key.
    public func keyUpdate(
        requestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data
    ) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await __keyUpdate(withRequestFlags: flags, keyIdentifier: keyIdentifier, message: message)
    }

    /// 39: gives the tag a challenge, which it does not answer.
    public func challenge(
        requestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data
    ) async throws {
        try await __challenge(withRequestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message)
    }

    /// 3A: reads the response buffer.
    public func readBuffer(requestFlags flags: NFCISO15693RequestFlag) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await __readBuffer(withRequestFlags: flags)
    }

    /// 3D: reads blocks at the fast rate.
    public func extendedFastReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [Data] {
        try await __extendedFastReadMultipleBlocks(with: flags, blockRange: blockRange)
    }

    /// Sends a request as it is: flag byte, command byte, data. The caller adds the UID.
    public func sendRequest(
        requestFlags flags: Int, commandCode: Int, data: Data?
    ) async throws -> (NFCISO15693ResponseFlag, Data?) {
        try await __sendRequest(withFlag: flags, commandCode: commandCode, data: data)
    }

    /// 3C: asks for the security status of blocks.
    public func extendedGetMultipleBlockSecurityStatus(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> NFCISO15693MultipleBlockSecurityStatus {
        let status = try await __extendedGetMultipleBlockSecurityStatus(with: flags, blockRange: blockRange)
        return NFCISO15693MultipleBlockSecurityStatus(blockSecurityStatus: status.map(\.intValue))
    }
}
