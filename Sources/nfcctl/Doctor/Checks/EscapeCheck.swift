import NDEF

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
