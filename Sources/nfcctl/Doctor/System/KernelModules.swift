/// The kernel's own NFC drivers, as far as they are loaded or kept away.
struct KernelModules: Sendable {
    /// Those that take readers away from PC/SC, in the order in which they can be unloaded.
    static let known = ["pn533_usb", "pn533_i2c", "pn532_uart", "port100", "nfcsim", "pn533", "nfc"]
    /// Those that Debian's and others' kernels load for an ACR122U; nfcd keeps them away.
    static let unwanted = ["pn533_usb", "pn533", "nfc"]

    /// Whether the list of what is loaded is to be seen.
    let isSeen: Bool
    /// Those of ``known`` that are loaded.
    let loaded: [String]
    /// Those that a blacklist keeps from being loaded for a device.
    let blacklisted: Set<String>

    private static let folders = [
        "/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d",
    ]

    init(_ tree: any SystemTree) {
        isSeen = tree.canRead("/proc/modules")
        let names = Set(tree.lines("/proc/modules").map { String($0.prefix { !$0.isWhitespace }) })
        loaded = Self.known.filter { names.contains($0) }
        blacklisted = Set(
            Self.folders.flatMap { folder in
                tree.names(in: folder).filter { $0.hasSuffix(".conf") }.flatMap {
                    tree.lines("\(folder)/\($0)").compactMap(Self.blacklisted)
                }
            })
    }

    /// Whether none of ``unwanted`` is loaded at the next plug. What needs pn533_usb is not loaded without it.
    var areKeptAway: Bool { blacklisted.contains("pn533_usb") }

    /// The module of a line `blacklist MODULE`, whose dashes and underscores mean the same (modprobe.d(5)).
    private static func blacklisted(_ line: String) -> String? {
        let words = line.split { $0.isWhitespace }
        guard words.count == 2, words[0] == "blacklist" else { return nil }
        return String(words[1].map { $0 == "-" ? "_" : $0 })
    }
}
