import NDEF

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
