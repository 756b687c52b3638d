import Foundation

extension NFCReaderError {
    /// An error with the description of its code, unless `userInfo` brings another.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - userInfo: more about the error, such as ``NFCISO15693TagResponseErrorKey``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let entries = userInfo.merging([NSLocalizedDescriptionKey: code.localizedText]) { given, _ in given }
        self.init(_nsError: NSError(domain: NFCErrorDomain, code: code.rawValue, userInfo: entries))
    }

    /// An error with the description of its code, and what is known about the cause.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - reason: the cause in words; it becomes `NSLocalizedFailureReasonErrorKey`.
    ///   - userInfo: more entries.
    init(_ code: Code, reason: String?, userInfo: [String: Any] = [:]) {
        var entries = userInfo
        if let reason { entries[NSLocalizedFailureReasonErrorKey] = reason }
        self.init(code, userInfo: entries)
    }

    /// The error that the daemon's error stands for.
    ///
    /// A number that is none of ``Code`` would trap in `code`. JSON-RPC's own become the nearest code, any other number
    /// becomes 202; the daemon's error is kept under `NSUnderlyingErrorKey`.
    ///
    /// - Parameters:
    ///   - code: CoreNFC's or JSON-RPC's number.
    ///   - message: the daemon's words.
    ///   - detail: the cause in words, where the daemon told it.
    ///   - userInfo: more entries.
    init(code: Int, message: String, detail: String? = nil, userInfo: [String: Any] = [:]) {
        if let known = Code(rawValue: code) {
            self.init(known, reason: detail ?? message, userInfo: userInfo)
            return
        }
        var entries = userInfo
        let words = [NSLocalizedDescriptionKey: detail.map { "\(message): \($0)" } ?? message]
        entries[NSUnderlyingErrorKey] = NSError(domain: Self.daemonDomain, code: code, userInfo: words)
        self.init(Self.nearest(toJSONRPC: code), reason: message, userInfo: entries)
    }

    /// The domain of errors that are the daemon's and not CoreNFC's.
    static let daemonDomain = "nfcd"

    private static func nearest(toJSONRPC code: Int) -> Code {
        switch code {
        case -32601: .readerErrorUnsupportedFeature
        case -32602: .readerErrorInvalidParameter
        default: .readerSessionInvalidationErrorSessionTerminatedUnexpectedly
        }
    }
}
