extension CardFileSystem {
    /// READ BINARY with the offset in P1 and P2.
    func read(_ command: CardCommand) -> [UInt8] {
        guard command.data.isEmpty, let expected = command.expected else { return StatusWord.wrongLength }
        guard command.p1 & 0x80 == 0 else { return StatusWord.wrongParameters }
        return content(at: command.parameter, room: expected) { $0 }
    }

    /// READ BINARY with an offset data object; the answer is a data object 53.
    func readWithObject(_ command: CardCommand) -> [UInt8] {
        guard command.parameter == 0 else { return StatusWord.wrongParameters }
        guard let expected = command.expected else { return StatusWord.wrongLength }
        guard let (offset, rest) = Self.offset(command.data), rest.isEmpty else { return StatusWord.wrongData }
        return content(at: offset, room: expected) { [0x53] + Self.lengthField($0.count) + $0 }
    }

    /// UPDATE BINARY with the offset in P1 and P2.
    mutating func update(_ command: CardCommand) -> [UInt8] {
        guard command.p1 & 0x80 == 0 else { return StatusWord.wrongParameters }
        return write(command.data, at: command.parameter, of: command)
    }

    /// UPDATE BINARY with an offset data object and a data object 53.
    mutating func updateWithObject(_ command: CardCommand) -> [UInt8] {
        guard command.parameter == 0 else { return StatusWord.wrongParameters }
        guard let (offset, rest) = Self.offset(command.data), let data = Self.discretionary(rest) else {
            return StatusWord.wrongData
        }
        return write(data, at: offset, of: command)
    }

    /// What a read gives: as many bytes as fit `room` once they are wrapped.
    private func content(at offset: Int, room: Int, wrap: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard let file else { return rules.withoutFile }
        guard file.reading == .free else { return StatusWord.securityStatus }
        guard offset < file.bytes.count else { return StatusWord.wrongOffset }
        // Le 00 or 0000 asks for as much as there is.
        let isOpen = room == 256 || room == 65_536
        guard room <= rules.readSize || isOpen else { return StatusWord.wrongLength }
        let room = min(room, rules.readSize)
        let overhead =
            wrap(Array(file.bytes.dropFirst(offset).prefix(room))).count - min(room, file.bytes.count - offset)
        let bytes = Array(file.bytes.dropFirst(offset).prefix(max(room - overhead, 0)))
        let isShort = bytes.count < room - overhead && !isOpen
        if isShort, rules.correctsLength { return StatusWord.rightLength(wrap(bytes).count) }
        return wrap(bytes) + (isShort ? StatusWord.endOfFile : StatusWord.done)
    }

    private mutating func write(_ data: [UInt8], at offset: Int, of command: CardCommand) -> [UInt8] {
        guard let file else { return rules.withoutFile }
        guard command.expected == nil, !data.isEmpty, command.data.count <= rules.writeSize else {
            return StatusWord.wrongLength
        }
        guard file.writing == .free else { return StatusWord.securityStatus }
        guard offset < file.bytes.count else { return StatusWord.wrongOffset }
        guard offset + data.count <= file.bytes.count else { return StatusWord.notEnoughMemory }
        store(data, at: offset)
        return StatusWord.done
    }
}

extension CardFileSystem {
    /// The offset of a data object 54 with one to three bytes, and what stands behind it.
    private static func offset(_ data: [UInt8]) -> (Int, rest: [UInt8])? {
        guard data.count >= 2, data[0] == 0x54, (1...3).contains(data[1]), data.count >= 2 + Int(data[1]) else {
            return nil
        }
        let end = 2 + Int(data[1])
        return (data[2..<end].reduce(0) { $0 * 256 + Int($1) }, Array(data[end...]))
    }

    /// The value of a data object 53 that takes all the bytes.
    private static func discretionary(_ data: [UInt8]) -> [UInt8]? {
        for header in 2...4 where data.count > header {
            let value = Array(data.dropFirst(header))
            if Array(data.prefix(header)) == [0x53] + lengthField(value.count) { return value }
        }
        return nil
    }

    /// The length field of a data object: one byte up to 127, else 81 or 82 and the length.
    private static func lengthField(_ count: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: count)
        if count <= 127 { return [low] }
        return count <= 255 ? [0x81, low] : [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
    }
}
