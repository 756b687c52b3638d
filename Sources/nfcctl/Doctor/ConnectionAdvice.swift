import NFCProtocol

/// How to start nfcd here.
struct StartAdvice: Sendable {
    /// Starts it on the readers that are plugged in.
    let command: String
    /// Starts it without a reader, for trying it out, and tells nfcctl where it is.
    let trial: [String]

    /// - Parameters:
    ///   - path: where the client looks.
    ///   - units: systemd's units that are installed.
    init(path: String, _ units: Set<String>, isBooted: Bool, isRoot: Bool) {
        let sudo = isRoot ? "" : "sudo "
        let isSystem = path == SocketPath.system
        let unit = ["nfcd.socket", "nfcd.service"].first { units.contains($0) }
        if isSystem, isBooted, let unit {
            command = "\(sudo)systemctl enable --now \(unit)"
        } else {
            command = isSystem ? "\(sudo)nfcd" : "nfcd --socket \(path.shellWord)"
        }
        let place = isSystem ? "/tmp/nfcd.sock" : path.shellWord
        trial = ["nfcd --simulator 1 --socket \(place) &", "export NFCD_SOCKET=\(place)"]
    }

    /// The machine this runs on.
    static func here(path: String) -> StartAdvice {
        let units = ServiceUnits.files(MachineFiles())
        return StartAdvice(
            path: path, units, isBooted: ServiceUnits.isBooted(MachineFiles()), isRoot: Host.userIsRoot)
    }

    /// A few lines for people.
    var words: String {
        """
        Start it: \(command)
        Or try it without a reader: \(trial.joined(separator: " "))
        'nfcctl doctor' looks for what is wrong.
        """
    }
}

extension String {
    /// The text as one word of a shell.
    var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.plain.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
    }

    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:,@%".utf8)
}

/// Whether this user may open nfcd's socket, and why not.
struct SocketAccess: Sendable {
    enum Hindrance: Sendable, Equatable {
        /// The account is not in the group.
        case notMember(group: String, user: String)
        /// The account is in the group, the login is older than that.
        case oldLogin(group: String, user: String)
        /// The socket belongs to a group that nobody but the system is in.
        case wrongGroup(String)
        /// The mode lets no group in.
        case mode(UInt32)
        /// There is nothing to be seen from here, as where a folder above is closed.
        case unseen
    }

    let path: String
    let facts: FileFacts?
    /// The group of the socket.
    let group: String
    /// Nil where nothing is in the way.
    let hindrance: Hindrance?

    /// The group that sockets are meant to belong to.
    static let wanted = "nfc"

    /// Makes nfcd listen anew.
    let restart: String

    init(path: String, _ tree: any SystemTree, _ host: Host, _ accounts: Accounts) {
        self.path = path
        restart =
            ServiceUnits.isBooted(tree)
            ? "systemctl restart nfcd.socket nfcd.service" : "sh -c 'pkill -x nfcd; nfcd'"
        facts = tree.facts(path)
        group = facts.map { accounts.group($0.group)?.name ?? "\($0.group)" } ?? ""
        if let facts { hindrance = Self.hindrance(facts, group, host, accounts) } else { hindrance = .unseen }
    }

    /// The three classes of permission exclude each other: the first that fits counts (path_resolution(7)).
    private static func hindrance(
        _ facts: FileFacts, _ group: String, _ host: Host, _ accounts: Accounts
    ) -> Hindrance? {
        let readWrite: UInt32 = 0o6
        if host.isRoot || facts.user == host.user && facts.mode >> 6 & readWrite == readWrite { return nil }
        let isMember = host.groups.contains(facts.group)
        if facts.mode & readWrite == readWrite, !isMember { return nil }
        guard facts.mode >> 3 & readWrite == readWrite else { return .mode(facts.mode) }
        if isMember { return nil }
        let user = accounts.user(host.user)?.name ?? "\(host.user)"
        if accounts.isMember(host.user, of: facts.group) { return .oldLogin(group: group, user: user) }
        return facts.group == 0 ? .wrongGroup(group) : .notMember(group: group, user: user)
    }

    /// The machine this runs on.
    static func here(path: String) -> SocketAccess {
        SocketAccess(path: path, MachineFiles(), .machine, Accounts(MachineFiles()))
    }

    /// What to do, for people.
    var words: String {
        let mend = advice.map { "\($0.sentence)\n\($0.mend.joined(separator: "\n"))\n" } ?? ""
        return "\(mend)'nfcctl doctor' explains more."
    }

    /// The commands, of root's, that make the group.
    var makeGroup: [String] { ["groupadd --system --force \(Self.wanted)", restart] }

    /// Mode and group for people: `mode 0660, group nfc`.
    var modeWords: String {
        guard let facts else { return "not there" }
        let digits = String(facts.mode, radix: 8)
        return "mode \(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits), group \(group)"
    }

    /// Why this user may not open it, in one sentence, and the commands that mend it.
    var advice: (sentence: String, mend: [String])? {
        switch hindrance {
        case .notMember(let group, let user):
            (
                "It is for the group \(group), and \(user) is not in it; join it and log in again.",
                ["sudo usermod -aG \(group.shellWord) \(user.shellWord)"]
            )
        case .oldLogin(let group, let user):
            (
                "\(user) is in the group \(group), but this login is older: log out and in again, or take the group for one "
                    + "shell.",
                ["newgrp \(group.shellWord)"]
            )
        case .wrongGroup(let group):
            (
                "It belongs to the group \(group); nfcd gives it to the group \(Self.wanted) where there is one.",
                makeGroup.map { "sudo \($0)" }
            )
        case .mode:
            ("Its mode lets no group in; 0660 is right.", ["sudo \(restart)"])
        case .unseen: ("A folder above it is closed to this user.", ["namei -l \(path.shellWord)"])
        case nil: nil
        }
    }
}
