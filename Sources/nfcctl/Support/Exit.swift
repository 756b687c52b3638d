import ArgumentParser
import NFCClient
import NFCTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ExitCode {
    /// 64: the command line is invalid, or lacks something.
    static let usage = ExitCode(EX_USAGE)
    /// 65: the input is invalid.
    static let badData = ExitCode(EX_DATAERR)
    /// 66: a file cannot be read.
    static let noInput = ExitCode(EX_NOINPUT)
    /// 69: there is no daemon, or no reader.
    static let unavailable = ExitCode(EX_UNAVAILABLE)
    /// 74: the tag was lost or reported an error.
    static let tagError = ExitCode(EX_IOERR)
    /// 73: a file cannot be created.
    static let cannotCreate = ExitCode(EX_CANTCREAT)
    /// 74: writing the output failed.
    static let ioError = ExitCode(EX_IOERR)
    /// 75: another client holds the reader, or the time limit was reached.
    static let temporary = ExitCode(EX_TEMPFAIL)
    /// 77: not permitted.
    static let notPermitted = ExitCode(EX_NOPERM)
    /// 78: nfcd's configuration is invalid.
    static let configuration = ExitCode(EX_CONFIG)

    /// 130: interrupted by Ctrl-C before the operation was complete.
    static let interrupted = ExitCode(128 + SIGINT)

    /// The exit code for a CoreNFC error code.
    init(_ code: NFCErrorCode) {
        self =
            switch code {
            case .userCanceled, .firstNDEFTagRead: .success
            case .unsupportedFeature, .radioDisabled, .sessionTerminatedUnexpectedly: .unavailable
            case .securityViolation: .notPermitted
            case .sessionTimeout, .systemIsBusy: .temporary
            default: .tagError
            }
    }

    /// The exit code for an error that is not the tag's: 64 for a profile that is not named, or does not exist, 78 if nfcd has no
    /// profiles; nil for any other.
    ///
    /// - Parameter path: what nfcd names as wrong.
    init?(ofWrong path: String?) {
        switch path {
        case "params.profile": self = .usage
        case "keys.toml": self = .configuration
        default: return nil
        }
    }

    /// The exit code for an error of the client.
    init(_ error: NFCClientError) {
        if case .refused(let answer) = error, let code = ExitCode(ofWrong: answer.data?.path) {
            self = code
            return
        }
        if let code = error.nfcCode {
            self.init(code)
            return
        }
        self =
            switch error {
            case .notPermitted: .notPermitted
            // An error of JSON-RPC.
            case .refused: .badData
            case .noDaemon, .connectionFailed, .connectionLost, .fellBehind, .protocolViolation, .sessionEnded:
                .unavailable
            }
    }
}

extension NFCClientError {
    /// Whether the profile does not exist or is not named, or nfcd has none.
    var isAboutProfiles: Bool {
        guard case .refused(let answer) = self else { return false }
        return ExitCode(ofWrong: answer.data?.path) != nil
    }
}

/// The system's message for an error number, such as `No such file or directory`.
func errorMessage(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
