/// A transport that sends frames of a tag's own command set through a reader, without CRC in both directions.
///
/// Some readers do not distinguish an ACK from a NAK, so nothing important may depend on a 4-bit answer.
public protocol NativeChannel: Sendable {
    /// Sends one frame and returns the tag's answer.
    ///
    /// - Throws: ``TagError`` 102 if the tag refuses or does not answer, 100 if it left, 1 if the reader does not pass
    ///   frames.
    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8]

    /// Sends frames one after another, with nothing in between, and returns the answers in the same order.
    ///
    /// - Throws: as ``transceive(_:)`` does for the first frame that fails; the frames after it are not sent.
    func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]]

    /// How many frames to send in one call of ``transceive(inTurn:)``: more than one if that takes fewer exchanges with the
    /// reader than separate calls of ``transceive(_:)``.
    var framesInTurn: Int { get }

    /// The exchanges with the reader that each call takes in addition to one per frame.
    var overhead: Int { get }

    /// The longest answer, in bytes.
    var longestAnswer: Int { get }

    /// Whether the answer shows an ACK, and the failure a NAK. A reader that reports the 4 bits of both as the same failure
    /// does not; see ``Type2RawFrames``.
    var showsAcknowledge: Bool { get }

    /// Whether ``reactivate()`` selects the tag.
    var canReactivate: Bool { get }

    /// Selects the tag again, which is mute after it refused a command. The tag loses its volatile state.
    ///
    /// - Returns: false if the reader cannot do so; then only a reset of the connection helps.
    /// - Throws: ``TagError`` if the tag does not come back.
    func reactivate() async throws(TagError) -> Bool
}

extension NativeChannel {
    /// One exchange for each frame.
    public func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        var answers: [[UInt8]] = []
        for frame in frames { answers.append(try await transceive(frame)) }
        return answers
    }

    /// 1: several frames take as many exchanges as separate calls.
    public var framesInTurn: Int { 1 }

    /// 0: one exchange per frame.
    public var overhead: Int { 0 }

    /// 252: what fits into a short answer, in whole pages of a Type 2 tag.
    public var longestAnswer: Int { 252 }

    /// An ACK is the answer `0A`.
    public var showsAcknowledge: Bool { true }

    /// The reader cannot select the tag again.
    public var canReactivate: Bool { false }

    /// The reader cannot select the tag again.
    public func reactivate() async throws(TagError) -> Bool { false }
}

/// A transport with sessions, each of which selects the tag: what the tag keeps while it is selected, such as an authentication, lasts
/// for one of them.
package protocol SessionChannel: NativeChannel {
    /// Opens a session, which selects the tag. After an error, the session has to be ended as well.
    func beginSession() async throws(TagError)

    /// Sends one frame in the open session.
    func exchange(_ frame: [UInt8]) async throws(TagError) -> [UInt8]

    /// Ends the session.
    func endSession() async throws(TagError)
}

extension SessionChannel {
    /// Opens a session, which selects the tag, and ends it also after an error.
    package func inSession<Value: Sendable>(
        _ body: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        let value: Value
        do throws(TagError) {
            try await beginSession()
            value = try await body()
        } catch {
            // Report the first failure. An open session would make every later command fail.
            _ = try? await endSession()
            throw error
        }
        try await endSession()
        return value
    }
}

/// A transport that carries packets of JIS X 6319-4 to a card, with the length byte in front in both directions, without
/// preamble and CRC.
public protocol FeliCaChannel: NativeChannel {
    /// The longest packet in either direction, in bytes with the length byte; at most 255.
    var longestFrame: Int { get }
}

extension FeliCaChannel {
    /// How many blocks of one service a read may name, by the length of its answer, at least 1.
    var readLimit: Int { max(1, min(15, (longestFrame - 13) / FeliCaBlock.size)) }
    /// How many blocks of one service a write may name, by the length of its command with elements of 3 bytes, at least
    /// 1.
    var writeLimit: Int { max(1, min(13, (longestFrame - 14) / (FeliCaBlock.size + 3))) }
}

/// The transport of a reader that does not support a kind of card: every frame fails with ``TagError`` 1.
struct UnsupportedChannel: FeliCaChannel {
    /// The error detail, for example `ACR1552U readers do not support Type 1 tags`.
    let reason: String

    let longestFrame = 252

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        throw TagError(.unsupportedFeature, reason)
    }
}

/// A transport over another one, like it in all that it does not change.
protocol ForwardingChannel: NativeChannel {
    /// The transport below.
    var channel: any NativeChannel { get }
}

extension ForwardingChannel {
    var framesInTurn: Int { channel.framesInTurn }
    var overhead: Int { channel.overhead }
    var longestAnswer: Int { channel.longestAnswer }
    var showsAcknowledge: Bool { channel.showsAcknowledge }
    var canReactivate: Bool { channel.canReactivate }

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] { try await channel.transceive(frame) }

    func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        try await channel.transceive(inTurn: frames)
    }

    func reactivate() async throws(TagError) -> Bool { try await channel.reactivate() }
}

/// The transport of a reader that has no command to select a tag again: the connection is reset instead. That takes long, so
/// nothing is tried only because it would work.
struct ReconnectingChannel: ForwardingChannel {
    let channel: any NativeChannel
    let card: any CardChannel
    let reconnection: CardReconnection

    /// False, although ``reactivate()`` selects the tag.
    var canReactivate: Bool { false }

    func reactivate() async throws(TagError) -> Bool {
        try await reconnection.select(over: card)
        return true
    }
}
