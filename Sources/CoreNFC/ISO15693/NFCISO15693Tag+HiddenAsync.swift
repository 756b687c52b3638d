public import Foundation

extension NFCISO15693Tag {
    /// 2B: asks for the UID, DSFID, AFI, block size, number of blocks and IC reference.
    public func __systemInfoAndUID(
        with flags: NFCISO15693RequestFlag
    ) async throws -> (Data?, Int, Int, Int, Int, Int) {
        try await awaiting { finish in __getSystemInfoAndUID(with: flags) { finish(($0, $1, $2, $3, $4, $5), $6) } }
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

    /// Sends a request as it is: flag byte, command byte, data. The caller adds the UID.
    public func __sendRequest(
        withFlag flags: Int, commandCode: Int, data: Data?
    ) async throws -> (NFCISO15693ResponseFlag, Data?) {
        try await awaiting { finish in
            __sendRequest(withFlag: flags, commandCode: commandCode, data: data) { finish(($0, $1), $2) }
        }
    }
}
