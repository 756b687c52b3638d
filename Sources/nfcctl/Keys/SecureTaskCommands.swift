import ArgumentParser
import NFCProtocol
import NFCTypes

/// `nfcctl secure verify`: checks a tag of a profile.
struct SecureVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a tag that was set up.",
        discussion: """
            Asks the tag for a proof of its key 0, and compares the versions of its keys, its settings and its message with \
            the profile. Nothing is changed; a message with a counter counts once. A tag that is not as the profile wants it \
            is an error.

            Examples:
              nfcctl secure verify
              nfcctl secure verify --profile web --json
            """)

    @OptionGroup var options: PersonalisationOptions

    func run() async throws { try await PersonalisationRun(task: .verify, options: options).run() }
}

/// `nfcctl secure rotate`: gives a tag the current versions of its keys.
struct SecureRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give a tag the current versions of its keys.",
        discussion: """
            After nfcctl keys rotate, a tag has the version before, which is still accepted. This gives it the current one. \
            The tag has to rest on the reader; secure resume finishes one that leaves early.

            Examples:
              nfcctl secure rotate
              nfcctl secure rotate --profile front-door --dry-run
            """)

    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var options: PersonalisationOptions

    func run() async throws {
        try await PersonalisationRun(task: .rotate, options: options, isDryRun: dryRun.dryRun).run()
    }
}

/// `nfcctl secure reset`: makes a tag as delivered.
struct SecureResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Make a tag that was set up as delivered again.",
        discussion: """
            Gives the tag the keys and the settings that it had when it was new, and removes its message. From then on it proves \
            nothing, and everyone can set it up. What it got with --permanent stays. It shows the tag and asks for \
            confirmation, unless --yes is given.

            nfcd refuses a tag with keys as delivered if it gave other keys to a tag with this UID: this one may imitate that \
            tag, to get its keys with the next set-up. If it is the same tag, and was reset elsewhere, --forget has nfcd \
            forget these keys.

            Examples:
              nfcctl secure reset
              nfcctl secure reset --forget
              nfcctl secure reset --profile front-door --dry-run
              nfcctl secure reset --yes
            """)

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Also forget the keys that nfcd gave to a tag with this UID. Only for a tag that was reset elsewhere.")
    var forget = false

    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var options: PersonalisationOptions

    func validate() throws {
        if !dryRun.dryRun { try confirmation.validate(isGiven: yes) }
    }

    func run() async throws {
        try await PersonalisationRun(
            task: .reset, options: options, isDryRun: dryRun.dryRun, forgetsRecord: forget
        ).run(confirmation: yes ? nil : confirmation)
    }

    private var confirmation: Confirmation {
        let loss = "It will lose its keys and its message, and prove nothing."
        let imitation =
            " nfcd will forget the keys that it gave to a tag with this UID: if this is an imitation, the next set-up writes them to it."
        return Confirmation(
            of: "resetting a tag", warning: loss + (forget ? imitation : ""), word: forget ? "forget" : "reset")
    }
}

/// `nfcctl secure resume`: finishes what was interrupted with a tag.
struct SecureResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Finish a tag that left early.",
        discussion: """
            Finishes a set-up, a change of keys or a reset that was interrupted, by what nfcd has stored and by the versions of the \
            keys that the tag shows. No key is guessed. Where nothing was interrupted, nothing is changed: of a complete tag this is \
            printed, and the exit status is 0; of any other tag it is an error.

            Examples:
              nfcctl secure resume
              nfcctl secure resume --dry-run
              nfcctl secure resume --uid 04A1B2C3D4E5F6
            """)

    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var options: PersonalisationOptions

    func run() async throws {
        try await PersonalisationRun(task: .resume, options: options, isDryRun: dryRun.dryRun).run()
    }
}
