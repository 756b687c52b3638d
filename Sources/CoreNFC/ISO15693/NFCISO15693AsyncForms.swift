public import Foundation

extension NFCISO15693Tag {
    /// Sends a custom command of the legacy session: error 1 with today's sessions.
    public func sendCustomCommand(commandConfiguration: NFCISO15693CustomCommandConfiguration) async throws -> Data {
        try await awaiting { sendCustomCommand(commandConfiguration: commandConfiguration, completionHandler: $0) }
    }

    /// Reads blocks in the manner of the legacy session: error 1 with today's sessions.
    public func readMultipleBlock(readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration) async throws -> Data {
        try await awaiting { readMultipleBlock(readConfiguration: readConfiguration, completionHandler: $0) }
    }

    /// 02: the tag answers nothing more before it is selected or reset.
    public func stayQuiet() async throws {
        try await awaiting { finish in stayQuiet { finish((), $0) } }
    }

    /// 20: reads a block.
    public func readSingleBlock(requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8) async throws -> Data {
        try await awaiting { readSingleBlock(requestFlags: flags, blockNumber: blockNumber, completionHandler: $0) }
    }

    /// 21: writes a block.
    public func writeSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data
    ) async throws {
        try await awaiting { finish in
            writeSingleBlock(requestFlags: flags, blockNumber: blockNumber, dataBlock: dataBlock) { finish((), $0) }
        }
    }

    /// 22: makes a block read-only permanently.
    public func lockBlock(requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8) async throws {
        try await awaiting { finish in lockBlock(requestFlags: flags, blockNumber: blockNumber) { finish((), $0) } }
    }

    /// 23: reads 1…256 blocks, which are all of one size.
    public func readMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [Data] {
        try await awaiting { readMultipleBlocks(requestFlags: flags, blockRange: blockRange, completionHandler: $0) }
    }

    /// 24: writes 1…256 blocks, as many as the range is long.
    public func writeMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data]
    ) async throws {
        try await awaiting { finish in
            writeMultipleBlocks(requestFlags: flags, blockRange: blockRange, dataBlocks: dataBlocks) { finish((), $0) }
        }
    }

    /// 25: selects the tag, which then answers requests with the select flag.
    public func select(requestFlags flags: NFCISO15693RequestFlag) async throws {
        try await awaiting { finish in select(requestFlags: flags) { finish((), $0) } }
    }

    /// 26: ends what Select and Stay quiet began.
    public func resetToReady(requestFlags flags: NFCISO15693RequestFlag) async throws {
        try await awaiting { finish in resetToReady(requestFlags: flags) { finish((), $0) } }
    }

    /// 27: writes the application family identifier.
    public func writeAFI(requestFlags flags: NFCISO15693RequestFlag, afi: UInt8) async throws {
        try await awaiting { finish in writeAFI(requestFlags: flags, afi: afi) { finish((), $0) } }
    }

    /// 28: makes the application family identifier read-only permanently.
    public func lockAFI(requestFlags flags: NFCISO15693RequestFlag) async throws {
        try await awaiting { finish in lockAFI(requestFlags: flags) { finish((), $0) } }
    }

    /// 29: writes the data storage format identifier.
    public func writeDSFID(requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8) async throws {
        try await awaiting { finish in writeDSFID(requestFlags: flags, dsfid: dsfid) { finish((), $0) } }
    }

    /// The misspelt name of ``lockDSFID(requestFlags:completionHandler:)``.
    @available(iOS, deprecated: 14.0, renamed: "lockDSFID(requestFlags:)")
    public func lockDFSID(requestFlags flags: NFCISO15693RequestFlag) async throws {
        try await awaiting { finish in lockDFSID(requestFlags: flags) { finish((), $0) } }
    }

    /// 2A: makes the data storage format identifier read-only permanently.
    public func lockDSFID(requestFlags flags: NFCISO15693RequestFlag) async throws {
        try await awaiting { finish in lockDSFID(requestFlags: flags) { finish((), $0) } }
    }

    /// 2B: asks for DSFID, AFI, block size, number of blocks and IC reference; −1 where the tag does not report them.
    @available(iOS, deprecated: 14.0, renamed: "systemInfo(requestFlags:)")
    public func getSystemInfo(requestFlags flags: NFCISO15693RequestFlag) async throws -> (Int, Int, Int, Int, Int) {
        try await awaiting { finish in getSystemInfo(requestFlags: flags) { finish(($0, $1, $2, $3, $4), $5) } }
    }

    /// 2C: asks for the security status of 1…256 blocks.
    public func getMultipleBlockSecurityStatus(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [NSNumber] {
        try await awaiting {
            getMultipleBlockSecurityStatus(requestFlags: flags, blockRange: blockRange, completionHandler: $0)
        }
    }

    /// A0…DF: sends a custom command. The manufacturer code of the tag is inserted.
    public func customCommand(
        requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int, customRequestParameters: Data
    ) async throws -> Data {
        try await awaiting {
            customCommand(
                requestFlags: flags, customCommandCode: customCommandCode,
                customRequestParameters: customRequestParameters, completionHandler: $0)
        }
    }
}

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

    /// 32: makes a block read-only permanently, number 0…65535.
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

    /// 2B: queries the system information of the tag.
    public func systemInfo(requestFlags flags: NFCISO15693RequestFlag) async throws -> NFCISO15693SystemInfo {
        let (uid, dsfid, afi, blockSize, blockCount, reference) = try await __systemInfoAndUID(with: flags)
        return NFCISO15693SystemInfo(
            uniqueIdentifier: uid, dataStorageFormatIdentifier: dsfid, applicationFamilyIdentifier: afi,
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

    /// Sends a raw request: flag byte, command byte, data. The caller adds the UID.
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

extension NFCISO15693Tag {
    /// 2B: asks for the UID, DSFID, AFI, block size, number of blocks and IC reference.
    public func __systemInfoAndUID(
        with flags: NFCISO15693RequestFlag
    ) async throws -> (Data, Int, Int, Int, Int, Int) {
        try await awaiting { finish in
            __getSystemInfoAndUID(with: flags) { finish(($0 ?? Data(), $1, $2, $3, $4, $5), $6) }
        }
    }

    /// 2D: reads blocks at the fast rate.
    public func __fastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [Data] {
        try await awaiting { __fastReadMultipleBlocks(with: flags, blockRange: blockRange, completionHandler: $0) }
    }

    /// 34: writes 1…65536 blocks.
    public func __extendedWriteMultipleBlocks(
        withRequestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data]
    ) async throws {
        try await awaiting { finish in
            __extendedWriteMultipleBlocks(withRequestFlags: flags, blockRange: blockRange, dataBlocks: dataBlocks) {
                finish((), $0)
            }
        }
    }

    /// 35: takes part in an authentication.
    public func __authenticate(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data
    ) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await awaiting { finish in
            __authenticate(withRequestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message) {
                finish(($0, $1), $2)
            }
        }
    }

    /// 36: changes a key.
    public func __keyUpdate(
        withRequestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data
    ) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await awaiting { finish in
            __keyUpdate(withRequestFlags: flags, keyIdentifier: keyIdentifier, message: message) {
                finish(($0, $1), $2)
            }
        }
    }

    /// 39: gives the tag a challenge, which it does not answer.
    public func __challenge(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data
    ) async throws {
        try await awaiting { finish in
            __challenge(withRequestFlags: flags, cryptoSuiteIdentifier: cryptoSuiteIdentifier, message: message) {
                finish((), $0)
            }
        }
    }

    /// 3A: reads the response buffer.
    public func __readBuffer(
        withRequestFlags flags: NFCISO15693RequestFlag
    ) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await awaiting { finish in __readBuffer(withRequestFlags: flags) { finish(($0, $1), $2) } }
    }

    /// 3C: asks for the security status of blocks.
    public func __extendedGetMultipleBlockSecurityStatus(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [NSNumber] {
        try await awaiting {
            __extendedGetMultipleBlockSecurityStatus(with: flags, blockRange: blockRange, completionHandler: $0)
        }
    }

    /// 3D: reads blocks at the fast rate.
    public func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange
    ) async throws -> [Data] {
        try await awaiting {
            __extendedFastReadMultipleBlocks(with: flags, blockRange: blockRange, completionHandler: $0)
        }
    }

    /// Sends a raw request: flag byte, command byte, data. The caller adds the UID.
    public func __sendRequest(
        withFlag flags: Int, commandCode: Int, data: Data?
    ) async throws -> (NFCISO15693ResponseFlag, Data) {
        try await awaiting { finish in
            __sendRequest(withFlag: flags, commandCode: commandCode, data: data) {
                finish(($0, $1 ?? Data()), $2)
            }
        }
    }
}
