import NDEF

/// Whether a driver of the kernel's holds a reader that pcscd wants.
enum ModulesCheck: Check {
    static let name = "modules"

    static func findings(in scene: Scene) -> [Finding] {
        let found = scene.cardReaders.compactMap { held($0, scene) }
        guard found.isEmpty else { return found }
        let loaded = scene.modules.loaded.filter { KernelModules.unwanted.contains($0) }
        guard !loaded.isEmpty else {
            return [
                ok(
                    scene.modules.isSeen
                        ? "No module of the kernel's takes readers away from pcscd."
                        : "The modules of the kernel are not to be seen here; none holds a reader.")
            ]
        }
        return [lurking(loaded, scene)]
    }

    /// A reader whose interface one of the modules has.
    private static func held(_ device: USBDevice, _ scene: Scene) -> Finding? {
        let drivers = device.interfaces.compactMap(\.driver)
        guard let driver = drivers.first(where: { KernelModules.known.contains($0) }) else { return nil }
        return finding(
            scene.worst, "The kernel module \(driver) holds \(device.words.escaped).",
            "pcscd cannot open the reader meanwhile, and does not look again by itself.",
            mend: [unload(scene)] + blacklist(scene) + [
                scene.root("udevadm trigger --action=add /sys/bus/usb/devices/\(device.place)"), scene.restartPCSC,
            ])
    }

    /// They hold no reader that is plugged in; the next one they may.
    private static func lurking(_ loaded: [String], _ scene: Scene) -> Finding {
        let names = loaded.joined(separator: ", ")
        guard !scene.modules.areKeptAway else {
            return finding(
                .note, "The kernel modules \(names) are loaded; the next time they will not be.", mend: [unload(scene)])
        }
        return finding(
            .warning, "The kernel modules \(names) are loaded; they take an ACR122U when it is plugged in.",
            mend: [unload(scene)] + blacklist(scene))
    }

    private static func unload(_ scene: Scene) -> String {
        let loaded = scene.modules.loaded.isEmpty ? KernelModules.unwanted : scene.modules.loaded
        return scene.root("modprobe -r \(loaded.joined(separator: " "))")
    }

    /// udev reads a new file when it is told to; see modprobe.d(5).
    private static func blacklist(_ scene: Scene) -> [String] {
        guard !scene.modules.areKeptAway else { return [] }
        let lines = KernelModules.unwanted.map { "'blacklist \($0)'" }.joined(separator: " ")
        return [
            "printf '%s\\n' \(lines) | \(scene.root("tee /etc/modprobe.d/nfcd.conf"))",
            scene.root("udevadm control --reload"),
        ]
    }
}
