/// A command APDU of any of the seven cases (ISO/IEC 7816-3, §12.1.3), as a card's operating system takes it apart.
///
/// Two commands are equal if a card cannot distinguish them: the encoding of the lengths, short or extended, does not count.
public struct VirtualCardCommand: Sendable, Hashable {
    /// CLA.
    public let instructionClass: UInt8
    /// INS.
    public let instructionCode: UInt8
    /// P1.
    public let p1: UInt8
    /// P2.
    public let p2: UInt8
    /// The command data, empty without Lc.
    public let data: [UInt8]
    /// Ne, nil without Le; 256 for a short Le of 00 and 65,536 for an extended one of 0000.
    public let expectedLength: Int?

    /// Creates a command; `expectedLength` is Ne, 1 to 65,536, nil for a command without Le.
    public init(
        instructionClass: UInt8 = 0x00, instructionCode: UInt8, p1: UInt8 = 0x00, p2: UInt8 = 0x00,
        data: some Sequence<UInt8> = [], expectedLength: Int? = nil
    ) {
        self.instructionClass = instructionClass
        self.instructionCode = instructionCode
        self.p1 = p1
        self.p2 = p2
        self.data = Array(data)
        self.expectedLength = expectedLength
    }

    /// Takes a command apart; nil where it has no header or its lengths contradict each other.
    public init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 4, let body = Self.body(Array(bytes.dropFirst(4))) else { return nil }
        self.init(
            instructionClass: bytes[0], instructionCode: bytes[1], p1: bytes[2], p2: bytes[3], data: body.data,
            expectedLength: body.expected)
    }

    /// P1 and P2 as one number.
    public var parameter: Int { Int(p1) << 8 | Int(p2) }

    /// Whether more commands of a chain follow it: bit 5 of an interindustry CLA (ISO/IEC 7816-4, §5.3.3).
    public var isChained: Bool { instructionClass & 0x90 == 0x10 }

    /// Whether it is a SELECT by AID on the basic logical channel, without secure messaging.
    var selectsByName: Bool { instructionClass == 0x00 && instructionCode == 0xA4 && p1 == 0x04 }

    /// The command with short lengths where they fit, with extended ones where they do not.
    public var bytes: [UInt8] {
        let header = [instructionClass, instructionCode, p1, p2]
        let isExtended = data.count > 255 || (expectedLength ?? 0) > 256
        return header + (isExtended ? extendedBody : shortBody)
    }

    private var shortBody: [UInt8] {
        let length = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]
        return length + data + (expectedLength.map { [UInt8(truncatingIfNeeded: $0)] } ?? [])
    }

    private var extendedBody: [UInt8] {
        let length = data.isEmpty ? [] : Self.twoBytes(data.count)
        return [0x00] + length + data + (expectedLength.map(Self.twoBytes) ?? [])
    }

    private static func twoBytes(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

extension VirtualCardCommand: CustomStringConvertible {
    /// The command in hexadecimal.
    public var description: String { DumpHex.text(bytes, separator: "") }
}

extension VirtualCardCommand {
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

/// What a card answers to a command: data and a status word.
public struct VirtualCardResponse: Sendable, Hashable {
    /// The response data.
    public var data: [UInt8]
    /// SW1 and SW2.
    public var status: UInt16

    /// Creates a response; 9000 by default.
    public init(_ data: some Sequence<UInt8> = [], status: UInt16 = 0x9000) {
        self.data = Array(data)
        self.status = status
    }

    /// A response of a status word alone.
    public static func status(_ status: UInt16) -> VirtualCardResponse { VirtualCardResponse(status: status) }

    /// Whether the command was carried out: 9000, 61XX, and the warnings 62XX and 63XX.
    public var isCompleted: Bool { status == 0x9000 || (0x61...0x63).contains(status >> 8) }

    /// Data and status word as they go over the air.
    public var bytes: [UInt8] {
        data + [UInt8(truncatingIfNeeded: status >> 8), UInt8(truncatingIfNeeded: status)]
    }
}

/// The status words that cards answer most (ISO/IEC 7816-4, §5.6).
extension VirtualCardResponse {
    /// 9000: done.
    public static let done = VirtualCardResponse()
    /// 63CX: wrong PIN, and so many tries left, 0 to 15.
    public static func wrongPIN(triesLeft: Int) -> VirtualCardResponse {
        status(0x63C0 | UInt16(min(max(triesLeft, 0), 15)))
    }
    /// 6700: the length is wrong.
    public static let wrongLength = status(0x6700)
    /// 6982: the PIN or the key is missing.
    public static let securityStatusNotSatisfied = status(0x6982)
    /// 6983: the PIN is blocked.
    public static let authenticationBlocked = status(0x6983)
    /// 6985: not now.
    public static let conditionsNotSatisfied = status(0x6985)
    /// 6A80: the data is wrong.
    public static let wrongData = status(0x6A80)
    /// 6A82: no such file or application.
    public static let notFound = status(0x6A82)
    /// 6A86: P1 or P2 is wrong.
    public static let wrongParameters = status(0x6A86)
    /// 6D00: no such instruction.
    public static let instructionNotSupported = status(0x6D00)
    /// 6E00: no such class.
    public static let classNotSupported = status(0x6E00)
}
