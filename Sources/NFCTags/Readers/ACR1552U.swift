extension ReaderProfile {
    /// ACR1552U and ACR1581U: transparent sessions for all technologies.
    ///
    /// FeliCa in a transparent session is untested: no trace of it is known. Such a reader would pass the ACR122U's wrapper
    /// on to a Type 1 tag, so Type 1 tags are refused.
    public static let acr1552u = ReaderProfile(
        slug: "acr1552u", name: "ACR1552U/1581U",
        usbProducts: [0x072F: [0x2303, 0x2308, 0x2301]],
        readerNames: ["ACR1552", "ACR1581"],
        technologies: [.iso14443, .iso15693, .iso18092],
        mifareClassic: MIFAREClassicReader(valueCommands: .acs),
        native: { TransparentChannel(channel: $0) },
        iso15693: { TransparentChannel(channel: $0, technology: .iso15693, timer: .long) },
        feliCa: { TransparentChannel(channel: $0, technology: .feliCa, timer: .medium) },
        type1: { _ in UnsupportedChannel(reason: "ACR1552U/1581U readers do not support Type 1 tags") },
        feedback: ReaderFeedback.acsSounds,
        probe: .reselection)
}
