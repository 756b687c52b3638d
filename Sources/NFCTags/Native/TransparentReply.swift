import ISO7816

/// The data objects in the answer of a transparent session (PC/SC Part 3, Manage Session and Transparent Exchange).
struct TransparentReply: Sendable, Hashable {
    /// C0: the object that failed, 0 for none.
    private(set) var failedObject: UInt8?
    /// C0: the status of that object.
    private(set) var statusWord: StatusWord?
    /// 92: how many bits of the last byte count, 0 for all.
    private(set) var validBits: UInt8 = 0
    /// 96: what was wrong with the received frame: bit 0 CRC, 1 collision, 2 parity, 3 framing.
    private(set) var receptionStatus: UInt8 = 0
    /// 97: the tag's answer.
    private(set) var data: [UInt8]?

    /// Takes the objects apart; nil where a length runs past the end.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let tag = rest.popFirst() {
            // A second byte follows where the low five bits are set.
            if tag & 0x1F == 0x1F, rest.popFirst() == nil { return nil }
            guard let length = Self.length(&rest), length <= rest.count else { return nil }
            note(tag, Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }

    /// Whether the reader says that everything was carried out. The outer 9000 does not.
    var isSuccess: Bool { failedObject == 0 && statusWord == .success }

    private mutating func note(_ tag: UInt8, _ value: [UInt8]) {
        switch (tag, value.count) {
        case (0xC0, 3):
            failedObject = value[0]
            statusWord = StatusWord(sw1: value[1], sw2: value[2])
        case (0x92, 1): validBits = value[0]
        case (0x96, 1...): receptionStatus = value[0]
        case (0x97, _): data = value
        default: break
        }
    }

    /// One byte below 80, or 81 or 82 and as many bytes (ISO/IEC 8825-1).
    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        guard first == 0x81 || first == 0x82 else { return nil }
        let count = Int(first & 0x0F)
        guard rest.count >= count else { return nil }
        let value = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
        return value
    }
}
