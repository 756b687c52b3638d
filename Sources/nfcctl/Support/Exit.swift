import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ExitCode {
    /// 65: the input is wrong.
    static let badData = ExitCode(EX_DATAERR)
    /// 66: a file cannot be read.
    static let noInput = ExitCode(EX_NOINPUT)
    /// 69: no daemon, or no reader.
    static let unavailable = ExitCode(EX_UNAVAILABLE)
    /// 74: the tag was lost, or answered wrongly.
    static let tagError = ExitCode(EX_IOERR)
    /// 73: a file cannot be made.
    static let cannotCreate = ExitCode(EX_CANTCREAT)
    /// 74: what was to be written could not be.
    static let ioError = ExitCode(EX_IOERR)
    /// 141: whoever read the output went away; what a shell shows for the signal SIGPIPE.
    static let brokenPipe = ExitCode(128 + SIGPIPE)
    /// 75: somebody else holds the reader, or the time ran out.
    static let temporary = ExitCode(EX_TEMPFAIL)
    /// 77: not permitted.
    static let notPermitted = ExitCode(EX_NOPERM)
    /// 78: nfcd's configuration is wrong.
    static let configuration = ExitCode(EX_CONFIG)

    /// 130: ended by Ctrl-C before it was done.
    static let interrupted = ExitCode(128 + SIGINT)

    /// The exit code for an error of CoreNFC's numbering.
    init(nfcCode code: Int) {
        self =
            switch code {
            case 200, 204: .success
            case 1, 6, 202: .unavailable
            case 2: .notPermitted
            case 201, 203: .temporary
            default: .tagError
            }
    }
}

/// The system's words for an error number, such as `No such file or directory`.
func systemMessage(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
