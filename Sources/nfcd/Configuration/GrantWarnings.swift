import NFCSessions
import NFCTypes

extension Configuration {
    /// What a person may not expect of the grants of a file, each with what to write; they are valid nevertheless.
    var grantWarnings: [String] {
        let useless = grants.enumerated().flatMap { index, grant in
            grant.entitlements.faults.map { "grant \(index + 1) (\(grant.label)) \($0)" }
        }
        return useless + [lossOfDefault].compactMap(\.self)
    }

    /// What does not fit the further sockets that the service manager passed.
    func warnings(ofFurtherSockets names: [String]) -> [String] {
        let granted = Set(grants.compactMap(\.socket))
        let (known, configured) = (Set(names), Set(sockets.map(\.name)))
        let unused = granted.union(configured).subtracting(known).sorted().map { name in
            "nfcd.toml names the socket \"\(name)\", which the service manager did not pass; "
                + "run systemctl enable nfcd@\(name).socket, then restart nfcd"
        }
        let useless = known.subtracting(granted).subtracting(sockets.filter(\.trustsRoot).map(\.name)).sorted().map {
            name in
            "no grant has socket = \"\(name)\", so the clients of that socket may do nothing"
        }
        return unused + useless
    }

    /// The first grant of a file replaces the built-in one, also for users that the file does not name.
    private var lossOfDefault: String? {
        let grants = grants.filter { $0.socket == nil }
        let isBuiltIn = grants.isEmpty && !self.grants.isEmpty
        guard !isBuiltIn, !grants.contains(where: { $0.isForAll && $0.entitlements.faults.isEmpty }) else { return nil }
        let subjects = grants.map(\.subject.label).reduce(into: [String]()) { list, subject in
            if !list.contains(subject) { list.append(subject) }
        }
        return """
            the grants of this file replace the built-in grant of every user: it permits nothing to others than \
            \(subjects.joined(separator: ", ")). If others are to keep what they had, add this grant:
            \(Grant.defaultTable)
            """
    }
}

extension Grant {
    /// Its subject and its socket as a message names them.
    fileprivate var label: String { subject.label + (socket.map { " of socket \"\($0)\"" } ?? "") }

    /// The group whose members may open the socket.
    private static let socketGroup = "nfc"

    /// Whether it applies to every user who can connect.
    fileprivate var isForAll: Bool {
        subject == .everyone || Accounts.groupID(Self.socketGroup).map { subject == .group($0) } == true
    }
}

extension Grant.Subject {
    /// The subject as a message names it.
    fileprivate var label: String {
        switch self {
        case .user(let id): "user \(id)"
        case .group(let id): "group \(id)"
        case .everyone: "every user"
        }
    }
}

extension Entitlements {
    /// What makes all or some of a grant without effect, as the rest of a sentence.
    fileprivate var faults: [String] {
        if formats.isEmpty, capabilities.isEmpty {
            return [#"permits nothing: add formats = ["NDEF"] and capabilities = ["read"], for example"#]
        }
        let forTags = capabilities.subtracting([.monitor, .manage, .simulate])
        if readers == .some([]), !formats.isEmpty || !forTags.isEmpty {
            let rest = forTags.count == capabilities.count ? "permits nothing" : "permits nothing about tags"
            return [#"\#(rest): it has no readers; add readers = ["*"]"#]
        }
        return [
            capabilities.contains(.background) && !capabilities.contains(.read)
                ? #"permits no background reading: "background" needs "read" in the same grant"# : nil,
            capabilities.contains(.rawUnscreened) && !capabilities.contains(.raw)
                ? #"permits no unscreened commands: "raw-unscreened" needs "raw" in the same grant"# : nil,
            capabilities.contains(.personalisePermanently) && !capabilities.contains(.personalise)
                ? #"permits no permanent settings: "personalise-permanently" needs "personalise" in the same grant"#
                : nil,
        ].compactMap(\.self)
    }
}
