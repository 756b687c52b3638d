/// A U2F command as programs send it through CTAPHID_MSG: a command APDU, mostly of extended length (U2F raw messages 1.2, §3).
struct U2FCommand: Sendable, Hashable {
    let instruction: UInt8
    let p1: UInt8
    let p2: UInt8
    let data: [UInt8]

    /// Why a command does not reach the card.
    struct Refusal: Error, Hashable {
        let status: UInt16

        static let wrongLength = Refusal(status: 0x6700)
        static let classNotSupported = Refusal(status: 0x6E00)
        static let instructionNotSupported = Refusal(status: 0x6D00)
    }

    /// Reads a command. Only register, authenticate and version (01 to 03) of class 00 reach a card: SELECT and the commands of
    /// other applications do not.
    static func read(_ bytes: [UInt8]) -> Result<U2FCommand, Refusal> {
        guard bytes.count >= 4 else { return .failure(.wrongLength) }
        guard bytes[0] == 0x00 else { return .failure(.classNotSupported) }
        guard (0x01...0x03).contains(bytes[1]) else { return .failure(.instructionNotSupported) }
        guard let data = data(of: bytes.dropFirst(4)) else { return .failure(.wrongLength) }
        return .success(U2FCommand(instruction: bytes[1], p1: bytes[2], p2: bytes[3], data: data))
    }

    /// The data between the header and Le; nil where the lengths do not fit.
    private static func data(of body: ArraySlice<UInt8>) -> [UInt8]? {
        let bytes = Array(body)
        switch bytes.count {
        case 0, 1: return []
        case 3 where bytes[0] == 0: return []
        // Some programs write an Lc of zero (python-fido2).
        case 5 where bytes[...2] == [0, 0, 0]: return []
        default: break
        }
        if bytes[0] == 0 {
            guard bytes.count >= 3 else { return nil }
            let length = Int(bytes[1]) << 8 | Int(bytes[2])
            return length > 0 && [3 + length, 5 + length].contains(bytes.count) ? Array(bytes[3..<(3 + length)]) : nil
        }
        let length = Int(bytes[0])
        return [1 + length, 2 + length].contains(bytes.count) ? Array(bytes[1..<(1 + length)]) : nil
    }

    /// The command in short APDUs.
    func parts(_ limits: CardTransfer.Limits) -> [[UInt8]] {
        ShortCommand.chain(
            instructionClass: 0x00, instruction: instruction, p1, p2, data,
            expected: UInt8(truncatingIfNeeded: limits.responseData), limits)
    }
}
