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
