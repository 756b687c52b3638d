import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl secure status`: shows how far a tag is one of a profile.
struct SecureStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far a tag is set up.",
        discussion: """
            Reads the versions of the keys and the signature of the maker. Nothing is changed or counted, and no key is tried, so \
            the result is what the tag claims: secure verify asks for a proof. state is one of

              delivered    as new: secure setup is next
              current      set up, with the current keys
              outdated     set up, with earlier keys: secure rotate is next
              interrupted  begun and not finished: secure resume is next
              foreign      other keys or settings, or fewer keys than its UID has

            Examples:
              nfcctl secure status
              nfcctl secure status --profile web --json | jq -r .state
            """)

    @OptionGroup var options: PersonalisationOptions

    func run() async throws {
        let options = options
        let requirements = [TagQueryPersonalisation.requirement]
        let operation = TagOperation(session: options.session, json: options.json, requires: requirements)
        try await operation.run { tag in
            let found = try await tag.queryPersonalisation(profile: options.profile, identifier: options.identifier)
            guard !options.json else {
                return Terminal.print(json: TagEvent(event: "personalisation", tag: tag.facts, extra: found))
            }
            Terminal.print(tag.summary)
            for line in TextTable(rows: Self.rows(found)).lines() { Terminal.print("  \(line)") }
            for remark in found.remarks { Terminal.print(remark.printable.sentence) }
            if let next = found.state.next { Terminal.print(next) }
        }
    }

    /// The names and values of everything.
    static func rows(_ found: TagQueryPersonalisation.Result) -> [[String]] {
        let facts = PersonalisationFacts(
            identifier: found.identifier, profile: found.profile, signature: found.signature)
        let task = found.interrupted.map { " (\($0.rawValue))" } ?? ""
        var rows = facts.rows + [["state", found.state.rawValue + task], ["keys", found.keyVersions.keyText]]
        if found.keyVersions != found.currentKeyVersions {
            rows.append(["current keys", found.currentKeyVersions.keyText])
        }
        return rows
    }
}

extension PersonalisationState {
    /// What to do next.
    fileprivate var next: String? {
        switch self {
        case .delivered: "Set it up: nfcctl secure setup"
        case .current: nil
        case .outdated: "Give it the current keys: nfcctl secure rotate"
        case .interrupted: "Finish it: nfcctl secure resume"
        case .foreign: "It does not have the keys or settings of this profile, and stays unchanged."
        }
    }
}
