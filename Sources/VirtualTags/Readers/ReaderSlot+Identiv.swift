/// The pseudo-APDUs of Identiv uTrust readers (uTrust 4701 F reference manual, 6.1.3 and 6.2.13 to 6.2.27).
extension ReaderSlot {
    /// `FF CC 00 00 01 1E`, READER_GET_INFO_EXTENDED: versions, modes, one slot, and a serial number.
    func identivEscape(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, apdu.p2 == 0, apdu.body?.data == [0x1E] else { return StatusWord.functionNotSupported }
        let serial = [UInt8](repeating: 0x30, count: 0x1C)
        return [0x01, 0x00, 0x07, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01, 0x1C] + serial + StatusWord.done
    }

    /// The reader puts the IDm into the packet, and takes length and code off the answer.
    mutating func identivFeliCa(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body else { return StatusWord.wrongLength }
        let (data, p1, p2) = (body.data ?? [], Int(apdu.p1), Int(apdu.p2))
        switch (apdu.instructionCode, data.count) {
        case (0x40, 4): return packet(0x00, data, addressed: false)
        case (0x42, 2 * p1) where p1 > 0: return packet(0x02, [apdu.p1] + data)
        case (0x44, 0): return packet(0x04, [])
        case (0x46, 2 * (p1 + p2)): return packet(0x06, Self.lists(data, p1, p2))
        case (0x48, 2 * (p1 + p2) + 16 * p2): return packet(0x08, Self.lists(data, p1, p2))
        case (0x4A, 0): return packet(0x0C, [])
        case (0x40, _), (0x42, _), (0x44, _), (0x46, _), (0x48, _), (0x4A, _): return StatusWord.wrongLength
        default: return StatusWord.instructionNotSupported
        }
    }

    private static func lists(_ data: [UInt8], _ services: Int, _ blocks: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: services)] + data.prefix(2 * services) + [UInt8(truncatingIfNeeded: blocks)]
            + data.dropFirst(2 * services)
    }

    private mutating func packet(_ code: UInt8, _ parameters: [UInt8], addressed: Bool = true) -> [UInt8] {
        let content = [code] + (addressed ? tag.identifier : []) + parameters
        guard content.count < 255, case .data(let answer) = pass([UInt8(content.count + 1)] + content),
            answer.count > 2
        else { return StatusWord.failed }
        return answer.dropFirst(2) + StatusWord.done
    }

    /// P2 is the address; the reader adds the UID, and takes the address off the answer.
    mutating func identivTopaz(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body, apdu.p1 == 0 else { return StatusWord.wrongLength }
        let uid = Array(tag.identifier.prefix(4))
        let blank = [UInt8](repeating: 0, count: 8)
        let data = body.data ?? []
        switch (apdu.instructionCode, data.count) {
        case (0x50, 0): return topaz([0x78, 0, 0, 0, 0, 0, 0], echo: 0)
        case (0x52, 0): return topaz([0x00, 0, 0] + uid, echo: 0)
        case (0x54, 0): return topaz([0x01, apdu.p2, 0] + uid)
        case (0x56, 1): return topaz([0x53, apdu.p2] + data + uid)
        case (0x58, 1): return topaz([0x1A, apdu.p2] + data + uid)
        case (0x5A, 0): return topaz([0x10, apdu.p2] + blank + uid)
        case (0x5C, 0): return topaz([0x02, apdu.p2] + blank + uid)
        case (0x5E, 8): return topaz([0x54, apdu.p2] + data + uid)
        case (0x60, 8): return topaz([0x1B, apdu.p2] + data + uid)
        default: return StatusWord.instructionNotSupported
        }
    }

    private mutating func topaz(_ frame: [UInt8], echo: Int = 1) -> [UInt8] {
        guard case .data(let answer) = pass(frame), answer.count > echo else { return StatusWord.failed }
        return answer.dropFirst(echo) + StatusWord.done
    }
}
