import ArgumentParser
import NFCProtocol

/// The command-line client of nfcd.
@main
struct NFCCTL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcctl",
        abstract: "Reads and writes NFC tags through nfcd.",
        discussion: """
            Examples:
              nfcctl scan                        read tags until Ctrl-C or the end of the session
              nfcctl scan --json --count 1       print one tag as a line of JSON
              nfcctl watch --exec 'echo $NFC_URI'
                                                 run a command for each tap, endlessly
              nfcctl read                        read the message on the next tag
              nfcctl write --uri https://a.b     write a message to the next tag
              nfcctl info                        identify the next tag
              nfcctl dump --output card.nfc      save the memory of the next tag to a file
              nfcctl readers                     list the readers
              nfcctl monitor                     monitor readers, sessions and taps
              nfcctl sessions                    list the sessions; cancel ends one
              nfcctl taps list                   list the taps of the journal; follow, export and others
              nfcctl relay status                show the deliveries of nfcd-relay
              nfcctl doctor                      find out why NFC does not work, and how to fix it
              nfcctl metrics                     print the metrics of nfcd
              nfcctl ndef decode D1010C5504…     decode a message in hexadecimal
              nfcctl ndef encode --text Hello    encode a message
              nfcctl virtual-tag ntag215 --uri https://example.com
                                                 present a virtual tag to a reader

            Exit codes: 0 done, 64 usage error, 65 invalid data, 66 a file cannot be read, 69 no daemon or no reader, \
            74 tag lost or tag error, 75 busy, timed out or \
            cancelled, 77 not permitted, 78 invalid configuration, or the journal is not enabled.
            """,
        version: NFCDVersion.release,
        subcommands: [
            ScanCommand.self, WatchCommand.self, ReadCommand.self, WriteCommand.self, EraseCommand.self,
            FormatCommand.self, LockCommand.self, InfoCommand.self, DumpCommand.self, APDUCommand.self,
            TransceiveCommand.self, ReadersCommand.self, MonitorCommand.self, SessionsCommand.self, CancelCommand.self,
            MetricsCommand.self, TapsCommand.self, RelayCommand.self, DoctorCommand.self, VirtualTagCommand.self,
            NDEFCommand.self,
        ])
}
