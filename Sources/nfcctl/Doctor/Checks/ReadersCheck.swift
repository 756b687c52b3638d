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
