/// A message from vpcd to the card, without its two-byte length.
enum VPCDMessage: Hashable {
    case powerOff
    case powerOn
    case reset
    /// The request for the ATR, which vpcd also uses to see whether the card is still there.
    case answerToReset
    case command([UInt8])

    /// Reads a body; single bytes other than the four controls are commands as well.
    init(_ body: [UInt8]) {
        switch body {
        case [0x00]: self = .powerOff
        case [0x01]: self = .powerOn
        case [0x02]: self = .reset
        case [0x04]: self = .answerToReset
        default: self = .command(body)
        }
    }

    /// The largest body that the two-byte length can announce.
    static let maximumSize = 0xFFFF

    /// A message as it goes over the wire: length, big-endian, and body. A body too large becomes `6F 00`.
    static func frame(_ body: [UInt8]) -> [UInt8] {
        guard body.count <= maximumSize else { return frame(StatusWord.noDiagnosis) }
        return [UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
    }

    /// The length in a message's first two bytes.
    static func length(_ header: [UInt8]) -> Int {
        header.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }
}
