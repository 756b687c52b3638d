import NDEF
import NFCProtocol

/// The container or sandbox that this program runs in, as far as its files show.
struct Container: Sendable {
    /// What runs the container: who runs it needs another command to fix it.
    enum Kind: Sendable, Equatable {
        case podman, docker, kubernetes, toolbox, distrobox
        /// The sandbox of an app.
        case flatpak(app: String)
        /// Another one, by the name that it gives itself.
        case other(String)

        /// As in "this Docker container".
        var name: String {
            switch self {
            case .podman: "Podman container"
            case .docker: "Docker container"
            case .kubernetes: "Kubernetes pod"
            case .toolbox: "Toolbx container"
            case .distrobox: "Distrobox container"
            case .flatpak: "Flatpak"
            case .other(let name): name.isEmpty ? "container" : "container (\(name.printable))"
            }
        }
    }

    /// A mount within the container.
    private struct Mount {
        let path: String
        /// Whether what is mounted was removed outside.
        let isRemoved: Bool
    }

    /// The user or group that stands for all that have no number in a user namespace (user_namespaces(7)).
    static let unmapped: UInt32 = 65_534

    let kind: Kind
    /// Whether nfcd is installed in it, too.
    let hasDaemon: Bool
    /// Whether all users and groups have the same numbers outside.
    let keepsNumbers: Bool
    /// Whether a user who is not root runs it: one number then stands for that user (subuid(5)).
    private let isRootless: Bool
    /// Whether SELinux confines it.
    let isConfined: Bool
    private let mounts: [Mount]
    /// Where tools that share the whole system mount it.
    private let sharedSocket: String?

    /// Nil if there is no sign of a container, and for an nfcd that was started with its own socket, which is not that of the machine.
    ///
    /// - Parameter socket: the path that the client uses.
    init?(_ files: any SystemFiles, _ host: Host, for socket: String) {
        let instance = DaemonInstance(path: socket, environment: host.environment)
        guard instance != .manual || socket.hasPrefix("/run/"), let kind = Self.kind(files, host) else { return nil }
        self.kind = kind
        hasDaemon = SystemPrograms.find("nfcd", files, host) != nil
        keepsNumbers = ["uid_map", "gid_map"].allSatisfy { Self.isIdentity(files.lines("/proc/self/\($0)")) }
        isRootless = files.lines("/proc/self/uid_map").contains { $0.split { $0.isWhitespace }.last == "1" }
        isConfined = files.word("/proc/self/attr/current")?.contains(":container_t:") == true
        mounts = files.lines("/proc/self/mountinfo").compactMap(Self.mount)
        sharedSocket = ["/run/host\(SocketPath.system)"].first { files.exists($0) }
    }

    // MARK: Signs

    private static func kind(_ files: any SystemFiles, _ host: Host) -> Kind? {
        let environment = host.environment
        if files.exists("/.flatpak-info") {
            let name = files.lines("/.flatpak-info").first { $0.hasPrefix("name=") }
            return .flatpak(app: name.map { String($0.dropFirst("name=".count)) } ?? "APP")
        }
        if environment["KUBERNETES_SERVICE_HOST"] != nil { return .kubernetes }
        if files.exists("/run/.toolboxenv") { return .toolbox }
        let named = environment["container"] ?? files.word("/run/systemd/container")
        let isPodman = files.exists("/run/.containerenv") || named == "podman"
        // Distrobox mounts the system's root there, and itself.
        if files.exists("/usr/bin/distrobox-host-exec") { return .distrobox }
        if isPodman { return .podman }
        if files.exists("/.dockerenv") || named == "docker" { return .docker }
        if let named, !named.isEmpty { return .other(named) }
        return controlGroup(files.lines("/proc/1/cgroup"))
    }

    /// The lines name the container if it does not have a control group namespace (cgroups(7)).
    private static func controlGroup(_ lines: [String]) -> Kind? {
        let kinds: [(String, Kind)] = [
            ("kubepods", .kubernetes), ("libpod", .podman), ("docker", .docker), ("lxc", .other("lxc")),
        ]
        return kinds.first { sign in lines.contains { $0.split(separator: "/").contains { $0.hasPrefix(sign.0) } } }?.1
    }

    /// Whether a map of numbers maps all of them to themselves; a missing file is that of a kernel without user namespaces.
    private static func isIdentity(_ lines: [String]) -> Bool {
        lines.isEmpty || lines.map { $0.split { $0.isWhitespace } } == [["0", "0", "4294967295"]]
    }

    /// The fourth field is what is mounted, the fifth where (proc_pid_mountinfo(5)).
    private static func mount(_ line: String) -> Mount? {
        let fields = line.split(separator: " ")
        guard fields.count > 5 else { return nil }
        let path = fields[4].replacing("\\040", with: " ")
        return Mount(path: String(path), isRemoved: fields[3].hasSuffix("//deleted"))
    }
}

// MARK: What is wrong

extension Container {
    /// What keeps a client in a container from the socket of the nfcd outside, and how to fix that.
    struct Obstacle: Sendable, Equatable {
        let summary: String
        let detail: String
        let fix: [String]
        /// Whether the commands are for the container, not for the machine.
        var isFixedInside = false

        /// What to do, and the commands with where to run them.
        var advice: String {
            guard !fix.isEmpty else { return detail }
            let place = isFixedInside ? "in the container" : "on the machine, not in the container"
            return (["\(detail) Run this \(place):"] + fix).joined(separator: "\n")
        }
    }

    /// Whether the socket is mounted as a file: after nfcd has made a new one, the container keeps the old one.
    func mountsSocket(_ path: String) -> Bool { mounts.contains { $0.path == path } }

    /// Why no nfcd listens on the socket.
    func absence(of path: String, _ files: any SystemFiles) -> Obstacle {
        let (folder, box) = (Self.folder(of: path), kind.name)
        if mountsSocket(path) {
            return Obstacle(
                summary:
                    "\(path.printable) of this \(box) is mounted as a file, and nfcd does not listen on it any more.",
                detail: "nfcd has made a new socket since. Mount its folder instead, which always has the newest one.",
                fix: mounting(folder))
        }
        let mount = mounts.last { $0.path == folder }
        if mount?.isRemoved == true {
            return Obstacle(
                summary:
                    "The folder that is mounted at \(folder.printable) of this \(box) was removed from the machine.",
                detail: "Start the container again: it then gets the new one.", fix: [])
        }
        if mount != nil, !files.exists(path) || files.attributes(path)?.isFolder == true {
            return Obstacle(
                summary: "The folder \(folder.printable) is mounted in this \(box), but there is no socket in it.",
                detail: "nfcd's socket is not active on the machine.",
                fix: ["sudo systemctl enable --now nfcd.socket"])
        }
        if files.exists(path) {
            return Obstacle(
                summary: "No program listens on \(path.printable) of this \(box).",
                detail: "Start nfcd on the machine.", fix: ["sudo systemctl restart nfcd.socket"])
        }
        let summary =
            files.exists(folder)
            ? "There is no socket in \(folder.printable) of this \(box)."
            : "nfcd's folder is not in this \(box): there is no \(folder.printable)."
        return Obstacle(
            summary: summary,
            detail:
                "nfcd runs on the machine; a client in a container needs the folder of its socket. \(mountingDetail(folder))",
            fix: mounting(folder), isFixedInside: sharedSocket != nil)
    }

    /// Why this user may not open the socket.
    func refusal(of path: String, _ attributes: FileAttributes?, _ host: Host) -> Obstacle {
        let summary = "This user of the \(kind.name) may not open \(path.printable)."
        guard let attributes else {
            return Obstacle(
                summary: summary, detail: "A folder above it is closed to this user.",
                fix: [])
        }
        let isMember = host.groups.contains(attributes.group)
        if isConfined, isMember || host.isRoot {
            return Obstacle(
                summary: summary,
                detail:
                    "SELinux confines containers, and has no rule for nfcd's socket. Run this container without confinement.",
                fix: runCommand("--security-opt label=disable"))
        }
        // All groups without a number here look alike: whether it is that of the socket, only the machine knows.
        let isUnknown = attributes.group == Self.unmapped
        if isUnknown, isMember {
            return Obstacle(
                summary: summary,
                detail: "The container keeps the groups of the user who runs it, but that user is not in the group "
                    + "\(SocketAccess.expectedGroup), or logged in before joining it.",
                fix: [Self.joining])
        }
        return Obstacle(
            summary: summary, detail: groupDetail(isUnknown), fix: joiningGroup(attributes.group, isUnknown))
    }

    /// What to print when nfcd cannot be reached; nil if this is not a container for clients.
    ///
    /// - Parameter isRefused: whether there is an nfcd, and this user may not open its socket.
    static func advice(for path: String, isRefused: Bool) -> String? {
        let (files, host) = (MachineFiles(), Host.machine)
        guard let container = Container(files, host, for: path), !container.hasDaemon else { return nil }
        let obstacle =
            isRefused
            ? container.refusal(of: path, files.attributes(path), host) : container.absence(of: path, files)
        return isRefused ? obstacle.advice : "\(obstacle.summary) \(obstacle.advice)"
    }

    // MARK: How to fix it

    private static let joining = "sudo usermod -aG \(SocketAccess.expectedGroup) $USER"
    /// The number differs between machines.
    private static let groupNumber = "\"$(getent group \(SocketAccess.expectedGroup) | cut -d: -f3)\""

    private static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private func mountingDetail(_ folder: String) -> String {
        switch kind {
        case .kubernetes:
            "Add a volume to the pod: hostPath with path /run/nfcd and type DirectoryOrCreate, mounted at \(folder.printable)."
        case .toolbox where sharedSocket != nil, .distrobox where sharedSocket != nil:
            "This container has the whole system in /run/host."
        case .flatpak: "Allow this app to use it, and start it again."
        default: "Mount it when you make the container."
        }
    }

    private func mounting(_ folder: String) -> [String] {
        let volume = "--volume /run/nfcd:\(folder.shellQuoted)"
        switch kind {
        case .podman: return ["podman run \(volume) --group-add keep-groups …"]
        case .docker: return ["docker run \(volume) --group-add \(Self.groupNumber) …"]
        case .flatpak(let app): return ["flatpak override --user --filesystem=/run/nfcd \(app.shellQuoted)"]
        case .toolbox, .distrobox:
            if let sharedSocket { return ["export NFCD_SOCKET=\(sharedSocket)"] }
            return kind == .distrobox ? ["distrobox create \(volume) …"] : []
        case .kubernetes, .other: return []
        }
    }

    private func runCommand(_ option: String) -> [String] {
        switch kind {
        case .podman: ["podman run \(option) …"]
        case .docker: ["docker run \(option) …"]
        case .kubernetes, .toolbox, .distrobox, .flatpak, .other: []
        }
    }

    private func groupDetail(_ isUnknown: Bool) -> String {
        switch kind {
        case .kubernetes:
            "It is not in the socket's group: list the number of that group in supplementalGroups of the pod's securityContext."
        case .flatpak:
            "A sandbox keeps your groups, so you are not in the group \(SocketAccess.expectedGroup). Log in again afterwards."
        case .podman where isUnknown && isRootless, .toolbox, .distrobox:
            "The container has dropped your groups. Keep them; you have to be in the group "
                + "\(SocketAccess.expectedGroup) of the machine."
        case .podman where isUnknown, .docker where isUnknown, .other where isUnknown:
            "The socket's group has no number in the user namespace of this container. Map it, or use a separate socket."
        default: "It is not in the socket's group."
        }
    }

    private func joiningGroup(_ group: UInt32, _ isUnknown: Bool) -> [String] {
        let number = isUnknown ? Self.groupNumber : "\(group)"
        return switch kind {
        case .podman where isUnknown: isRootless ? runCommand("--group-add keep-groups") : []
        case .podman: runCommand("--group-add \(number)")
        case .docker: runCommand("--group-add \(number)")
        case .distrobox: ["distrobox create --additional-flags '--group-add keep-groups' …"]
        case .flatpak: [Self.joining]
        case .kubernetes, .toolbox, .other: []
        }
    }
}
