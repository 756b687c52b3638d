extension ReaderSlot {
    /// `FF 00 …` of an ACR122U: PN532 commands, and the firmware's name, which comes without a status word.
    mutating func pn53x(_ apdu: ShortAPDU) -> [UInt8] {
        if apdu.p1 == 0x48 { return Array("ACR122U214".utf8) }
        guard apdu.p1 == 0, apdu.p2 == 0, let data = apdu.body?.data else { return VirtualStatusWord.failed }
        switch (data.first, data.dropFirst().first) {
        case (0xD4, 0x40) where carriesPackets && data.dropFirst(2).first == 0x01:
            return exchangeData(Array(data.dropFirst(3)))
        case (0xD4, 0x42): return communicateThrough(Array(data.dropFirst(2)))
        case (0xD4, 0x4A) where data.dropFirst(2).elementsEqual([0x01, 0x00]): return listPassiveTarget()
        default: return VirtualStatusWord.failed
        }
    }

    /// InDataExchange with other kinds of tags is the PN532's own business, and not modelled.
    private var carriesPackets: Bool { kind == .feliCa || kind == .topaz }

    /// InCommunicateThru. Status 00 is done, 01 time-out, 02 a wrong CRC: what 4 bits look like, a refusal or not.
    private mutating func communicateThrough(_ frame: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0xD5, 0x43]
        switch exchange(frame, isNative: true) {
        // The PN532 takes 252 bytes from a tag; how it reports longer answers is not documented.
        case .data(let bytes) where bytes.count > 252: return head + [0x07] + VirtualStatusWord.done
        case .data(let bytes): return head + [0x00] + bytes + VirtualStatusWord.done
        case .ack, .nak: return head + [0x02] + VirtualStatusWord.done
        case .silence: return head + [0x01] + VirtualStatusWord.done
        }
    }

    /// InListPassiveTarget: one target of type A with ATQA 00 44, SAK 00.
    private mutating func listPassiveTarget() -> [UInt8] {
        activate()
        let identifier = tag.identifier
        let target: [UInt8] = [0x01, 0x01, 0x00, 0x44, 0x00, UInt8(truncatingIfNeeded: identifier.count)]
        return [0xD5, 0x4B] + target + identifier + VirtualStatusWord.done
    }

    /// `FF 00 00 00 Lc frame` of an ACR1252U. A page is written, and still answered with a failure.
    mutating func direct(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, apdu.p2 == 0, let frame = apdu.body?.data else { return VirtualStatusWord.failed }
        guard case .data(let bytes) = exchange(frame, isNative: true) else { return VirtualStatusWord.failed }
        return bytes + VirtualStatusWord.done
    }

    /// `FF A0 00 05 Lc 01 00 nn frame` of an OMNIKEY 5321.
    mutating func omnikey(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, apdu.p2 == 0x05, let data = apdu.commandData, data.starts(with: [0x01, 0x00]),
            data.count > 3, Int(data[2]) == data.count - 3
        else { return VirtualStatusWord.wrongLength }
        guard case .data(let bytes) = exchange(Array(data.dropFirst(3)), isNative: true) else {
            return VirtualStatusWord.failed
        }
        return bytes + VirtualStatusWord.done
    }
}

extension ReaderSlot {
    /// FeliCa cards and Topaz tags, whose frames nothing but a pass-through carries.
    mutating func respondPackets(to apdu: ShortAPDU) -> [UInt8] {
        if settings.isIdentiv { return kind == .feliCa ? identivFeliCa(apdu) : identivTopaz(apdu) }
        guard settings.exchangesData, apdu.instructionCode == 0x00 else {
            return VirtualStatusWord.instructionNotSupported
        }
        guard let data = apdu.commandData else { return VirtualStatusWord.wrongLength }
        guard data.starts(with: [0xD4, 0x40, 0x01]), apdu.p1 == 0, apdu.p2 == 0 else { return VirtualStatusWord.failed }
        return exchangeData(Array(data.dropFirst(3)))
    }

    /// InDataExchange of a PN53x: `D5 41 00` and the tag's frame, or `D5 41 01` where the tag is silent.
    mutating func exchangeData(_ frame: [UInt8]) -> [UInt8] {
        guard case .data(let bytes) = pass(frame) else { return [0xD5, 0x41, 0x01] + VirtualStatusWord.done }
        return [0xD5, 0x41, 0x00] + bytes + VirtualStatusWord.done
    }

    /// A raw frame; the tag is not selected again after silence.
    mutating func pass(_ frame: [UInt8]) -> VirtualTagAnswer {
        let answer = tag.exchange(frame)
        log.note(.frame(command: frame, answer: answer))
        return answer
    }
}

extension ReaderSlot {
    /// `FF C2 00 …`: P2 00 manages the session, 02 chooses the protocol, 01 exchanges a frame (PC/SC part 3).
    mutating func transparent(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, let data = apdu.body?.data, let objects = DataObjects(data) else {
            return VirtualStatusWord.wrongLength
        }
        switch apdu.p2 {
        case 0x00: return manage(objects)
        case 0x01 where isSessionOpen: return exchangeFrame(objects)
        case 0x02 where isSessionOpen: return chooseProtocol(objects)
        case 0x01, 0x02: return VirtualStatusWord.notAllowed
        default: return VirtualStatusWord.functionNotSupported
        }
    }

    /// Objects 81 to 84: session start and end, field off and on.
    private mutating func manage(_ objects: DataObjects) -> [UInt8] {
        for (index, object) in objects.list.enumerated() {
            switch object.tag {
            case 0x80: break
            case 0x81: isSessionOpen = true
            case 0x82: isSessionOpen = false
            case 0x83: tag.fieldDropped()
            case 0x84: activate()
            default: return Self.failure(index, [0x6A, 0x81])
            }
        }
        return Self.success([])
    }

    /// Object 8F: technology and layer, which have to be those of the tag. It is selected then; the answer carries the SAK.
    private mutating func chooseProtocol(_ objects: DataObjects) -> [UInt8] {
        guard let object = objects.list.first, object.tag == 0x8F, object.value == protocolBytes else {
            return Self.failure(0, [0x64, 0x01])
        }
        activate()
        return Self.success([0x8F, 0x01, tag.selectAcknowledge])
    }

    /// 00 type A, 01 type B, 02 ISO/IEC 15693, 03 FeliCa; part 3 of the standard, where it has parts. Topaz is not known to work.
    private var protocolBytes: [UInt8] {
        switch kind {
        case .type2, .mifareClassic, .iso14443Part4A: [0x00, 0x03]
        case .iso14443Part4B: [0x01, 0x03]
        case .iso15693: [0x02, 0x03]
        case .feliCa: [0x03, 0x00]
        case .topaz: []
        }
    }

    /// Object 95 is sent regardless of the timer in 5F46.
    private mutating func exchangeFrame(_ objects: DataObjects) -> [UInt8] {
        guard let index = objects.list.firstIndex(where: { $0.tag == 0x95 }) else {
            return Self.failure(0, [0x6A, 0x80])
        }
        switch exchange(objects.list[index].value, isNative: true) {
        case .data(let bytes): return Self.success(Self.received(bytes, bits: 0))
        case .ack: return Self.success(Self.received([0x0A], bits: 4))
        case .nak(let code): return Self.success(Self.received([code], bits: 4))
        case .silence: return Self.failure(index, [0x64, 0x01])
        }
    }

    private static func received(_ bytes: [UInt8], bits: UInt8) -> [UInt8] {
        let length: [UInt8] = bytes.count < 0x80 ? [] : [0x81]
        let head: [UInt8] = [0x92, 0x01, bits, 0x96, 0x02, 0x00, 0x00, 0x97]
        return head + length + [UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func success(_ objects: [UInt8]) -> [UInt8] {
        let response = [0xC0, 0x03, 0x00, 0x90, 0x00] + objects
        return response.count <= 256 ? response + VirtualStatusWord.done : VirtualStatusWord.wrongLength
    }

    /// The outer status word still reports success.
    private static func failure(_ index: Int, _ status: [UInt8]) -> [UInt8] {
        [0xC0, 0x03, UInt8(truncatingIfNeeded: index + 1)] + status + VirtualStatusWord.done
    }
}

/// Data objects one behind the other: a tag of one or two bytes, a length below 80, a value.
struct DataObjects {
    let list: [(tag: UInt16, value: [UInt8])]

    /// nil where a length runs past the end.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var list: [(tag: UInt16, value: [UInt8])] = []
        while let first = rest.popFirst() {
            var tag = UInt16(first)
            if first & 0x1F == 0x1F {
                guard let second = rest.popFirst() else { return nil }
                tag = tag << 8 | UInt16(second)
            }
            guard let length = rest.popFirst(), length < 0x80, rest.count >= Int(length) else { return nil }
            list.append((tag, Array(rest.prefix(Int(length)))))
            rest = rest.dropFirst(Int(length))
        }
        self.list = list
    }
}

/// The pseudo-APDUs of Identiv uTrust readers (uTrust 4701 F reference manual, 6.1.3 and 6.2.13 to 6.2.27).
extension ReaderSlot {
    /// `FF CC 00 00 01 1E`, READER_GET_INFO_EXTENDED: versions, modes, one slot, and a serial number.
    func identivEscape(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, apdu.p2 == 0, apdu.body?.data == [0x1E] else {
            return VirtualStatusWord.functionNotSupported
        }
        let serial = [UInt8](repeating: 0x30, count: 0x1C)
        return [0x01, 0x00, 0x07, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01, 0x1C] + serial + VirtualStatusWord.done
    }

    /// The reader puts the IDm into the packet, and takes length and code off the answer.
    mutating func identivFeliCa(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body else { return VirtualStatusWord.wrongLength }
        let (data, p1, p2) = (body.data ?? [], Int(apdu.p1), Int(apdu.p2))
        switch (apdu.instructionCode, data.count) {
        case (0x40, 4): return packet(0x00, data, addressed: false)
        case (0x42, 2 * p1) where p1 > 0: return packet(0x02, [apdu.p1] + data)
        case (0x44, 0): return packet(0x04, [])
        case (0x46, 2 * (p1 + p2)): return packet(0x06, Self.lists(data, p1, p2))
        case (0x48, 2 * (p1 + p2) + 16 * p2): return packet(0x08, Self.lists(data, p1, p2))
        case (0x4A, 0): return packet(0x0C, [])
        case (0x40, _), (0x42, _), (0x44, _), (0x46, _), (0x48, _), (0x4A, _): return VirtualStatusWord.wrongLength
        default: return VirtualStatusWord.instructionNotSupported
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
        else { return VirtualStatusWord.failed }
        return answer.dropFirst(2) + VirtualStatusWord.done
    }

    /// P2 is the address; the reader adds the UID, and takes the address off the answer.
    mutating func identivTopaz(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body, apdu.p1 == 0 else { return VirtualStatusWord.wrongLength }
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
        default: return VirtualStatusWord.instructionNotSupported
        }
    }

    private mutating func topaz(_ frame: [UInt8], echo: Int = 1) -> [UInt8] {
        guard case .data(let answer) = pass(frame), answer.count > echo else { return VirtualStatusWord.failed }
        return answer.dropFirst(echo) + VirtualStatusWord.done
    }
}
