/// A tag with the half-duplex block protocol of ISO/IEC 14443-4. Its ``VirtualTag/exchange(_:)`` takes and answers
/// whole commands, as they come out of the information fields of the blocks; the blocks themselves are not modelled.
public protocol ContactlessCard: VirtualTag {
    /// The historical bytes of its answer to select, 0 to 15.
    var historicalBytes: [UInt8] { get }
}

/// A command APDU of any of the seven cases (ISO/IEC 7816-3, §12.1.3), as a card's operating system takes it apart.
struct CardCommand: Hashable {
    /// CLA.
    let instructionClass: UInt8
    /// INS.
    let instructionCode: UInt8
    /// P1.
    let p1: UInt8
    /// P2.
    let p2: UInt8
    /// The command data, empty without Lc.
    let data: [UInt8]
    /// Ne, nil without Le; 256 for a short Le of 00 and 65,536 for an extended one of 0000.
    let expected: Int?

    /// P1 and P2 as one number.
    var parameter: Int { Int(p1) << 8 | Int(p2) }

    /// Takes a command apart; nil where it has no header or its lengths contradict each other.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, let body = Self.body(Array(bytes.dropFirst(4))) else { return nil }
        instructionClass = bytes[0]
        instructionCode = bytes[1]
        p1 = bytes[2]
        p2 = bytes[3]
        (data, expected) = body
    }

    private static func body(_ body: [UInt8]) -> (data: [UInt8], expected: Int?)? {
        guard let first = body.first else { return ([], nil) }
        if body.count == 1 { return ([], first == 0 ? 256 : Int(first)) }
        return first == 0 ? extended(Array(body.dropFirst())) : short(Int(first), Array(body.dropFirst()))
    }

    private static func short(_ count: Int, _ rest: [UInt8]) -> (data: [UInt8], expected: Int?)? {
        switch rest.count - count {
        case 0: (rest, nil)
        case 1: (Array(rest.prefix(count)), rest.last.map { $0 == 0 ? 256 : Int($0) })
        default: nil
        }
    }

    private static func extended(_ rest: [UInt8]) -> (data: [UInt8], expected: Int?)? {
        guard rest.count >= 2 else { return nil }
        let first = Int(rest[0]) << 8 | Int(rest[1])
        if rest.count == 2 { return ([], first == 0 ? 65_536 : first) }
        let data = rest.dropFirst(2)
        switch data.count - first {
        case 0 where first > 0: return (Array(data), nil)
        case 2 where first > 0:
            let expected = Int(rest[rest.count - 2]) << 8 | Int(rest[rest.count - 1])
            return (Array(data.prefix(first)), expected == 0 ? 65_536 : expected)
        default: return nil
        }
    }
}
