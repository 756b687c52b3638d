/// Stands where a reader has no way to a kind of card: every frame fails, and says so.
struct UnsupportedChannel: FeliCaChannel {
    /// What to tell, for example `ACR1552U gives no way to Type 1 Tags`.
    let reason: String

    let longestFrame = 252

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        throw TagError(.unsupportedFeature, reason)
    }
}
