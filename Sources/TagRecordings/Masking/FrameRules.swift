// Frames on the air, inside the pass-through commands of readers.

/// What the rules of several frames share.
enum FrameRules {
    /// The blocks of FeliCa Lite-S with random challenge and card key.
    static let feliCaKeyBlocks: Set<UInt8> = [0x80, 0x87]

    /// Commands of ISO/IEC 15693 with neither secrets nor contents: inventory, stay quiet, select, locks, AFI, DSFID, system
    /// information, security status; of NXP: EAS, system information, random number, signature, privacy and destruction excluded.
    static let openVicinity: Set<UInt8> = [
        0x01, 0x02, 0x22, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x32, 0x3B, 0x3C, 0xA0, 0xA2, 0xA3, 0xA4,
        0xA5,
        0xAB, 0xB2, 0xBD,
    ]
    /// READ SINGLE and MULTIPLE BLOCK with their extended and fast forms.
    static let readingVicinity: Set<UInt8> = [0x20, 0x23, 0x30, 0x33, 0xC0, 0xC3]
    /// WRITE SINGLE and MULTIPLE BLOCK with their extended forms.
    static let writingVicinity: Set<UInt8> = [0x21, 0x24, 0x31, 0x34]
}

extension MaskContext {
    /// A frame to the tag, at a place in the command, and what came back, at a place in the answer.
    mutating func judgeFrame(
        _ frame: Range<Int>, _ reply: Range<Int>, _ command: [UInt8], _ answer: [UInt8],
        _ secrecy: inout ExchangeSecrecy
    ) {
        guard !frame.isEmpty else { return }
        let bytes = Array(command[frame])
        switch technology {
        case .type2: judgeType2(bytes, frame, reply, answer, &secrecy)
        case .feliCa: judgeFeliCa(bytes, frame, reply, &secrecy)
        case .iso15693: judgeVicinity(bytes, frame, reply, &secrecy)
        case .topaz:
            secrecy.mark(command: frame.lowerBound + 1..<frame.upperBound, .content)
            secrecy.mark(answer: reply, .content)
        case .card: judgeWrapped(bytes, frame, reply, answer, &secrecy)
        case .classic, .unknown: hide(frame, after: 1, reply, &secrecy)
        }
    }

    private func hide(_ frame: Range<Int>, after count: Int, _ reply: Range<Int>, _ secrecy: inout ExchangeSecrecy) {
        secrecy.mark(command: min(frame.lowerBound + count, frame.upperBound)..<frame.upperBound, .secret)
        secrecy.mark(answer: reply, .secret)
    }

    /// An APDU in a frame.
    private mutating func judgeWrapped(
        _ bytes: [UInt8], _ frame: Range<Int>, _ reply: Range<Int>, _ answer: [UInt8],
        _ secrecy: inout ExchangeSecrecy
    ) {
        // No card uses class 1B, and PWD_AUTH has this code: the ATR may be that of another tag.
        guard bytes.first != 0xFF, bytes.first != 0x1B else { return hide(frame, after: 1, reply, &secrecy) }
        let inner = judge(bytes, reply.isEmpty ? [] : Array(answer[reply]))
        for (offset, kind) in inner.command.enumerated() where kind != .open {
            secrecy.mark(command: frame.lowerBound + offset..<frame.lowerBound + offset + 1, kind)
        }
        for (offset, kind) in inner.answer.enumerated() where kind != .open {
            secrecy.mark(answer: reply.lowerBound + offset..<reply.lowerBound + offset + 1, kind)
        }
    }

    // MARK: Type 2

    private mutating func judgeType2(
        _ bytes: [UInt8], _ frame: Range<Int>, _ reply: Range<Int>, _ answer: [UInt8],
        _ secrecy: inout ExchangeSecrecy
    ) {
        defer { expectsSector = bytes == [0xC2, 0xFF] }
        if expectsSector, bytes.count == 4 {
            sector = bytes[0]
            return
        }
        switch (bytes[0], bytes.count) {
        // GET_VERSION.
        case (0x60, 1): if reply.count == 8 { version = Array(answer[reply]) }
        // READ_SIG, READ_CNT, CHECK_TEARING_EVENT, INCR_CNT, SECTOR_SELECT, HALT, the first frame of an authentication.
        case (0x3C, 2), (0x39, 2), (0x3E, 2), (0xA5, 6), (0xC2, 2), (0x50, 2), (0x1A, 2): break
        // READ, FAST_READ.
        case (0x30, 2), (0x3A, 3): judgePages(answer: reply, from: Int(bytes[1]), &secrecy)
        // WRITE.
        case (0xA2, 6): judgePages(command: frame.lowerBound + 2..<frame.upperBound, from: Int(bytes[1]), &secrecy)
        // The host's part of an authentication; the tag's answer stays.
        case (0xAF, _): secrecy.mark(command: frame.lowerBound + 1..<frame.upperBound, .secret)
        // PWD_AUTH with its PACK, and what is not known.
        default: hide(frame, after: 1, reply, &secrecy)
        }
    }

    // MARK: FeliCa

    /// Length, code, IDm, and the parameters (JIS X 6319-4).
    private func judgeFeliCa(
        _ bytes: [UInt8], _ frame: Range<Int>, _ reply: Range<Int>, _ secrecy: inout ExchangeSecrecy
    ) {
        guard bytes.count >= 2, Int(bytes[0]) == bytes.count else { return hide(frame, after: 1, reply, &secrecy) }
        switch bytes[1] {
        // Polling, Request Service, Request Response, Request System Code.
        case 0x00, 0x02, 0x04, 0x0C: break
        // Read Without Encryption: data behind length, code, IDm, two flags and the number of blocks.
        case 0x06:
            let data = reply.lowerBound + 13
            if data < reply.upperBound { secrecy.mark(answer: data..<reply.upperBound, .content) }
        case 0x08: judgeFeliCaWrite(bytes, frame, &secrecy)
        // Authentication, Read and Write with encryption, and what is not known.
        default:
            secrecy.mark(command: min(frame.lowerBound + 10, frame.upperBound)..<frame.upperBound, .secret)
            secrecy.mark(answer: min(reply.lowerBound + 10, reply.upperBound)..<reply.upperBound, .secret)
        }
    }

    /// Write Without Encryption: services, block list, data.
    private func judgeFeliCaWrite(_ bytes: [UInt8], _ frame: Range<Int>, _ secrecy: inout ExchangeSecrecy) {
        func hideAll() {
            secrecy.mark(command: min(frame.lowerBound + 10, frame.upperBound)..<frame.upperBound, .secret)
        }
        guard bytes.count > 10 else { return hideAll() }
        var position = 11 + 2 * Int(bytes[10])
        guard position < bytes.count else { return hideAll() }
        let count = Int(bytes[position])
        position += 1
        var hasKey = false
        for _ in 0..<count {
            guard position + 1 < bytes.count else { return hideAll() }
            hasKey = hasKey || FrameRules.feliCaKeyBlocks.contains(bytes[position + 1])
            // Bit 8 of an element: its block number has one byte.
            position += bytes[position] & 0x80 != 0 ? 2 : 3
        }
        guard position <= bytes.count else { return hideAll() }
        secrecy.mark(command: frame.lowerBound + position..<frame.upperBound, hasKey ? .secret : .content)
    }

    // MARK: ISO/IEC 15693

    /// Flags, code, the manufacturer of custom commands, the UID where it is addressed, and the parameters.
    private func judgeVicinity(
        _ bytes: [UInt8], _ frame: Range<Int>, _ reply: Range<Int>, _ secrecy: inout ExchangeSecrecy
    ) {
        guard bytes.count >= 2 else { return hide(frame, after: 1, reply, &secrecy) }
        let isAddressed = bytes[0] & 0x24 == 0x20
        switch bytes[1] {
        // INVENTORY READ of NXP shows blocks.
        case 0xA0 where bytes[0] & 0x04 != 0: secrecy.mark(answer: reply, .content)
        case let code where FrameRules.openVicinity.contains(code): break
        case let code where FrameRules.readingVicinity.contains(code): secrecy.mark(answer: reply, .content)
        case let code where FrameRules.writingVicinity.contains(code):
            let start = frame.lowerBound + 2 + (isAddressed ? 8 : 0) + 1
            if start < frame.upperBound { secrecy.mark(command: start..<frame.upperBound, .content) }
        // SET PASSWORD, WRITE PASSWORD, PRESENT PASSWORD, privacy, destruction, configuration, mailbox, and what is not known.
        default:
            hide(frame, after: 2, reply, &secrecy)
        }
    }
}
