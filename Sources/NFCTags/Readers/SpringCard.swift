extension ReaderProfile {
    /// SpringCard. The readers give the IDm of a FeliCa card and pass no packets to it.
    public static let springCard = ReaderProfile(
        slug: "springcard", name: "SpringCard",
        readerNames: ["SPRINGCARD"],
        technologies: [.iso14443, .iso18092],
        feliCa: { _ in UnsupportedChannel(reason: "SpringCard readers do not support FeliCa commands") })
}
