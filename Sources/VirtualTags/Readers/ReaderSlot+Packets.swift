extension ReaderSlot {
    /// FeliCa cards and Topaz tags, whose frames nothing but a pass-through carries.
    mutating func respondPackets(to apdu: ShortAPDU) -> [UInt8] {
        if settings.isIdentiv { return kind == .feliCa ? identivFeliCa(apdu) : identivTopaz(apdu) }
        guard settings.exchangesData, apdu.instructionCode == 0x00 else { return StatusWord.instructionNotSupported }
        guard let data = apdu.commandData else { return StatusWord.wrongLength }
        guard data.starts(with: [0xD4, 0x40, 0x01]), apdu.p1 == 0, apdu.p2 == 0 else { return StatusWord.failed }
        return exchangeData(Array(data.dropFirst(3)))
    }

    /// InDataExchange of a PN53x: `D5 41 00` and the tag's frame, or `D5 41 01` where the tag is silent.
    mutating func exchangeData(_ frame: [UInt8]) -> [UInt8] {
        guard case .data(let bytes) = pass(frame) else { return [0xD5, 0x41, 0x01] + StatusWord.done }
        return [0xD5, 0x41, 0x00] + bytes + StatusWord.done
    }

    /// A frame as it is; silence is no reason to select the tag again.
    mutating func pass(_ frame: [UInt8]) -> TagAnswer {
        let answer = tag.exchange(frame)
        log.note(.frame(command: frame, answer: answer))
        return answer
    }
}
