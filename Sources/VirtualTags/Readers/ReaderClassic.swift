extension ReaderSlot {
    /// How many volatile key slots there are.
    private static let keySlotCount: UInt8 = 2

    /// `FF 88 00 block type slot`, six bytes without a length (PC/SC 2.01); nil for anything else.
    mutating func respondObsolete(to bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 6, bytes.starts(with: [0xFF, 0x88]) else { return nil }
        guard settings.classic.hasObsoleteAuthenticate else { return VirtualStatusWord.instructionNotSupported }
        return authenticate(block: bytes[3], type: bytes[4], slot: bytes[5])
    }

    /// The commands for MIFARE Classic cards (PC/SC part 3, and the vendors' own for value blocks).
    mutating func respondClassic(to apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0 || apdu.instructionCode == 0x82 else { return VirtualStatusWord.notFound }
        switch (apdu.instructionCode, settings.classic.valueCommands) {
        case (0x82, _): return loadKey(apdu)
        case (0x86, _): return generalAuthenticate(apdu)
        case (0xB0, _): return readBlocks(apdu)
        case (0xD6, _): return updateBlock(apdu)
        case (0xD7, .acs): return valueBlock(apdu)
        case (0xB1, .acs): return readValue(apdu)
        case (0xD4, .hid), (0xD8, .hid): return count(apdu)
        default: return VirtualStatusWord.instructionNotSupported
        }
    }

    /// P1 00: volatile memory. There is no other.
    private mutating func loadKey(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.p1 == 0 else { return VirtualStatusWord.functionNotSupported }
        guard apdu.p2 < Self.keySlotCount else { return VirtualStatusWord.keySlotInvalid }
        guard let key = apdu.commandData, key.count == 6 else { return VirtualStatusWord.keyLengthWrong }
        keys[apdu.p2] = key
        return VirtualStatusWord.done
    }

    /// `FF 86 00 00 05 01 00 block type slot`.
    private mutating func generalAuthenticate(_ apdu: ShortAPDU) -> [UInt8] {
        guard settings.classic.hasGeneralAuthenticate else { return VirtualStatusWord.instructionNotSupported }
        guard let data = apdu.commandData, data.count == 5, data[0] == 1, data[1] == 0 else {
            return VirtualStatusWord.wrongLength
        }
        return authenticate(block: data[2], type: data[3], slot: data[4])
    }

    private mutating func authenticate(block: UInt8, type: UInt8, slot: UInt8) -> [UInt8] {
        guard [0x60, 0x61].contains(type) else { return VirtualStatusWord.functionNotSupported }
        guard let key = keys[slot] else { return VirtualStatusWord.keySlotInvalid }
        return exchange([type, block] + key) == .ack ? VirtualStatusWord.done : VirtualStatusWord.failed
    }

    /// One block, or several of a sector where the reader can; cut to Le.
    private mutating func readBlocks(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return VirtualStatusWord.wrongLength }
        let wanted = expected == 0 ? 16 : expected
        guard wanted <= max(settings.classic.maximumRead, 16) else { return VirtualStatusWord.rightLength(16) }
        var bytes: [UInt8] = []
        for index in 0..<(wanted + 15) / 16 {
            guard case .data(let block) = exchange([0x30, apdu.p2 &+ UInt8(truncatingIfNeeded: index)]) else {
                return VirtualStatusWord.failed
            }
            bytes += block
        }
        return bytes.prefix(wanted) + VirtualStatusWord.done
    }

    private mutating func updateBlock(_ apdu: ShortAPDU) -> [UInt8] {
        guard let data = apdu.commandData, data.count == 16 else { return VirtualStatusWord.wrongLength }
        return exchange([0xA0, apdu.p2]) == .ack && exchange(data) == .ack
            ? VirtualStatusWord.done : VirtualStatusWord.failed
    }

    /// `FF D7`: 00 stores, 01 increments, 02 decrements by a value with the most significant byte first; 03 copies.
    private mutating func valueBlock(_ apdu: ShortAPDU) -> [UInt8] {
        guard let data = apdu.commandData, let operation = data.first else { return VirtualStatusWord.wrongLength }
        let operand = [UInt8](data.dropFirst().reversed())
        switch (operation, operand.count) {
        case (0x00, 4): return store(operand, at: apdu.p2)
        case (0x01, 4): return count(0xC1, apdu.p2, operand, to: apdu.p2)
        case (0x02, 4): return count(0xC0, apdu.p2, operand, to: apdu.p2)
        case (0x03, 1): return count(0xC2, apdu.p2, [0, 0, 0, 0], to: operand[0])
        default: return VirtualStatusWord.wrongLength
        }
    }

    private mutating func store(_ value: [UInt8], at block: UInt8) -> [UInt8] {
        let content = value + value.map { ~$0 } + value + [block, ~block, block, ~block]
        return exchange([0xA0, block]) == .ack && exchange(content) == .ack
            ? VirtualStatusWord.done : VirtualStatusWord.failed
    }

    /// `FF D4` and `FF D8`: by a value with the least significant byte first.
    private mutating func count(_ apdu: ShortAPDU) -> [UInt8] {
        guard let data = apdu.commandData, data.count == 4 else { return VirtualStatusWord.wrongLength }
        return count(apdu.instructionCode == 0xD4 ? 0xC1 : 0xC0, apdu.p2, data, to: apdu.p2)
    }

    /// Both parts of a count, and the transfer.
    private mutating func count(
        _ command: UInt8, _ block: UInt8, _ operand: [UInt8], to destination: UInt8
    ) -> [UInt8] {
        guard exchange([command, block]) == .ack else { return VirtualStatusWord.failed }
        // Silence is consent in the second part.
        guard exchange(operand, silenceIsConsent: true) == .silence else { return VirtualStatusWord.failed }
        return exchange([0xB0, destination]) == .ack ? VirtualStatusWord.done : VirtualStatusWord.failed
    }

    /// `FF B1`: the value alone, most significant byte first.
    private mutating func readValue(_ apdu: ShortAPDU) -> [UInt8] {
        guard apdu.expectedLength == 4 || apdu.expectedLength == 0 else { return VirtualStatusWord.wrongLength }
        guard case .data(let block) = exchange([0x30, apdu.p2]), block[0..<4] == block[8..<12],
            zip(block[0..<4], block[4..<8]).allSatisfy({ $0 == ~$1 })
        else { return VirtualStatusWord.failed }
        return block[0..<4].reversed() + VirtualStatusWord.done
    }
}

extension ShortAPDU {
    /// The data of a case 3 command; nil in every other case.
    var commandData: [UInt8]? {
        guard let body, body.expected == nil else { return nil }
        return body.data
    }
}
