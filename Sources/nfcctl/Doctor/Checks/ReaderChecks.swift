import NDEF
import NFCProtocol

/// Whether nfcd has the readers that are plugged in.
enum ReadersCheck: Check {
    static let name = "readers"

    static func findings(in scene: Scene) -> [Finding] {
        let others = scene.devices.compactMap { foreign($0) }
        guard let state = scene.daemon.state else { return seen(scene) + others }
        let missing = state.isSimulated ? [] : scene.cardReaders.filter { !isListed($0, state, scene) }
        if state.readers.isEmpty, missing.isEmpty { return [none(state, scene)] + others }
        return state.readers.map { listed($0, scene) } + missing.map { unlisted($0, scene) } + others
    }

    /// Without nfcd's word there is the USB alone.
    private static func seen(_ scene: Scene) -> [Finding] {
        guard !scene.cardReaders.isEmpty else {
            return [finding(.note, "No reader is seen on the USB.", mend: ["lsusb"] + scene.starting.trial)]
        }
        return scene.cardReaders.map { ok("\($0.words.escaped) is plugged in.") }
    }

    private static func listed(_ reader: ReadersList.Reader, _ scene: Scene) -> Finding {
        let words = "\(reader.name.escaped) (\(reader.reader.escaped))"
        guard reader.state == .failed else { return ok("\(words) is ready: \(reader.state.rawValue).") }
        return finding(
            scene.worst, "\(words) has failed.",
            "\((reader.failure ?? "nfcd gives no reason").escaped). Unplug it, wait for a moment and plug it in again, "
                + "without a hub in between.",
            mend: [scene.restartPCSC] + (scene.units.isBooted ? [scene.root("journalctl --unit nfcd --lines 20")] : []))
    }

    /// By the name that its driver gives it, or its own.
    private static func isListed(_ device: USBDevice, _ state: DaemonState, _ scene: Scene) -> Bool {
        let names = scene.bundles.compactMap { $0.readers[device.identity] } + [device.name]
        return state.readers.contains { reader in names.contains { !$0.isEmpty && reader.name.contains($0) } }
    }

    private static func unlisted(_ device: USBDevice, _ scene: Scene) -> Finding {
        finding(
            scene.worst, "\(device.words.escaped) is plugged in, but nfcd does not see it.",
            "pcscd has not opened it: what else is found here may say why. If nothing is, plug it in again.",
            mend: [scene.restartPCSC])
    }

    private static func none(_ state: DaemonState, _ scene: Scene) -> Finding {
        let reason = state.refusal.map { $0.detail.escaped } ?? ""
        guard state.refusal?.code == 6 else {
            return finding(.problem, "No reader is plugged in.", reason, mend: ["lsusb"] + scene.starting.trial)
        }
        return finding(.problem, "nfcd cannot reach pcscd.", reason, mend: [scene.restartPCSC])
    }

    /// NFC devices that are no PC/SC readers, by the names of libnfc's and nfcpy's lists.
    private static let others: [USBIdentity: String] = [
        USBIdentity(vendor: 0x054C, product: 0x06C1): "Sony RC-S380/S",
        USBIdentity(vendor: 0x054C, product: 0x06C3): "Sony RC-S380/P",
        USBIdentity(vendor: 0x04E6, product: 0x5591): "SCM SCL3711",
        USBIdentity(vendor: 0x04CC, product: 0x2533): "NXP PN533",
        USBIdentity(vendor: 0x04CC, product: 0x0531): "NXP PN531",
    ]

    private static func foreign(_ device: USBDevice) -> Finding? {
        others[device.identity].map {
            finding(
                .warning, "\($0) (\(device.identity)) is no PC/SC reader, and nfcd cannot use it.",
                "ifdnfc makes some of them readers of pcscd's through libnfc; any CCID reader works as it is.", mend: []
            )
        }
    }
}

/// Whether the driver lets escape commands pass.
enum EscapeCheck: Check {
    static let name = "escape"

    /// Advanced Card Systems, whose readers take light and sound that way; the ACR122U has another.
    private static func gains(_ device: USBDevice) -> Bool {
        device.identity.vendor == 0x072F && device.identity.product != 0x2200
    }

    static func findings(in scene: Scene) -> [Finding] {
        scene.cardReaders.compactMap { device in
            let bundle = scene.bundles.first { $0.readers[device.identity] != nil }
            guard gains(device), let bundle, bundle.name == "ifd-ccid", !bundle.allowsEscape else { return nil }
            return finding(device, bundle, scene)
        }
    }

    private static func finding(_ device: USBDevice, _ bundle: ReaderBundle, _ scene: Scene) -> Finding {
        let edit = #"sed -i '/<key>ifdDriverOptions</{n;s/>0x0000</>0x0001</}' "# + bundle.path.shellWord
        return finding(
            .note, "\(bundle.package) lets no escape commands pass to \(device.words.escaped).",
            "Reading and writing work; light and sound (feedback) and the reader's own settings do not.",
            mend: [scene.root(edit.replacing("sed -i", with: "sed -i --follow-symlinks")), scene.restartPCSC])
    }
}

/// Slots for SAMs, which are readers to pcscd, and which nfcd does not show.
enum SlotCheck: Check {
    static let name = "slots"

    static func findings(in scene: Scene) -> [Finding] {
        let slots = scene.cardReaders.flatMap { device in
            device.interfaces.filter { isSAM($0.name) }.map { "\($0.name) of \(device.words)" }
        }
        let listed = scene.daemon.state?.readers.map(\.name).filter(isSAM) ?? []
        return slots.map { finding(.note, "\($0.escaped) takes no tags; nfcd hides it on purpose.", mend: []) }
            + listed.map { finding(.note, "\($0.escaped) is a slot inside the reader and takes no tags.", mend: []) }
    }

    /// As a word of its own: `ACR1252 Dual Reader SAM`.
    private static func isSAM(_ name: String) -> Bool {
        name.split { !$0.isLetter }.contains("SAM")
    }
}

/// Whether the kernel may suspend a reader.
enum PowerCheck: Check {
    static let name = "power"

    static func findings(in scene: Scene) -> [Finding] {
        scene.cardReaders.filter(\.mayBeSuspended).map { device in
            finding(
                .note, "The kernel may suspend \(device.words.escaped) while nobody uses it.",
                "Some readers miss tags or hang afterwards. Until the next plug this keeps it awake:",
                mend: ["echo on | \(scene.root("tee /sys/bus/usb/devices/\(device.place)/power/control"))"])
        }
    }
}
