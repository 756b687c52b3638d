/// Walks through the characters of an answer to reset in order (ISO/IEC 7816-3).
struct AnswerToResetParser {
    private let bytes: [UInt8]
    private var rest: ArraySlice<UInt8>
    private(set) var interfaceBytes: [AnswerToReset.InterfaceBytes] = []
    private(set) var historicalBytes: [UInt8] = []
    private(set) var warnings: [AnswerToReset.Warning] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = bytes[...]
    }

    mutating func parse() throws(AnswerToResetError) {
        let initial = try next("TS")
        guard initial == 0x3B || initial == 0x3F else { throw .unknownInitialCharacter(initial) }
        let format = try next("T0")
        try parseInterfaceBytes(announcedBy: format)
        let count = Int(format & 0x0F)
        guard rest.count >= count else { throw .truncated("the last of \(count) historical bytes") }
        historicalBytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        parseCheckByte()
        if !rest.isEmpty { warnings.append(.trailingBytes(rest.count)) }
    }

    /// Every level consumes at least its TD, so the chain ends with the bytes.
    private mutating func parseInterfaceBytes(announcedBy format: UInt8) throws(AnswerToResetError) {
        var presence = format
        while presence & 0xF0 != 0 {
            let level = interfaceBytes.count + 1
            let group = AnswerToReset.InterfaceBytes(
                ta: presence & 0x10 == 0 ? nil : try next("TA\(level)"),
                tb: presence & 0x20 == 0 ? nil : try next("TB\(level)"),
                tc: presence & 0x40 == 0 ? nil : try next("TC\(level)"),
                td: presence & 0x80 == 0 ? nil : try next("TD\(level)"))
            interfaceBytes.append(group)
            presence = group.td ?? 0
        }
    }

    /// TCK is there when any protocol other than T=0 is announced.
    private mutating func parseCheckByte() {
        guard interfaceBytes.contains(where: { ($0.td ?? 0) & 0x0F != 0 }) else { return }
        let covered = bytes.dropFirst().prefix(bytes.count - 1 - rest.count)
        guard let found = rest.popFirst() else { return warnings.append(.checkByteMissing) }
        let expected = covered.reduce(0, ^)
        if found != expected { warnings.append(.checkByteWrong(found: found, expected: expected)) }
    }

    private mutating func next(_ name: String) throws(AnswerToResetError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .truncated(name) }
        return byte
    }
}
