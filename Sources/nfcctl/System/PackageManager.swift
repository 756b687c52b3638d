/// How packages are installed on this machine, by what os-release(5) says of it.
enum PackageManager: Sendable {
    case apt, dnf, pacman, zypper, apk

    /// What nfcd and nfcd-desktop need of a system.
    enum Package: Sendable {
        case pcscd, ccid, acsccid, pcscLibrary, polkit
        case dunst, wtype, xdotool
    }

    /// Debian's, where the system is not known.
    init(_ files: any SystemFiles) {
        let lines =
            files.lines("/etc/os-release").isEmpty
            ? files.lines("/usr/lib/os-release") : files.lines("/etc/os-release")
        let names = lines.filter { $0.hasPrefix("ID=") || $0.hasPrefix("ID_LIKE=") }
            .flatMap { $0.drop { $0 != "=" }.dropFirst().split { $0 == " " || $0 == "\"" || $0 == "'" } }
        self = names.lazy.compactMap { Self.systems[String($0)] }.first ?? .apt
    }

    private static let systems: [String: PackageManager] = [
        "debian": .apt, "ubuntu": .apt, "fedora": .dnf, "rhel": .dnf, "centos": .dnf, "arch": .pacman,
        "suse": .zypper, "opensuse": .zypper, "alpine": .apk,
    ]

    /// The command that installs packages, for root.
    func install(_ packages: [Package]) -> String { "\(verb) \(names(packages))" }

    /// The command that brings packages to the newest version that the system has.
    func upgrade(_ packages: [Package]) -> String {
        switch self {
        case .apt: "apt-get install --only-upgrade \(names(packages))"
        case .dnf: "dnf upgrade \(names(packages))"
        case .zypper: "zypper update \(names(packages))"
        case .pacman: "pacman -Syu \(names(packages))"
        case .apk: "apk upgrade \(names(packages))"
        }
    }

    /// The command that restores the files of a package.
    func reinstall(_ package: Package) -> String {
        switch self {
        case .apt: "apt-get install --reinstall \(names([package]))"
        case .dnf: "dnf reinstall \(names([package]))"
        case .zypper: "zypper install --force \(names([package]))"
        case .pacman: "pacman -S \(names([package]))"
        case .apk: "apk fix \(names([package]))"
        }
    }

    private var verb: String {
        switch self {
        case .apt: "apt-get install"
        case .dnf: "dnf install"
        case .pacman: "pacman -S"
        case .zypper: "zypper install"
        case .apk: "apk add"
        }
    }

    /// The names of packages in this system; one that has several of them in one package names it once.
    private func names(_ packages: [Package]) -> String {
        packages.map(name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: " ")
    }

    private func name(_ package: Package) -> String {
        switch (package, self) {
        case (.pcscd, .apt): "pcscd"
        case (.pcscd, .pacman): "pcsclite"
        case (.pcscd, _): "pcsc-lite"
        case (.ccid, .apt): "libccid"
        case (.ccid, .dnf): "pcsc-lite-ccid"
        case (.ccid, .zypper): "pcsc-ccid"
        case (.ccid, _): "ccid"
        case (.acsccid, .apt): "libacsccid1"
        case (.acsccid, .dnf): "pcsc-lite-acsccid"
        case (.acsccid, .zypper): "pcsc-acsccid"
        case (.acsccid, _): "acsccid"
        case (.pcscLibrary, .apt): "libpcsclite1"
        case (.pcscLibrary, .dnf): "pcsc-lite-libs"
        case (.pcscLibrary, .zypper): "libpcsclite1"
        case (.pcscLibrary, .pacman): "pcsclite"
        case (.pcscLibrary, .apk): "pcsc-lite-libs"
        case (.polkit, .apt): "polkitd"
        case (.polkit, _): "polkit"
        case (.dunst, _): "dunst"
        case (.wtype, _): "wtype"
        case (.xdotool, _): "xdotool"
        }
    }
}
