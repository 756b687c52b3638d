import ArgumentParser

/// `nfcctl ndef`: messages without a tag.
struct NDEFCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ndef",
        abstract: "Look into NDEF messages, and make them; needs neither daemon nor reader.",
        subcommands: [NDEFDecodeCommand.self, NDEFEncodeCommand.self])
}
