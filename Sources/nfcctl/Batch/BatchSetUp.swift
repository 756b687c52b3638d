import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// The options of a batch that sets up its tags.
struct BatchSetUpOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Set up each tag by this profile of nfcd's key file, so that it proves itself.", valueName: "name"))
    var profile: String?

    @Flag(help: "With --profile, refuse tags without the right signature of their maker.")
    var requireSignature = false

    func validate() throws {
        if requireSignature, profile == nil { throw ValidationError("--require-signature is for --profile") }
    }

    /// What is done with each tag; nil without a profile.
    func setUp(overwritesMessage: Bool) -> BatchSetUp? {
        profile.map {
            BatchSetUp(profile: $0, requiresSignature: requireSignature, overwritesMessage: overwritesMessage)
        }
    }
}

/// Makes each tag of a batch one of a profile.
struct BatchSetUp: Sendable {
    let profile: String
    let requiresSignature: Bool
    let overwritesMessage: Bool

    /// What was done with a tag.
    enum Result: String, Encodable, Sendable {
        case setUp = "set up"
        /// It left early before.
        case resumed
        /// It was set up before, and has proven it.
        case verified
    }

    /// Why a tag stays as it is.
    enum Refusal: String, Sendable {
        case foreign, outdated, resetInterrupted

        /// Nil for a tag that can become one of the profile, or of which only the attempt shows it.
        init?(_ found: TagQueryPersonalisation.Result) {
            switch found.state {
            case .foreign: self = .foreign
            case .outdated: self = .outdated
            case .interrupted where found.interrupted == .reset: self = .resetInterrupted
            case .delivered, .current, .interrupted: return nil
            }
        }

        var sentence: String {
            switch self {
            case .foreign:
                "it does not have the keys or settings of this profile (see nfcctl secure status). Hold another tag to the reader."
            case .outdated: "it has earlier keys of this profile. Change them with nfcctl secure rotate."
            case .resetInterrupted: "its reset was interrupted. Finish that with nfcctl secure resume."
            }
        }
    }

    /// A tag that was set up.
    struct Made: Sendable {
        let profile: String
        let result: Result
        let keyVersions: [Int]
        let signature: MakerSignature

        /// The values for the report, by column.
        var columns: [String: String] {
            Dictionary(
                uniqueKeysWithValues: zip(
                    BatchSetUp.columns,
                    [profile, result.rawValue, keyVersions.map(String.init).joined(separator: " "), signature.rawValue]
                ))
        }

        /// The values in one line.
        var text: String {
            "\(result.rawValue) (\(profile.escaped)), keys \(keyVersions.keyText), signature \(signature.rawValue)"
        }
    }

    /// The columns of the report.
    static let columns = ["profile", "result", "key-versions", "signature"]

    /// Returns how far a tag is one of the profile.
    func query(_ tag: RemoteTag) async throws -> TagQueryPersonalisation.Result {
        try await tag.queryPersonalisation(profile: profile)
    }

    /// Sets up a tag, or finishes that, or verifies a tag that is set up.
    ///
    /// - Parameter state: how far the tag is.
    func run(on tag: RemoteTag, from state: PersonalisationState) async throws -> Made {
        let (task, result): (PersonalisationTask, Result) =
            switch state {
            case .interrupted: (.resume, .resumed)
            case .current: (.verify, .verified)
            case .delivered, .outdated, .foreign: (.setUp, .setUp)
            }
        let steps = PersonalisationSteps()
        let made = try await ConnectionWatch.shared.changingTag(ifEnded: { steps.note }) {
            defer { Terminal.clearStatus() }
            return try await tag.personalise(
                task, profile: profile, overwriteMessage: overwritesMessage ? true : nil,
                requireSignature: requiresSignature ? true : nil
            ) { steps.began($0, of: $1, task.activity) }
        }
        return Made(profile: made.profile, result: result, keyVersions: made.keyVersions, signature: made.signature)
    }

    /// Whether a tag is between two states after an error.
    func isUnfinished(_ tag: RemoteTag, after error: NFCClientError) async -> Bool {
        // What cannot be asked any more may be unfinished.
        if error.nfcCode == .tagConnectionLost { return true }
        return (try? await query(tag).state) == .interrupted
    }
}
