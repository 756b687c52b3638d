import NDEF
import NFCProtocol
import NFCTypes

/// Checks that nfcd detects the readers that are plugged in.
enum ReadersCheck: Check {
    static let name = "readers"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let others = snapshot.devices.compactMap { incompatible($0) }
        guard let state = snapshot.daemon.state else { return plugged(snapshot) + others }
        let missing = state.isSimulated ? [] : snapshot.cardReaders.filter { listing(of: $0, state, snapshot) == nil }
        if state.readers.isEmpty, missing.isEmpty { return [none(state, snapshot)] + others }
        return state.readers.map { listed($0, snapshot) } + missing.map { unlisted($0, snapshot) } + others
    }

    /// The USB readers; used if nfcd cannot be asked.
    private static func plugged(_ snapshot: SystemSnapshot) -> [Finding] {
        guard !snapshot.cardReaders.isEmpty else {
            return [finding(.note, "No USB reader was found.", fix: ["lsusb"] + snapshot.simulatorCommands)]
        }
        return snapshot.cardReaders.map { ok("\($0.summary.printable) is plugged in.") }
    }

    private static func listed(_ reader: ReadersList.Reader, _ snapshot: SystemSnapshot) -> Finding {
        let name = "\(reader.name.printable) (\(reader.reader.printable))"
        if let reason = reader.blocked { return blocked(name, reason.printable, snapshot) }
        guard reader.state == .failed else { return ok("\(name) is ready: \(reader.state.rawValue).") }
        return finding(
            snapshot.severity, "\(name) has failed.",
            "\((reader.failure ?? "nfcd reports no reason").printable). Unplug it, wait a moment and plug it in again, "
                + "without a hub.",
            fix: [snapshot.restartPCSC] + [snapshot.showJournal].compactMap(\.self))
    }

    /// The finding for a reader that another program holds. The reader itself works.
    private static func blocked(_ name: String, _ reason: String, _ snapshot: SystemSnapshot) -> Finding {
        let holders = ProgramsCheck.users(in: snapshot)
        let list = holders.map(\.process).joined(separator: ", ")
        let who =
            switch holders.count {
            case 0 where snapshot.host.isRoot: "No program was found that uses PC/SC; it may run in a container."
            case 0: "Only root sees the programs of other users."
            case 1: "\(list) uses PC/SC. Wait until it releases the reader, or end it."
            default: "One of these programs holds it: \(list). Wait until it releases the reader, or end it."
            }
        let isComplete = snapshot.host.isRoot || !holders.isEmpty
        return finding(
            .warning, "\(name) is held by another program.", "nfcd reports: \(reason). \(who)",
            fix: isComplete ? holders.flatMap(\.fix) : ["sudo nfcctl doctor"])
    }

    /// How nfcd lists the device, under the name that its driver gives it or under its USB name.
    static func listing(
        of device: USBDevice, _ state: DaemonState, _ snapshot: SystemSnapshot
    ) -> ReadersList.Reader? {
        let names = snapshot.bundles.compactMap { $0.readers[device.identity] } + [device.name]
        return state.readers.first { reader in names.contains { !$0.isEmpty && reader.name.contains($0) } }
    }

    private static func unlisted(_ device: USBDevice, _ snapshot: SystemSnapshot) -> Finding {
        finding(
            snapshot.severity, "\(device.summary.printable) is plugged in, but nfcd does not detect it.",
            "pcscd has not opened it; another finding may explain why. If none does, plug it in again.",
            fix: restartPCSC(snapshot))
    }

    private static func none(_ state: DaemonState, _ snapshot: SystemSnapshot) -> Finding {
        guard let reason = state.serviceProblem else {
            return finding(.problem, "No reader is plugged in.", fix: ["lsusb"] + snapshot.simulatorCommands)
        }
        return finding(.problem, "nfcd cannot reach pcscd.", reason.printable, fix: restartPCSC(snapshot))
    }

    /// Not where systemd cannot start pcscd: that finding has its own advice.
    private static func restartPCSC(_ snapshot: SystemSnapshot) -> [String] {
        PCSCUnits.problem(in: snapshot) == nil ? [snapshot.restartPCSC] : []
    }

    /// NFC devices that are not PC/SC readers, with the names that libnfc and nfcpy use.
    private static let incompatibleDevices: [USBIdentity: String] = [
        USBIdentity(vendor: 0x054C, product: 0x06C1): "Sony RC-S380/S",
        USBIdentity(vendor: 0x054C, product: 0x06C3): "Sony RC-S380/P",
        USBIdentity(vendor: 0x04E6, product: 0x5591): "SCM SCL3711",
        USBIdentity(vendor: 0x04CC, product: 0x2533): "NXP PN533",
        USBIdentity(vendor: 0x04CC, product: 0x0531): "NXP PN531",
    ]

    private static func incompatible(_ device: USBDevice) -> Finding? {
        incompatibleDevices[device.identity].map {
            finding(
                .warning, "\($0) (\(device.identity)) is not a PC/SC reader, so nfcd cannot use it.",
                "The pcscd driver ifdnfc supports some of these devices through libnfc. Any CCID reader works.", fix: []
            )
        }
    }
}

/// Checks that the driver allows escape commands.
enum EscapeCheck: Check {
    static let name = "escape"

    /// Whether light and sound need escape commands: readers of Advanced Card Systems, except the ACR122U.
    private static func needsEscape(_ device: USBDevice) -> Bool {
        device.identity.vendor == 0x072F && device.identity.product != 0x2200
    }

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        snapshot.cardReaders.compactMap { device in
            let bundle = snapshot.bundles.first { $0.readers[device.identity] != nil }
            guard needsEscape(device), let bundle, bundle.name == "ifd-ccid", !bundle.allowsEscape else { return nil }
            return finding(device, bundle, snapshot)
        }
    }

    private static func finding(_ device: USBDevice, _ bundle: ReaderBundle, _ snapshot: SystemSnapshot) -> Finding {
        let edit = #"sed -i '/<key>ifdDriverOptions</{n;s/>0x0000</>0x0001</}' "# + bundle.path.shellQuoted
        return finding(
            .note, "\(bundle.package) does not allow escape commands to \(device.summary.printable).",
            "Reading and writing work; light and sound (feedback) and reader settings do not.",
            fix: [snapshot.asRoot(edit.replacing("sed -i", with: "sed -i --follow-symlinks")), snapshot.restartPCSC])
    }
}

/// Reports SAM slots, which pcscd lists as readers and nfcd hides.
enum SlotCheck: Check {
    static let name = "slots"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        let slots = snapshot.cardReaders.flatMap { device in
            device.interfaces.filter { isSAM($0.name) }.map { "\($0.name) of \(device.summary)" }
        }
        let listed = snapshot.daemon.state?.readers.map(\.name).filter(isSAM) ?? []
        return slots.map { finding(.note, "\($0.printable) cannot read tags; nfcd hides it.", fix: []) }
            + listed.map {
                finding(.note, "\($0.printable) is a SAM slot of the reader and cannot read tags.", fix: [])
            }
    }

    /// Whether a name contains the word SAM, as in `ACR1252 Dual Reader SAM`.
    private static func isSAM(_ name: String) -> Bool {
        name.split { !$0.isLetter }.contains("SAM")
    }
}

/// Checks whether the kernel may have suspended a reader that does not work. Most readers work with that setting, which is
/// the default of many systems.
enum PowerCheck: Check {
    static let name = "power"

    static func findings(in snapshot: SystemSnapshot) -> [Finding] {
        guard let state = snapshot.daemon.state, !state.isSimulated else { return [] }
        let broken = snapshot.cardReaders.filter { device in
            device.mayBeSuspended
                && (ReadersCheck.listing(of: device, state, snapshot).map { $0.state == .failed } ?? true)
        }
        return broken.map { device in
            finding(
                .note, "The kernel may suspend \(device.summary.printable) while it is idle.",
                "Some readers miss tags or hang afterwards. This keeps the reader awake until it is unplugged:",
                fix: ["echo on | \(snapshot.asRoot("tee /sys/bus/usb/devices/\(device.port)/power/control"))"])
        }
    }
}
