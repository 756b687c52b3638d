/// Sends frames of a tag's own command set through a reader that lets them pass, without CRC both ways.
///
/// Not every reader tells an acknowledge from a refusal, so nothing that matters may hang on an answer of 4 bits.
public protocol NativeChannel: Sendable {
    /// Sends one frame and returns the tag's answer.
    ///
    /// - Throws: ``TagError`` 102 when the tag refuses or is silent, 100 when it left, 1 where the reader does not let
    ///   frames pass.
    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8]

    /// Sends frames one after another, with nothing in between, and returns the answers in this order.
    ///
    /// - Throws: as ``transceive(_:)`` does for the first frame that fails; those behind it are not sent.
    func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]]

    /// How many frames are worth sending in turn: more than one where ``transceive(inTurn:)`` takes fewer exchanges with the
    /// reader than as many calls of ``transceive(_:)``.
    var framesInTurn: Int { get }

    /// Selects the tag again, which is mute after it refused a command. What it held in volatile memory is lost.
    ///
    /// - Returns: false where the reader offers no way; then only a reset of the connection helps.
    /// - Throws: ``TagError`` when the tag does not come back.
    func reactivate() async throws(TagError) -> Bool
}

extension NativeChannel {
    /// One exchange for each frame.
    public func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        var answers: [[UInt8]] = []
        for frame in frames { answers.append(try await transceive(frame)) }
        return answers
    }

    /// 1: nothing is gained.
    public var framesInTurn: Int { 1 }

    /// No way to select the tag again.
    public func reactivate() async throws(TagError) -> Bool { false }
}

/// Carries packets of JIS X 6319-4 to a card, length byte in front both ways, without preamble and CRC.
///
/// Each kind of reader has its own way to do so; ``ACR122UDataExchange`` is one.
public protocol FeliCaChannel: NativeChannel {
    /// The longest packet that passes in either direction, in bytes with the length byte; at most 255.
    var longestFrame: Int { get }
}

extension FeliCaChannel {
    /// How many blocks of one service a read may name, by the length of its answer, at least 1.
    var readLimit: Int { max(1, min(15, (longestFrame - 13) / FeliCaBlock.size)) }
    /// How many blocks of one service a write may name, by the length of its command with elements of 3 bytes, at least
    /// 1.
    var writeLimit: Int { max(1, min(13, (longestFrame - 14) / (FeliCaBlock.size + 3))) }
}

/// Stands where a reader has no way to a kind of card: every frame fails, and says so.
struct UnsupportedChannel: FeliCaChannel {
    /// What to tell, for example `ACR1552U gives no way to Type 1 Tags`.
    let reason: String

    let longestFrame = 252

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        throw TagError(.unsupportedFeature, reason)
    }
}
