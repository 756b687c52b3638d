extension ReaderSlot {
    /// `FF B0` and `FF D6` by block (PC/SC part 3), and raw frames where the reader lets them pass.
    mutating func respondISO15693(to apdu: ShortAPDU) -> [UInt8] {
        switch apdu.instructionCode {
        case 0xB0: return readVicinity(apdu)
        case 0xD6: return writeVicinity(apdu)
        case 0xFD where settings.vicinity.passesFrames: return passFrame(apdu)
        default: return StatusWord.instructionNotSupported
        }
    }

    /// P1 P2 is the block; Le 00 asks for one.
    private mutating func readVicinity(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return StatusWord.wrongLength }
        let block = readCommand(0x20, apdu.p1, apdu.p2)
        guard case .data(let answer) = exchange(block), answer.first == 0 else { return StatusWord.failed }
        let size = answer.count - 1
        guard expected == 0 || expected == size else { return StatusWord.rightLength(size) }
        return answer.dropFirst() + StatusWord.done
    }

    private mutating func writeVicinity(_ apdu: ShortAPDU) -> [UInt8] {
        guard let data = apdu.commandData else { return StatusWord.wrongLength }
        let command = readCommand(0x21, apdu.p1, apdu.p2) + data
        guard case .data(let answer) = exchange(command) else { return StatusWord.failed }
        return answer.first == 0 ? StatusWord.done : StatusWord.failed
    }

    /// The short command for blocks up to 255, the extended one above.
    private func readCommand(_ code: UInt8, _ high: UInt8, _ low: UInt8) -> [UInt8] {
        high == 0 ? [0x02, code, low] : [0x02, code + 0x10, low, high]
    }

    /// `FF FD FWT type Lc frame 00`: the frame as it is, the answer with its flags.
    private mutating func passFrame(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body, let frame = body.data, body.expected == 0 else { return StatusWord.wrongLength }
        guard case .data(let answer) = exchange(frame) else { return StatusWord.failed }
        return answer + StatusWord.done
    }
}
