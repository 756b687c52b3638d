import NFCProtocol

/// Which nfcd a socket belongs to: each is started and restarted in its own way.
enum DaemonInstance: Sendable {
    /// The system service.
    case system
    /// The service of the user.
    case user
    /// An nfcd that was started with its own socket.
    case manual

    init(path: String, environment: [String: String]) {
        switch path {
        case SocketPath.system: self = .system
        case SocketPath.user(environment): self = .user
        default: self = .manual
        }
    }
}

/// How to start nfcd on this machine.
struct StartInstructions: Sendable {
    /// Starts nfcd with the readers that are plugged in.
    let command: String
    /// Simulates a reader, and sets the environment so that nfcctl finds it.
    let simulatorCommands: [String]
    /// The same beside an nfcd that has the socket.
    let simulatorCommandsBesideDaemon: [String]

    /// - Parameters:
    ///   - path: the socket that the client tried.
    ///   - units: the installed units of the instance's service manager.
    init(path: String, _ instance: DaemonInstance, _ units: Set<String>, isBooted: Bool, isRoot: Bool) {
        let unit = isBooted ? ["nfcd.socket", "nfcd.service"].first { units.contains($0) } : nil
        let sudo = isRoot ? "" : "sudo "
        command =
            switch (instance, unit) {
            case (.system, let unit?): "\(sudo)systemctl enable --now \(unit)"
            case (.user, let unit?): "systemctl --user enable --now \(unit)"
            case (.system, nil): "\(sudo)nfcd"
            default: "nfcd --socket \(path.shellQuoted)"
            }
        let socket = instance == .system ? Self.simulatorSocket : path.shellQuoted
        simulatorCommands = Self.simulator(socket)
        simulatorCommandsBesideDaemon = Self.simulator(
            path == Self.simulatorSocket ? "/tmp/nfcd.sock.2" : Self.simulatorSocket)
    }

    /// Where simulated readers are found, unless another socket is named.
    static let simulatorSocket = "/tmp/nfcd.sock"

    private static func simulator(_ socket: String) -> [String] {
        ["nfcctl simulator --socket \(socket) &", "export NFCD_SOCKET=\(socket)"]
    }

    init(path: String, _ files: any SystemFiles, _ host: Host) {
        let instance = DaemonInstance(path: path, environment: host.environment)
        self.init(
            path: path, instance, ServiceUnits.files(files, ofUser: instance == .user),
            isBooted: ServiceUnits.isBooted(files), isRoot: host.isRoot)
    }

    /// The instructions for this machine.
    static func forThisMachine(path: String) -> StartInstructions {
        var instructions = StartInstructions(path: path, MachineFiles(), .machine)
        instructions.obstacle = Container.advice(for: path, isRefused: false)
        return instructions
    }

    /// What keeps a client in a container from the nfcd outside, with what to do there; nil on a machine.
    private var obstacle: String?

    /// The instructions as text.
    var text: String {
        """
        \(obstacle ?? "Start it: \(command)")
        Or try it without a reader: \(simulatorCommands.joined(separator: " "))
        Run 'nfcctl doctor' to see what is wrong.
        """
    }
}

/// Whether the current user may open nfcd's socket, and if not, why.
struct SocketAccess: Sendable {
    /// The reason why the user may not open the socket.
    enum Denial: Sendable, Equatable {
        /// The account is not a member of the group.
        case notMember(group: String, user: String)
        /// The account is a member of the group, but logged in before it became one.
        case outdatedLogin(group: String, user: String)
        /// The socket belongs to root's group, which has no ordinary members.
        case wrongGroup(String)
        /// The mode grants the group no access.
        case mode(UInt32)
        /// The socket cannot be examined, for example because a parent directory is closed to the user.
        case inaccessible
    }

    /// The group that the socket should belong to.
    static let expectedGroup = "nfc"

    let path: String
    let attributes: FileAttributes?
    /// The name of the socket's group.
    let group: String
    /// Nil if the user may open the socket.
    let denial: Denial?
    /// The nfcd that listens on the socket, if that can be determined.
    let listener: RunningProgram?
    /// The commands that give the socket the mode 0660, and those that also give it the expected group.
    private let setMode, setGroup: [String]

    init(path: String, _ files: any SystemFiles, _ host: Host, _ accounts: AccountFiles) {
        self.path = path
        let listener = RunningProgram.daemon(listeningOn: path, files)
        self.listener = listener
        let chmod = "chmod 0660 \(path.shellQuoted)"
        if DaemonInstance(path: path, environment: host.environment) == .system {
            let restart =
                ServiceUnits.isBooted(files)
                ? ["systemctl restart nfcd.socket nfcd.service"]
                : [Self.endCommand(listener, path), "nfcd"]
            (setMode, setGroup) = (restart, restart)
        } else {
            // After a restart, another nfcd would create its socket with the same mode and group.
            (setMode, setGroup) = ([chmod], ["chgrp \(Self.expectedGroup) \(path.shellQuoted)", chmod])
        }
        attributes = files.attributes(path)
        group = attributes.map { accounts.group($0.group)?.name ?? "\($0.group)" } ?? ""
        if let attributes {
            denial = Self.denial(attributes, group, host, accounts)
        } else {
            denial = .inaccessible
        }
    }

    /// The three permission classes are exclusive: the first one that applies decides (path_resolution(7)).
    private static func denial(
        _ attributes: FileAttributes, _ group: String, _ host: Host, _ accounts: AccountFiles
    ) -> Denial? {
        let readWrite: UInt32 = 0o6
        if host.isRoot || attributes.user == host.user && attributes.mode >> 6 & readWrite == readWrite { return nil }
        let isMember = host.groups.contains(attributes.group)
        if attributes.mode & readWrite == readWrite, !isMember { return nil }
        guard attributes.mode >> 3 & readWrite == readWrite else { return .mode(attributes.mode) }
        if isMember { return nil }
        let user = accounts.user(host.user)?.name ?? "\(host.user)"
        if accounts.isMember(host.user, of: attributes.group) { return .outdatedLogin(group: group, user: user) }
        return attributes.group == 0 ? .wrongGroup(group) : .notMember(group: group, user: user)
    }

    /// The access of the current user on this machine.
    static func onThisMachine(path: String) -> SocketAccess {
        SocketAccess(path: path, MachineFiles(), .machine, AccountFiles(MachineFiles()))
    }

    /// The reason and the commands that fix it, as text.
    var text: String {
        let fix = advice.map { "\($0.reason)\n\($0.fix.joined(separator: "\n"))" }
        let obstacle = Container.advice(for: path, isRefused: true) ?? fix
        return "\(obstacle.map { "\($0)\n" } ?? "")Run 'nfcctl doctor' for details."
    }

    /// The commands, for root, that create the group and give it the socket.
    var createGroup: [String] { ["groupadd --system --force \(Self.expectedGroup)"] + setGroup }

    /// The command that ends the nfcd that listens on the socket, or that finds it. It concerns no other nfcd.
    var endListener: String { Self.endCommand(listener, path) }

    private static func endCommand(_ listener: RunningProgram?, _ path: String) -> String {
        listener.map { "kill \($0.id)" } ?? "ss --unix --listening --processes src \(path.shellQuoted)"
    }

    /// Mode and group as text: `mode 0660, group nfc`.
    var permissions: String {
        guard let attributes else { return "not found" }
        let digits = String(attributes.mode, radix: 8)
        return "mode \(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits), group \(group)"
    }

    /// Why the user may not open the socket, in one sentence, and the commands that fix it.
    var advice: (reason: String, fix: [String])? {
        switch denial {
        case .notMember(let group, let user):
            (
                "\(user) is not a member of the group \(group). Join the group, then log in again.",
                ["sudo usermod -aG \(group.shellQuoted) \(user.shellQuoted)"]
            )
        case .outdatedLogin(let group, let user):
            (
                "\(user) is a member of the group \(group), but logged in before joining it. Log out and in again, or start "
                    + "a shell with the group.",
                ["newgrp \(group.shellQuoted)"]
            )
        case .wrongGroup(let group):
            (
                "It belongs to the group \(group). nfcd uses the group \(Self.expectedGroup) if that group exists.",
                createGroup.map { "sudo \($0)" }
            )
        case .mode:
            ("Its mode does not grant the group access; it should be 0660.", setMode.map { "sudo \($0)" })
        case .inaccessible:
            ("A parent directory is closed to this user.", ["namei -l \(path.shellQuoted)"])
        case nil: nil
        }
    }
}
