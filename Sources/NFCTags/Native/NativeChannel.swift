/// Sends frames of a tag's own command set through a reader that lets them pass, without CRC both ways.
///
/// Not every reader tells an acknowledge from a refusal, so nothing that matters may hang on an answer of 4 bits.
public protocol NativeChannel: Sendable {
    /// Sends one frame and returns the tag's answer.
    ///
    /// - Throws: ``TagError`` 102 when the tag refuses or is silent, 100 when it left.
    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8]
}
