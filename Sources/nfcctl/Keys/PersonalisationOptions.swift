public import ArgumentParser
import NFCProtocol
public import NFCTypes

/// The options of the commands that set up a tag, or change what was set up.
struct PersonalisationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The profile of nfcd's key file (default: the only one for tags of this product).", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("The UID, 7 bytes in hexadecimal, of a tag that hides it.", valueName: "hex"))
    var uid: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var session: SessionOptions

    /// The length of the UIDs from which keys are derived.
    private static let uidLength = 7

    /// The UID of `--uid`.
    var identifier: [UInt8]? { uid.flatMap { HexBytes(typed: $0)?.bytes } }

    func validate() throws {
        if uid != nil, identifier?.count != Self.uidLength {
            throw ValidationError("--uid requires \(Self.uidLength) bytes in hexadecimal, such as 04:A1:B2:C3:D4:E5:F6")
        }
    }
}

/// The option `--dry-run` of a command that changes a tag.
struct DryRunOption: ParsableArguments {
    @Flag(help: "Ask the tag, print each step, and change nothing.")
    var dryRun = false
}

extension PermanentSetting: ExpressibleByArgument {
    /// The setting of a value of `--permanent`.
    public init?(argument: String) {
        guard let setting = Self.allCases.first(where: { $0.option == argument }) else { return nil }
        self = setting
    }

    /// The values of `--permanent`.
    public static var allValueStrings: [String] { allCases.map(\.option) }

    /// The value of `--permanent`, which a person also types to confirm it.
    var option: String {
        switch self {
        case .randomIdentifier: "random-uid"
        case .tamper: "tamper"
        case .lrp: "lrp"
        case .lockKeys: "lock-keys"
        }
    }

    /// What becomes of the tag, as a sentence.
    var warning: String {
        switch self {
        case .randomIdentifier:
            "It will permanently show a random UID. Write its UID down: it can only be read with the key."
        case .tamper: "It will permanently measure its tamper loop, and report a loop that was opened once."
        case .lrp: "It will permanently use LRP, and programs that only know AES cannot use it."
        case .lockKeys: "Its keys can never be changed again, not even after they became known."
        }
    }
}

/// The options for what a tag keeps permanently.
struct PermanentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also give the tag a setting that it keeps permanently; may be repeated. Needs the capability personalise-permanently.",
            valueName: "setting"))
    var permanent: [PermanentSetting] = []

    @Flag(help: "Do not ask for confirmation of --permanent.")
    var yesPermanently = false

    func validate() throws {
        if yesPermanently, permanent.isEmpty { throw ValidationError("--yes-permanently is for --permanent") }
        if Set(permanent).count < permanent.count { throw ValidationError("--permanent names a setting twice") }
    }

    /// The question before a tag gets the settings; nil without any.
    var confirmation: Confirmation? {
        guard !permanent.isEmpty else { return nil }
        let names = permanent.map(\.option).joined(separator: " ")
        return Confirmation(
            of: "--permanent \(names)", warning: permanent.map(\.warning).joined(separator: "\n"), word: names,
            option: "--yes-permanently")
    }
}
