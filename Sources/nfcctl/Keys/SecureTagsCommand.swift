import ArgumentParser

/// `nfcctl secure`: tags that prove themselves.
struct SecureTagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure",
        abstract: "Verify tags that prove themselves.",
        discussion: """
            A tag on a reader proves itself by the profiles of nfcd's key file, and scan, watch and taps show the result. The \
            commands here work without a reader.

            Examples:
              nfcctl secure check --counters door.counters 'https://ex.am/?p=…&c=…'
            """,
        subcommands: [SecureCheckCommand.self])
}
