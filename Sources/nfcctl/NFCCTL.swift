import ArgumentParser
import NFCProtocol

/// The command line of nfcd.
@main
struct NFCCTL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nfcctl",
        abstract: "Reads and writes NFC tags through nfcd.",
        discussion: """
            Examples:
              nfcctl scan                        read tags by hand, until Ctrl-C or the session's end
              nfcctl scan --json --count 1       one tag as a line of JSON
              nfcctl read                        the message on the next tag
              nfcctl write --uri https://a.b     a message to the next tag
              nfcctl info                        what the next tag is
              nfcctl dump --output card.nfc      its whole memory, to a file
              nfcctl readers                     what is plugged in
              nfcctl monitor                     readers, sessions and taps as they come
              nfcctl sessions                    who holds readers; cancel ends a session
              nfcctl doctor                      what keeps NFC from working, and what mends it
              nfcctl metrics                     what nfcd has counted
              nfcctl ndef decode D1010C5504…     what a message in hexadecimal says
              nfcctl ndef encode --text Hello    the bytes of a message
              nfcctl virtual-tag ntag215 --uri https://example.com
                                                 a tag without a tag, on a simulated reader or through vpcd

            Exit codes: 0 done, 64 usage, 65 bad data, 66 a file cannot be read, 69 no daemon or no reader, 74 tag lost or tag error, \
            75 busy or timed out, 77 not permitted, 78 doctor: nfcd's configuration is wrong.
            """,
        version: NFCDVersion.release,
        subcommands: [
            ScanCommand.self, ReadCommand.self, WriteCommand.self, EraseCommand.self, FormatCommand.self,
            LockCommand.self, InfoCommand.self, DumpCommand.self, APDUCommand.self, TransceiveCommand.self,
            ReadersCommand.self, MonitorCommand.self, SessionsCommand.self, CancelCommand.self, MetricsCommand.self,
            DoctorCommand.self, VirtualTagCommand.self, NDEFCommand.self,
        ])
}
