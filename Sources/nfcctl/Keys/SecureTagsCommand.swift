import ArgumentParser

/// `nfcctl secure`: tags that prove themselves.
struct SecureTagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure",
        abstract: "Set up and verify tags that prove themselves.",
        discussion: """
            A tag on a reader proves itself by the profiles of nfcd's key file, and scan, watch and taps show the result. The \
            commands here make tags of a profile, change their keys and undo that; check needs neither nfcd nor a reader.

            nfcd has the keys, and none is in a command or its output. It stores what it is about to do before it changes the \
            first key, so a tag that leaves early is not lost: secure resume finishes it.

            Examples:
              nfcctl secure status
              nfcctl secure setup --profile front-door --dry-run
              nfcctl secure setup --profile front-door
              nfcctl write --each --profile front-door --count 100 --report cards.csv
              nfcctl secure resume
              nfcctl secure check --counters door.counters 'https://ex.am/?p=…&c=…'
            """,
        subcommands: [
            SecureSetUpCommand.self, SecureStatusCommand.self, SecureVerifyCommand.self, SecureRotateCommand.self,
            SecureResetCommand.self, SecureResumeCommand.self, SecureCheckCommand.self,
        ])
}
