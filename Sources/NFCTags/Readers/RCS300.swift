extension ReaderProfile {
    /// Sony RC-S300 and RC-S660: transparent sessions for type A and FeliCa. Untested: no trace of them is known.
    public static let rcS300 = ReaderProfile(
        slug: "rc-s300", name: "Sony RC-S300",
        usbProducts: [0x054C: [0x0DC8, 0x0DC9, 0x0D8F]],
        readerNames: ["RC-S300", "RC-S660"],
        technologies: [.iso14443, .iso18092],
        native: { TransparentChannel(channel: $0) },
        feliCa: { TransparentChannel(channel: $0, technology: .feliCa, timer: .medium) },
        type1: { _ in UnsupportedChannel(reason: "Sony RC-S300 readers do not support Type 1 tags") })
}
