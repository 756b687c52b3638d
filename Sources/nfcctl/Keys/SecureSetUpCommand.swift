import ArgumentParser
import NFCProtocol
import NFCTypes

/// `nfcctl secure setup`: makes a new tag one of a profile.
struct SecureSetUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up a new tag, so that it proves itself.",
        discussion: """
            Puts the keys and the settings of a profile on a tag as delivered, and verifies it as a reader would. The tag has \
            to rest on the reader, for one or two seconds. If it leaves early, put it back: secure resume finishes it.

            Do this in a place where the radio cannot be recorded: the first keys travel under a key that everyone knows. nfcctl \
            write --each --profile sets up many tags, one after another.

            --permanent gives the tag what cannot be undone, not even by secure reset: random-uid hides the UID, tamper \
            measures the tamper loop, lrp replaces AES by LRP, and lock-keys keeps the keys of a MIFARE \
            Ultralight AES as they are; it is weak until then.

            Examples:
              nfcctl write --uri https://door.example.com/ && nfcctl secure setup
              nfcctl secure setup --profile front-door --dry-run
              nfcctl secure setup --profile web --overwrite --require-signature
              nfcctl secure setup --profile seal --permanent tamper
            """)

    @Flag(help: "Replace a message that is on the tag.")
    var overwrite = false

    @Flag(help: "Refuse a tag without the right signature of its maker.")
    var requireSignature = false

    @Option(
        help: ArgumentHelp(
            "What the protected file of a DESFire says of its holder, at most 23 bytes (default: what it says, or the UID).",
            valueName: "hex"))
    var credential: String?

    @Flag(help: "Leave the master key of a DESFire card alone; that of a card with other applications always is.")
    var keepCardKey = false

    @OptionGroup var permanent: PermanentOptions
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var options: PersonalisationOptions

    /// The most bytes of `--credential`.
    private static let longestCredential = 23

    func validate() throws {
        if let credential, !(1...Self.longestCredential ~= HexBytes(typed: credential)?.bytes.count ?? 0) {
            throw ValidationError("--credential requires 1 to \(Self.longestCredential) bytes in hexadecimal")
        }
        guard !dryRun.dryRun else { return }
        try permanent.confirmation?.validate(isGiven: permanent.yesPermanently)
    }

    func run() async throws {
        let run = PersonalisationRun(
            task: .setUp, options: options, isDryRun: dryRun.dryRun, permanent: permanent.permanent,
            overwritesMessage: overwrite, requiresSignature: requireSignature,
            credential: credential.flatMap { HexBytes(typed: $0)?.bytes }, keepsCardKey: keepCardKey)
        try await run.run(confirmation: permanent.yesPermanently ? nil : permanent.confirmation)
    }
}
