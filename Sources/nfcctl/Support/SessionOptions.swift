import ArgumentParser
import NDEF
import NFCProtocol
import NFCTypes

/// The options of the commands that begin a reader session.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Use only this reader, by id or name; may be repeated.", valueName: "reader"),
        completion: .readers)
    var reader: [String] = []

    @Option(
        help: ArgumentHelp("End the session after this time (default: the daemon's limit).", valueName: "seconds"),
        transform: decimal(typed:))
    var timeout: Double?

    @Flag(help: "Wait if the reader is busy or missing, instead of failing.")
    var wait = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        try validateSeconds(timeout, option: "--timeout")
    }

    /// Prints that the time limit is longer than a session may last, if it is.
    ///
    /// - Parameters:
    ///   - info: the limits and grants of nfcd.
    ///   - advice: what to do instead.
    func reportCutTimeout(
        _ kind: SessionKind, _ info: ServerInfo.Result,
        advice: String =
            "Run the command again if there was no tag, or use 'nfcctl watch' to wait for tags without a limit."
    ) {
        let limit = info.longestSession(kind)
        guard let timeout, timeout > limit else { return }
        Terminal.error(
            "nfcctl: --timeout \(Self.text(timeout)) is cut to \(Self.text(limit)) s, the longest that a session of nfcd lasts. \(advice)"
        )
    }

    private static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
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

extension ServerInfo.Result {
    /// The longest that a session of this kind may request, in seconds: a grant may lengthen the limit of nfcd.
    func longestSession(_ kind: SessionKind) -> Double {
        let format = kind == .ndef ? "NDEF" : "TAG"
        let granted = (entitlements.grants ?? []).filter { $0.formats.contains(format) }.compactMap(\.sessionTimeout)
        return max(limits.sessionTimeout, granted.max() ?? 0)
    }

    /// How long a session of this kind lasts with a requested time limit, in seconds.
    func sessionTime(_ kind: SessionKind, requested: Double?) -> Double {
        min(requested ?? limits.sessionTimeout, longestSession(kind))
    }
}

/// Checks the value of an option for a time: more than 0, at most a day.
func validateSeconds(_ value: Double?, option: String) throws {
    if let value, !(value > 0 && value <= 86_400) {
        throw ValidationError("\(option) must be greater than 0 and at most 86400 seconds")
    }
}
