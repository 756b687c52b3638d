import NDEF

/// Whether pcscd has a driver for each reader that is plugged in.
enum DriverCheck: Check {
    static let name = "driver"

    static func findings(in scene: Scene) -> [Finding] {
        guard !scene.isSimulated else { return [] }
        guard !scene.bundles.isEmpty else { return missing(scene) }
        let readers = scene.cardReaders
        if let ccid = scene.bundles.first(where: { $0.isTooOld(for: scene.pcsc) }) {
            return [tooOld(ccid, scene)]
        }
        guard !readers.isEmpty else {
            return [
                ok("\(scene.bundles.map { "\($0.package) \($0.version.escaped)" }.joined(separator: ", ")) is there.")
            ]
        }
        return readers.map { driven($0, scene) ?? unknown($0, scene) }
    }

    private static func missing(_ scene: Scene) -> [Finding] {
        guard scene.pcsc.program != nil || !scene.cardReaders.isEmpty else { return [] }
        return [
            finding(
                scene.worst, "pcscd has no driver for USB readers, or its list cannot be read.",
                "libccid drives most of them.",
                mend: [scene.root("apt-get install --reinstall libccid"), scene.restartPCSC])
        ]
    }

    private static func tooOld(_ bundle: ReaderBundle, _ scene: Scene) -> Finding {
        finding(
            scene.worst, "libccid \(bundle.version.escaped) is too old for pcscd \(scene.pcsc.versionWords).",
            "This pcscd runs as a user of its own, to whom only libccid 1.7.0 and newer give the readers.",
            mend: [scene.root("apt-get install --only-upgrade libccid"), scene.restartPCSC])
    }

    private static func driven(_ device: USBDevice, _ scene: Scene) -> Finding? {
        scene.bundles.first { $0.readers[device.identity] != nil }.map {
            ok("\(device.words.escaped) is driven by \($0.package) \($0.version.escaped).")
        }
    }

    private static func unknown(_ device: USBDevice, _ scene: Scene) -> Finding {
        let known = scene.bundles.map { "\($0.package) \($0.version.escaped)" }.joined(separator: ", ")
        // Advanced Card Systems, whose own driver knows all of its readers.
        let package = device.identity.vendor == 0x072F ? "libacsccid1" : "libccid"
        let action = package == "libccid" ? "--only-upgrade libccid" : package
        return finding(
            scene.worst, "\(device.words.escaped) is in no driver's list (\(known)).",
            package == "libccid"
                ? "A newer libccid may know it." : "The maker's driver, acsccid, knows it; so may a newer libccid.",
            mend: [scene.root("apt-get install \(action)"), scene.restartPCSC])
    }
}
