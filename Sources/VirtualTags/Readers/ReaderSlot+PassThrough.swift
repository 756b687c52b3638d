extension ReaderSlot {
    /// `FF 00 …` of an ACR122U: PN532 commands, and the firmware's name, which comes without a status word.
    mutating func pn53x(_ apdu: ShortAPDU) -> [UInt8] {
        if apdu.p1 == 0x48 { return Array("ACR122U214".utf8) }
        guard apdu.p1 == 0, apdu.p2 == 0, let data = apdu.body?.data else { return StatusWord.failed }
        switch (data.first, data.dropFirst().first) {
        case (0xD4, 0x40) where carriesPackets && data.dropFirst(2).first == 0x01:
            return exchangeData(Array(data.dropFirst(3)))
        case (0xD4, 0x42): return communicateThrough(Array(data.dropFirst(2)))
        case (0xD4, 0x4A) where data.dropFirst(2).elementsEqual([0x01, 0x00]): return listPassiveTarget()
        default: return StatusWord.failed
        }
    }

    /// InDataExchange with other kinds of tags is the PN532's own business, and not modelled.
    private var carriesPackets: Bool { kind == .feliCa || kind == .topaz }

    /// InCommunicateThru. Status 00 is done, 01 time-out, 02 a wrong CRC: what 4 bits look like, a refusal or not.
    private mutating func communicateThrough(_ frame: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0xD5, 0x43]
        switch exchange(frame, isNative: true) {
        // The PN532 takes 252 bytes from a tag; what it says about more is not known for sure.
        case .data(let bytes) where bytes.count > 252: return head + [0x07] + StatusWord.done
        case .data(let bytes): return head + [0x00] + bytes + StatusWord.done
        case .ack, .nak: return head + [0x02] + StatusWord.done
        case .silence: return head + [0x01] + StatusWord.done
        }
    }

    /// InListPassiveTarget: one target of type A with ATQA 00 44, SAK 00.
    private mutating func listPassiveTarget() -> [UInt8] {
        activate()
        let identifier = tag.identifier
        let target: [UInt8] = [0x01, 0x01, 0x00, 0x44, 0x00, UInt8(truncatingIfNeeded: identifier.count)]
        return [0xD5, 0x4B] + target + identifier + StatusWord.done
    }

    /// `FF 00 00 00 Lc frame` of an ACR1252U. A page is written, and still answered with a failure.
    mutating func direct(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, apdu.p2 == 0, let frame = apdu.body?.data else { return StatusWord.failed }
        guard case .data(let bytes) = exchange(frame, isNative: true) else { return StatusWord.failed }
        return bytes + StatusWord.done
    }

    /// `FF A0 00 05 Lc 01 00 nn frame` of an OMNIKEY 5321.
    mutating func omnikey(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0, apdu.p2 == 0x05, let data = apdu.commandData, data.starts(with: [0x01, 0x00]),
            data.count > 3, Int(data[2]) == data.count - 3
        else { return StatusWord.wrongLength }
        guard case .data(let bytes) = exchange(Array(data.dropFirst(3)), isNative: true) else {
            return StatusWord.failed
        }
        return bytes + StatusWord.done
    }
}
