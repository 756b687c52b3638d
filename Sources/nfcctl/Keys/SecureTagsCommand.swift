import ArgumentParser

/// `nfcctl secure`: tags that prove themselves.
struct SecureTagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure",
        abstract: "Set up and verify tags that prove themselves.",
        subcommands: [SecureCheckCommand.self])
}
