public import Foundation

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
