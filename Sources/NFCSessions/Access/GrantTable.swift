package import NFCTags
import NFCTypes

// Grants as tables of nfcd.toml, for messages that show what to write.

extension Entitlements {
    /// The lines of a `[[grant]]`, without its user.
    package var keys: [String] {
        let lists: [(String, [String])] = [
            ("formats", SessionFormat.allCases.filter(formats.contains).map(\.rawValue)),
            ("capabilities", Capability.allCases.filter(capabilities.contains).map(\.rawValue)),
            ("iso7816-select-identifiers", selectIdentifiers.words(Hexadecimal.string)),
            ("felica-system-codes", systemCodes.words { Hexadecimal.string($0) }),
            ("readers", readers.words { $0 }),
        ]
        let lines = lists.filter { !$0.1.isEmpty }.map { MissingKey.list($0.0, $0.1).description }
        let proof = requiresProof ? ["require = \"proven\""] : []
        return lines + proof + (sessionTimeout.map { ["session-timeout = \($0.components.seconds)"] } ?? [])
    }

    /// Gives raw commands the applications and systems of another sentence, or all where it has none.
    mutating func reach(_ other: Entitlements) {
        selectIdentifiers = other.selectIdentifiers == .some([]) ? .all : other.selectIdentifiers
        systemCodes = other.systemCodes == .some([]) ? .all : other.systemCodes
    }
}

extension Entitlements.Names {
    /// The names as values of a key; `*` means all.
    fileprivate func words(_ text: (Name) -> String) -> [String] {
        switch self {
        case .all: ["*"]
        case .some(let names): names.map(text).sorted()
        }
    }
}

extension Grant {
    /// The built-in grant, as a table of nfcd.toml.
    package static var defaultTable: String { (["[[grant]]"] + byDefault.entitlements.keys).joined(separator: "\n") }
}

extension AccessRules {
    /// What to add to nfcd.toml so that a user may do what was refused, and no other user loses anything.
    package func tables(for refusal: Refusal, to principal: Principal) -> String {
        let subject =
            principal.socket.map { "socket = \($0.quotedForTOML)" } ?? "user = \"\(principal.userID)\""
        let user = ["[[grant]]", subject] + refusal.grant
        // The first grant of a file that is not for a further socket replaces the built-in one.
        let rest =
            grants.contains(.byDefault) && principal.socket == nil
            ? [
                "", "# The built-in grant of every user, which the first grant of the file replaces.",
                Grant.defaultTable,
            ]
            : []
        return (user + rest).joined(separator: "\n")
    }
}

extension AccessPolicy {
    /// The error with the tables that allow what it refuses; an error of another kind as it is.
    package func explained(_ error: TagError, to principal: Principal) -> TagError {
        guard let refusal = error.refusal else { return error }
        let tables = rules.tables(for: refusal, to: principal)
        return TagError(
            error.code, "\(error.detail). To permit it, add this to nfcd.toml and reload nfcd:\n\n\(tables)")
    }
}

extension String {
    /// The text as a basic string of TOML (1.0.0, String).
    var quotedForTOML: String {
        let scalars = unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                "\\u00" + Hexadecimal.string([UInt8(truncatingIfNeeded: scalar.value)])
            default: String(scalar)
            }
        }
        return "\"\(scalars.joined())\""
    }
}
