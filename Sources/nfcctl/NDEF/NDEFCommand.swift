import ArgumentParser

/// `nfcctl ndef`: messages without a tag.
struct NDEFCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ndef",
        abstract: "Look into NDEF messages, and make them; needs neither daemon nor reader.",
        discussion: """
            Examples:
              nfcctl ndef decode D1010C55046578616D706C652E636F6D
              nfcctl ndef encode --uri https://example.com --text Hello
            """,
        subcommands: [NDEFDecodeCommand.self, NDEFEncodeCommand.self])
}
