/// What nfcd-fido needs of a machine: its program, `/dev/uhid`, rules of udev, and a user at the seat.
struct SecurityKeySupport: Sendable {
    /// The path of the device that makes HID devices.
    static let node = "/dev/uhid"
    /// The configuration file.
    static let configuration = "/etc/nfcd/fido.toml"

    /// Who may open the device.
    enum NodeAccess: Sendable, Equatable {
        /// nfcd-fido and root.
        case service
        /// Root, but not nfcd-fido.
        case rootOnly
        /// Every user.
        case everyone
    }

    /// The path of nfcd-fido, if it is installed.
    let program: String?
    /// Whether the user that it runs as exists.
    let hasUser: Bool
    /// Who may open the device; nil if it does not exist.
    let nodeAccess: NodeAccess?
    /// Whether the kernel has the driver, loaded or not; nil if that is not known.
    let kernelHasDriver: Bool?
    /// Whether this is a container.
    let isContainer: Bool
    /// Whether udev has the rule for the device.
    let hasRule: Bool
    /// Whether udev has the rules by which the user at the seat may open security keys (systemd 244 and later).
    let hasSeatRules: Bool
    /// The result of `nfcd-fido --check`; nil if it was not run.
    let checkResult: CommandResult?
    let seat: SeatUser
    let browsers: [SandboxedBrowser]

    private static let ruleFolders = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
        "/lib/udev/rules.d",
    ]

    init(_ files: any SystemFiles, _ host: Host, _ accounts: AccountFiles) {
        program = SystemPrograms.find("nfcd-fido", files, host)
        hasUser = accounts.users.contains { $0.name == "nfcd-fido" }
        nodeAccess = files.attributes(Self.node).map { Self.access($0, accounts) }
        kernelHasDriver = Self.kernelHasDriver(files)
        isContainer = ["/run/systemd/container", "/run/host/container-manager", "/.dockerenv", "/run/.containerenv"]
            .contains { files.exists($0) }
        func hasRule(_ name: String) -> Bool { Self.ruleFolders.contains { files.exists("\($0)/\(name)") } }
        self.hasRule = hasRule("70-nfcd-fido.rules")
        hasSeatRules = hasRule("60-fido-id.rules") && hasRule("70-uaccess.rules")
        checkResult =
            files.exists(Self.configuration)
            ? program.flatMap { host.run([$0, "--check", "--config", Self.configuration]) } : nil
        seat = SeatUser(files, host)
        browsers = program == nil ? [] : SandboxedBrowser.withoutDevices(files, host)
    }

    private static func access(_ node: FileAttributes, _ accounts: AccountFiles) -> NodeAccess {
        guard node.mode & 0o006 == 0 else { return .everyone }
        let isOfGroup = accounts.group(node.group)?.name == "nfcd-fido" && node.mode & 0o060 == 0o060
        let isOfUser = accounts.user(node.user)?.name == "nfcd-fido" && node.mode & 0o600 == 0o600
        return isOfGroup || isOfUser ? .service : .rootOnly
    }

    /// The lists of a kernel's modules name the driver, as a module or as a part of the kernel.
    private static func kernelHasDriver(_ files: any SystemFiles) -> Bool? {
        guard let release = files.word("/proc/sys/kernel/osrelease") else { return nil }
        let lists = ["modules.order", "modules.builtin"].map { "/lib/modules/\(release)/\($0)" }
        guard lists.allSatisfy({ files.canRead($0) }) else { return nil }
        return lists.contains { files.contains("/uhid.ko", in: $0) || files.contains("/uhid.o", in: $0) }
    }
}

/// Whether the user is the one whose session is active at the seat: systemd-logind lets that user open security keys.
enum SeatUser: Sendable, Equatable {
    /// The user's session is active.
    case active
    /// The session of another user is active.
    case another
    /// No session is active.
    case none
    /// It is not known, or the user is root.
    case unknown

    /// Asks loginctl(1). With sudo(8), the user is the one who called it.
    init(_ files: any SystemFiles, _ host: Host) {
        let caller = host.isRoot ? host.environment["SUDO_UID"].flatMap { UInt32($0) } : host.user
        guard let caller, ServiceUnits.isBooted(files), let loginctl = SystemPrograms.find("loginctl", files, host)
        else {
            self = .unknown
            return
        }
        func value(_ command: String...) -> String? {
            host.run([loginctl] + command + ["--value"]).flatMap { $0.status == 0 ? String($0.output.trimmed) : nil }
        }
        guard let session = value("show-seat", "seat0", "--property=ActiveSession") else {
            self = .unknown
            return
        }
        guard !session.isEmpty else {
            self = .none
            return
        }
        let user = value("show-session", session, "--property=User").flatMap { UInt32($0) }
        self = user.map { $0 == caller ? .active : .another } ?? .unknown
    }
}

/// An installed browser that runs in a sandbox, which limits its access to devices and programs.
struct SandboxedBrowser: Sendable, Equatable {
    /// The kind of the sandbox.
    enum Sandbox: Sendable, Equatable {
        case snap
        case flatpak
    }

    /// The name of the snap, or the id of the flatpak.
    let name: String
    let sandbox: Sandbox

    private static let snapFolders = ["/snap", "/var/lib/snapd/snap"]
    private static let snaps = ["firefox", "chromium", "brave", "opera"]
    private static let flatpaks = [
        "org.mozilla.firefox", "org.chromium.Chromium", "com.google.Chrome", "com.brave.Browser",
        "com.microsoft.Edge", "io.github.ungoogled_software.ungoogled_chromium", "com.vivaldi.Vivaldi",
    ]

    /// Every browser in a snap or flatpak.
    static func installed(_ files: any SystemFiles, _ host: Host) -> [SandboxedBrowser] {
        let snaps = snaps.filter { name in snapFolders.contains { files.exists("\($0)/\(name)/current") } }
        let flatpaks = flatpaks.filter { name in
            flatpakFolders(host).contains { files.exists("\($0)/app/\(name)") }
        }
        return snaps.map { SandboxedBrowser(name: $0, sandbox: .snap) }
            + flatpaks.map { SandboxedBrowser(name: $0, sandbox: .flatpak) }
    }

    /// Every snap, and each flatpak that may not open all devices.
    static func withoutDevices(_ files: any SystemFiles, _ host: Host) -> [SandboxedBrowser] {
        installed(files, host).filter { browser in
            browser.sandbox == .snap
                || !flatpakFolders(host).contains { mayOpenDevices(browser.name, folder: $0, files) }
        }
    }

    private static func flatpakFolders(_ host: Host) -> [String] {
        ["/var/lib/flatpak"] + (host.environment["HOME"].map { ["\($0)/.local/share/flatpak"] } ?? [])
    }

    /// Whether the application's metadata or an override has the device `all` (flatpak-metadata(5), flatpak-override(1)).
    private static func mayOpenDevices(_ name: String, folder: String, _ files: any SystemFiles) -> Bool {
        ["\(folder)/app/\(name)/current/active/metadata", "\(folder)/overrides/\(name)", "\(folder)/overrides/global"]
            .contains { path in
                files.lines(path).contains { line in
                    line.hasPrefix("devices=") && line.dropFirst(8).split(separator: ";").contains("all")
                }
            }
    }
}
