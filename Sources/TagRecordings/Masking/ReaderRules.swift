// Pseudo-APDUs of readers: class FF, PC/SC part 3 and the manuals of the readers.

extension MaskContext {
    /// A pseudo-APDU.
    mutating func judgeReader(
        _ apdu: APDULayout, _ command: [UInt8], _ answer: [UInt8], _ secrecy: inout ExchangeSecrecy
    ) {
        let data = answer.withoutStatus
        switch apdu.instruction {
        // GET DATA: the identifier or the ATS.
        case 0xCA where apdu.data.isEmpty: break
        // LOAD KEYS.
        case 0x82: secrecy.mark(command: apdu.data, .secret)
        // GENERAL AUTHENTICATE has only the number of a key.
        case 0x86 where apdu.data.count == 5 && command[apdu.data.lowerBound] == 0x01: break
        case 0xB0: judgeBlocks(answer: data, from: Int(apdu.parameter), &secrecy)
        case 0xD6: judgeWrite(apdu, &secrecy)
        // INCREMENT, DECREMENT and RESTORE of value blocks.
        case 0xD7, 0xD2, 0xD4, 0xF0:
            secrecy.mark(command: apdu.data, .content)
            secrecy.mark(answer: data, .content)
        case 0xC2: judgeTransparent(apdu, command, answer, &secrecy)
        case 0x00 where apdu.parameter == 0: judgeDirect(apdu, command, answer, &secrecy)
        // LED, buzzer, firmware and settings of ACS readers.
        case 0x00 where [0x40, 0x41, 0x48, 0x50, 0x51, 0x52].contains(apdu.parameter >> 8): break
        // OMNIKEY 5321: 01 00 nn, then the frame.
        case 0xA0 where apdu.parameter >> 8 == 0x00 && apdu.data.count > 3:
            judgeFrame(apdu.data.lowerBound + 3..<apdu.data.upperBound, data, command, answer, &secrecy)
        // Identiv: time and type in the header, then the frame.
        case 0xFD: judgeFrame(apdu.data, data, command, answer, &secrecy)
        case 0x40...0x4A where technology == .feliCa: judgeFeliCaForm(apdu, command, data, &secrecy)
        case 0x50...0x60 where technology == .topaz: judgeTopazForm(apdu, data, &secrecy)
        // SpringCard: which service is used.
        case 0xFB: break
        default:
            secrecy.mark(command: apdu.data, .secret)
            secrecy.mark(answer: data, .secret)
        }
    }

    // MARK: Blocks

    /// The answer to READ BINARY.
    private func judgeBlocks(answer data: Range<Int>, from address: Int, _ secrecy: inout ExchangeSecrecy) {
        switch technology {
        case .type2: judgePages(answer: data, from: address, &secrecy)
        case .classic:
            secrecy.mark(answer: address == 0 ? 16..<data.upperBound.atLeast(16) : data, .content)
            for (number, offset) in stride(from: 0, to: data.count, by: 16).enumerated()
            where Self.isTrailer(address + number) {
                secrecy.mark(answer: (offset..<offset + 6).clamped(to: data), .secret)
                secrecy.mark(answer: (offset + 10..<offset + 16).clamped(to: data), .secret)
            }
        default: secrecy.mark(answer: data, .content)
        }
    }

    /// UPDATE BINARY.
    private func judgeWrite(_ apdu: APDULayout, _ secrecy: inout ExchangeSecrecy) {
        let address = Int(apdu.parameter)
        secrecy.mark(command: apdu.data, .content)
        switch technology {
        case .type2: judgePages(command: apdu.data, from: address, &secrecy)
        case .classic where Self.isTrailer(address):
            let start = apdu.data.lowerBound
            secrecy.mark(command: start..<start + 6, .secret)
            secrecy.mark(command: (start + 10)..<(start + 16), .secret)
        case .classic, .iso15693, .feliCa, .topaz: break
        // A trailer of keys, or a page of a password.
        case .card, .unknown: secrecy.mark(command: apdu.data, .secret)
        }
    }

    /// Whether a block of a MIFARE Classic holds the keys of its sector.
    private static func isTrailer(_ block: Int) -> Bool { block < 128 ? block % 4 == 3 : block % 16 == 15 }

    /// Pages of a Type 2 tag in an answer: the first four have UID, lock bits and capability container.
    func judgePages(answer data: Range<Int>, from page: Int, _ secrecy: inout ExchangeSecrecy) {
        for (number, offset) in stride(from: data.lowerBound, to: data.upperBound, by: 4).enumerated() {
            // A chip does not show its password; which pages those are is known with its version, and others hold lock bits.
            let pages = version == nil ? [] : passwordPages
            secrecy.mark(
                answer: offset..<min(offset + 4, data.upperBound), secrecyOfPage(page + number, passwords: pages))
        }
    }

    /// Pages of a Type 2 tag in a command.
    func judgePages(command data: Range<Int>, from page: Int, _ secrecy: inout ExchangeSecrecy) {
        for (number, offset) in stride(from: data.lowerBound, to: data.upperBound, by: 4).enumerated() {
            secrecy.mark(
                command: offset..<min(offset + 4, data.upperBound),
                secrecyOfPage(page + number, passwords: passwordPages))
        }
    }

    private func secrecyOfPage(_ page: Int, passwords: Set<Int>) -> ByteSecrecy {
        if page < 4, sector == 0 { return .open }
        return sector ?? 0 == 0 && passwords.contains(page) ? .secret : .content
    }

    /// The pages of passwords and keys, by the size in the answer to GET_VERSION; without one, those of every product.
    private var passwordPages: Set<Int> {
        guard let version, version.count == 8 else { return Self.allPasswordPages }
        switch (version[2], version[6]) {
        case (0x03, 0x0B): return [0x12, 0x13]
        case (0x03, 0x0E): return [0x27, 0x28]
        case (0x03, _): return Self.allPasswordPages
        case (0x04, 0x0B): return [0x12, 0x13]
        case (0x04, 0x0E), (0x04, 0x0F): return [0x27, 0x28, 0x2B, 0x2C]
        case (0x04, 0x11): return [0x85, 0x86]
        case (0x04, 0x13), (0x04, 0x15): return [0xE5, 0xE6]
        default: return Self.allPasswordPages
        }
    }

    /// Ultralight EV1, Ultralight C and AES (keys), NTAG 210 to 216, NTAG I2C plus, NTAG 213 TT and 223.
    private static let allPasswordPages = Set(
        [0x12, 0x13, 0x27, 0x28, 0x2B, 0x2C, 0x85, 0x86, 0xE5, 0xE6] + (0x2C...0x37) + (0x3A...0x41))

    // MARK: Frames in pseudo-APDUs

    /// `FF 00 00 00`: a PN532 command on an ACR122U, a frame on other readers.
    private mutating func judgeDirect(
        _ apdu: APDULayout, _ command: [UInt8], _ answer: [UInt8], _ secrecy: inout ExchangeSecrecy
    ) {
        let data = answer.withoutStatus
        let start = apdu.data.lowerBound
        guard apdu.data.count >= 2, command[start] == 0xD4 else {
            return judgeFrame(apdu.data, data, command, answer, &secrecy)
        }
        switch command[start + 1] {
        // InCommunicateThru, InDataExchange: a status, then the answer.
        case 0x42:
            judgeFrame(
                start + 2..<apdu.data.upperBound, min(3, data.upperBound)..<data.upperBound, command, answer, &secrecy)
        case 0x40 where apdu.data.count >= 3:
            judgeFrame(
                start + 3..<apdu.data.upperBound, min(3, data.upperBound)..<data.upperBound, command, answer, &secrecy)
        // Versions, registers, the RF field, polling, selection and release of targets.
        case 0x02, 0x04, 0x06, 0x08, 0x0C, 0x0E, 0x12, 0x32, 0x44, 0x4A, 0x52, 0x54, 0x60: break
        default:
            secrecy.mark(command: start + 2..<apdu.data.upperBound, .secret)
            secrecy.mark(answer: data, .secret)
        }
    }

    /// `FF C2`: objects, of which 95 is a frame to the tag, and 97 in the answer is what came back.
    private mutating func judgeTransparent(
        _ apdu: APDULayout, _ command: [UInt8], _ answer: [UInt8], _ secrecy: inout ExchangeSecrecy
    ) {
        let objects = BasicTLV.objects(command, in: apdu.data)
        let replies = BasicTLV.objects(answer, in: answer.withoutStatus)
        guard let objects, let replies else {
            secrecy.mark(command: apdu.data, .secret)
            return secrecy.mark(answer: answer.withoutStatus, .secret)
        }
        let known: Set<UInt16> = [0x81, 0x82, 0x83, 0x84, 0x8F, 0x90, 0x91, 0x93, 0x94, 0x95, 0x5F46, 0xFF6E]
        for object in objects where !known.contains(object.tag) { secrecy.mark(command: object.value, .secret) }
        let reply = replies.first { $0.tag == 0x97 }?.value
        guard let frame = objects.first(where: { $0.tag == 0x95 })?.value else {
            // The identifier in an answer of 8F; anything else is not expected.
            if let reply { secrecy.mark(answer: reply, .secret) }
            return
        }
        judgeFrame(frame, reply ?? 0..<0, command, answer, &secrecy)
    }

    // MARK: Forms of uTrust readers

    /// `FF 40` to `FF 4A`: FeliCa commands. Reading shows contents; a write may hold a key.
    private func judgeFeliCaForm(
        _ apdu: APDULayout, _ command: [UInt8], _ data: Range<Int>, _ secrecy: inout ExchangeSecrecy
    ) {
        switch apdu.instruction {
        case 0x46: secrecy.mark(answer: 10..<data.upperBound.atLeast(10), .content)
        case 0x48:
            let services = Int(apdu.parameter >> 8), blocks = Int(apdu.parameter & 0xFF)
            let list = apdu.data.lowerBound + 2 * services
            let body = list + 2 * blocks
            guard body <= apdu.data.upperBound else { return secrecy.mark(command: apdu.data, .secret) }
            let numbers = stride(from: list + 1, to: body, by: 2).map { command[$0] }
            let hasKey = numbers.contains { FrameRules.feliCaKeyBlocks.contains($0) }
            secrecy.mark(command: body..<apdu.data.upperBound, hasKey ? .secret : .content)
        default: break
        }
    }

    /// `FF 50` to `FF 60`: commands of Type 1 tags, which have no secrets.
    private func judgeTopazForm(_ apdu: APDULayout, _ data: Range<Int>, _ secrecy: inout ExchangeSecrecy) {
        guard apdu.instruction != 0x50 else { return }
        secrecy.mark(command: apdu.data, .content)
        secrecy.mark(answer: data, .content)
    }
}

/// Objects of BER-TLV as readers use them: tags of one or two bytes, lengths of one or two.
enum BasicTLV {
    /// Objects of BER-TLV, of one level; nil for bytes that are not.
    static func objects(_ bytes: [UInt8], in range: Range<Int>) -> [(tag: UInt16, value: Range<Int>)]? {
        var objects: [(tag: UInt16, value: Range<Int>)] = []
        var position = range.lowerBound
        while position < range.upperBound {
            var tag = UInt16(bytes[position])
            position += 1
            if tag & 0x1F == 0x1F {
                guard position < range.upperBound else { return nil }
                tag = tag << 8 | UInt16(bytes[position])
                position += 1
            }
            guard position < range.upperBound else { return nil }
            var length = Int(bytes[position])
            position += 1
            if length == 0x81 {
                guard position < range.upperBound else { return nil }
                length = Int(bytes[position])
                position += 1
            } else if length > 0x81 {
                return nil
            }
            guard position + length <= range.upperBound else { return nil }
            objects.append((tag, position..<position + length))
            position += length
        }
        return objects
    }
}
