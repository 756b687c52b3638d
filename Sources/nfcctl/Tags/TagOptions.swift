import ArgumentParser
import NFCProtocol

/// The options of every command that wants one tag.
struct TagOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this reader, by id or name; may be repeated.", valueName: "reader"))
    var reader: [String] = []

    @Option(
        help: ArgumentHelp("Wait this long for a tag (default: the daemon's limit).", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Wait for a reader, and for one's turn, instead of failing.")
    var wait = false

    @Flag(help: "One line of JSON.")
    var json = false

    @OptionGroup var password: TagPassword
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout takes more than 0 and at most 86400 seconds")
        }
    }

    /// The session that is asked for.
    func request(_ kind: SessionBegin.Kind) -> SessionBegin.Parameters {
        SessionBegin.Parameters(
            kind: kind, detection: kind == .ndef ? .tags : nil, readers: reader.isEmpty ? nil : reader,
            whenBusy: wait ? .queue : .fail, waitForReader: wait, timeout: timeout)
    }
}
