import ArgumentParser
import NFCProtocol
import NFCTypes

/// The options of the commands that begin a reader session.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Use only this reader, by id or name; may be repeated.", valueName: "reader"),
        completion: .readers)
    var reader: [String] = []

    @Option(
        help: ArgumentHelp("End the session after this time (default: the daemon's limit).", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Wait if the reader is busy or missing, instead of failing.")
    var wait = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        try validateSeconds(timeout, option: "--timeout")
    }

    /// The parameters of the session.
    ///
    /// - Parameter detection: what a session of kind ndef reports; nil for the default, messages.
    func parameters(
        _ kind: SessionKind, detection: SessionDetection? = nil
    ) -> SessionBegin.Parameters {
        SessionBegin.Parameters(
            kind: kind, detection: detection, readers: reader.isEmpty ? nil : reader,
            whenBusy: wait ? .queue : .fail, waitForReader: wait, timeout: timeout)
    }
}

/// Checks the value of an option for a time: more than 0, at most a day.
func validateSeconds(_ value: Double?, option: String) throws {
    if let value, !(value > 0 && value <= 86_400) {
        throw ValidationError("\(option) must be greater than 0 and at most 86400 seconds")
    }
}
