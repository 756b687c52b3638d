import ArgumentParser
import CommandSupport
import NFCProtocol
import NFCTypes

/// The command-line client of nfcd.
@main
struct NFCCTL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcctl",
        abstract: "Reads and writes NFC tags through nfcd.",
        discussion: """
            Examples:
              nfcctl demo                        show a first tag, without a reader
              nfcctl scan                        read tags until Ctrl-C or a time limit
              nfcctl scan --json --count 1       print one tag as a line of JSON
              nfcctl watch --exec 'echo $NFC_URI'
                                                 run a command for each tap, endlessly
              nfcctl read                        read the message on the next tag
              nfcctl write --uri https://a.b     write a message to the next tag
              nfcctl write --each --uri 'https://a.b/{n:05}' --count 100 --report tags.csv
                                                 write a hundred tags, one after another
              nfcctl copy --count 5              copy the message of a tag to five others
              nfcctl info                        identify the next tag
              nfcctl password set --new-password-file door.key
                                                 protect the next tag with a password
              nfcctl dump --output card.nfc      save the memory of the next tag to a file
              nfcctl readers                     list the readers
              nfcctl monitor                     monitor readers, sessions and taps
              nfcctl sessions                    list the sessions; cancel ends one
              nfcctl taps list                   list the taps of the journal
              nfcctl keys generate door          add a key with which tags prove themselves
              nfcctl secure check URL            verify the URL of a tag without a reader
              nfcctl spool show                  show the tag of a spool for 3D printers
              nfcctl relay status                show the deliveries of nfcd-relay
              nfcctl desktop status              show what nfcd-desktop can do here
              nfcctl doctor                      show why NFC does not work
              nfcctl support --output report.tar collect what a bug report needs
              nfcctl record --output tag.jsonl   record the exchanges with tags
              nfcctl metrics                     print the metrics of nfcd
              nfcctl ndef decode D1010C5504…     decode a message in hexadecimal
              nfcctl ndef encode --text Hello    encode a message
              nfcctl virtual-tag ntag215 --uri https://example.com
                                                 present a virtual tag to a reader
              nfcctl simulator                   simulate readers for your programs

            Exit codes: 0 done, 64 usage error, 65 invalid data, 66 a file cannot be read, 69 no daemon or no reader, \
            73 a socket or a file cannot be made, 74 tag lost or tag error, or the output could not be written, 75 busy, timed out or \
            cancelled, 77 not permitted, 78 invalid configuration, or the journal is not enabled.
            """,
        version: NFCDVersion.full,
        subcommands: [
            ScanCommand.self, WatchCommand.self, ReadCommand.self, WriteCommand.self, CopyCommand.self,
            RestoreCommand.self,
            EraseCommand.self, FormatCommand.self, LockCommand.self, PasswordCommand.self, ConfigCommand.self,
            InfoCommand.self, DumpCommand.self, APDUCommand.self,
            TransceiveCommand.self, ReadersCommand.self, MonitorCommand.self, SessionsCommand.self, CancelCommand.self,
            MetricsCommand.self, TapsCommand.self, KeysCommand.self, SecureTagsCommand.self,
            SpoolCommand.self, RelayCommand.self, DesktopCommand.self,
            DoctorCommand.self, SupportCommand.self, RecordCommand.self, VirtualTagCommand.self,
            NDEFCommand.self, DemoCommand.self, SimulatorCommand.self,
        ])

    /// Runs the command of the arguments. A usage error is printed with what was probably meant.
    static func main() async {
        ProgramStart.prepare("nfcctl")
        do {
            try await ConnectionWatch.shared.guarding { try await runParsed() }
        } catch {
            let code = exitCode(for: error)
            let arguments = Array(CommandLine.arguments.dropFirst())
            if !(error is ExitCode), code == .validationFailure,
                let refusal = SpoolGrams.refusal(ofNegative: arguments)
            {
                Terminal.error("Error: \(refusal.printable)")
                exit(withError: code)
            }
            guard !(error is ExitCode), code == .validationFailure,
                let suggestion = UsageSuggestion(arguments).text
            else { finish(with: error) }
            Terminal.error(fullMessage(for: error))
            Terminal.error("Did you mean '\(suggestion.printable)'?")
            exit(withError: code)
        }
    }
}

/// What was probably meant by arguments that are not valid.
struct UsageSuggestion {
    /// The command or option, as it is to be written; nil if nothing is similar.
    let text: String?

    init(_ arguments: [String]) {
        var command: any ParsableCommand.Type = NFCCTL.self
        var path = "nfcctl"
        var rest = arguments[...]
        while let name = rest.first, let next = Self.subcommand(name, of: command) {
            command = next
            path += " \(name)"
            rest = rest.dropFirst()
        }
        let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        if let word = rest.first, !word.hasPrefix("-"), let name = word.nearest(among: names) {
            text = "\(path) \(name)"
            return
        }
        let help = NFCCTL.helpMessage(for: command, columns: 200)
        let options = Set(help.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.output) })
        text = Self.option(for: rest.prefix { $0 != "--" }, among: options).map { "\(path) \($0)" }
    }

    private static func subcommand(
        _ name: String, of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0.configuration.commandName == name }
    }

    /// The option that is similar to the first unknown one, or that takes a URI that is given without an option.
    private static func option(for arguments: ArraySlice<String>, among known: Set<String>) -> String? {
        var previous = ""
        for argument in arguments {
            let name = String(argument.prefix { $0 != "=" })
            if name.hasPrefix("--"), !known.contains(name), let option = name.nearest(among: known.sorted()) {
                return option
            }
            if !previous.hasPrefix("--"), argument.contains("://"), known.contains("--uri") {
                return "--uri \(argument)"
            }
            previous = argument
        }
        return nil
    }
}
