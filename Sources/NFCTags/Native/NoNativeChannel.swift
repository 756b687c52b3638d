/// A reader that lets no frame pass.
public struct NoNativeChannel: NativeChannel {
    /// The channel of every such reader.
    public init() {}

    /// Always fails.
    ///
    /// - Throws: ``TagError`` 1.
    public func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        throw TagError(.unsupportedFeature, "the reader does not let the tag's own commands pass")
    }
}
