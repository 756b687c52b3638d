extension MIFAREClassicTag {
    /// Answers one frame. Whatever is refused leaves the card idle and therefore mute.
    public mutating func exchange(_ command: [UInt8]) -> TagAnswer {
        guard state != .idle else { return .silence }
        let answer = answer(to: command)
        if case .nak = answer { state = .idle }
        return answer
    }

    /// Refusal of an invalid operation; the code tells whether the transfer buffer is valid (MF1S50yyX data sheet, ACK and
    /// NAK).
    private var refusal: TagAnswer { .nak(buffer == nil ? 0x4 : 0x0) }

    private mutating func answer(to frame: [UInt8]) -> TagAnswer {
        if let half = pending {
            pending = nil
            return complete(half, frame)
        }
        guard frame.count >= 2 else { return refusal }
        let block = Int(frame[1])
        switch (frame[0], frame.count) {
        case (0x60, 8), (0x61, 8): return authenticate(block, isKeyB: frame[0] == 0x61, key: frame.dropFirst(2))
        case (0x50, 2) where block == 0:
            state = .idle
            return .silence
        case (0x30, 2): return read(block)
        case (0xA0, 2): return isWriteAllowed(block) ? begin(.write(block: block)) : refusal
        case (0xC0, 2), (0xC1, 2), (0xC2, 2): return beginCount(frame[0], block)
        case (0xB0, 2): return transfer(to: block)
        default: return refusal
        }
    }

    private mutating func begin(_ half: Pending) -> TagAnswer {
        pending = half
        return .ack
    }

    private mutating func authenticate(_ block: Int, isKeyB: Bool, key: some Collection<UInt8>) -> TagAnswer {
        state = .idle
        buffer = nil
        guard let place = product.place(ofBlock: block), conditions(ofSector: place.sector) != nil else {
            return .silence
        }
        let trailer = bytes(ofBlock: product.trailerBlock(ofSector: place.sector))
        guard key.elementsEqual(isKeyB ? trailer.suffix(6) : trailer.prefix(6)) else { return .silence }
        state = .authenticated(sector: place.sector, isKeyB: isKeyB)
        return .ack
    }

    private func read(_ block: Int) -> TagAnswer {
        guard let place = product.place(ofBlock: block) else { return refusal }
        guard product.isTrailer(block) else {
            return isAllowed(.readData, block) ? .data(Array(bytes(ofBlock: block))) : refusal
        }
        guard state.sector == place.sector, isAllowed(.readAccess, block) else { return refusal }
        let trailer = bytes(ofBlock: block)
        let keyB = isAllowed(.readKeyB, block) ? Array(trailer.suffix(6)) : [UInt8](repeating: 0, count: 6)
        return .data([UInt8](repeating: 0, count: 6) + trailer.dropFirst(6).prefix(4) + keyB)
    }

    private func isWriteAllowed(_ block: Int) -> Bool {
        guard product.isTrailer(block) else { return block != 0 && isAllowed(.writeData, block) }
        return [MIFAREClassicOperation.writeKeyA, .writeAccess, .writeKeyB].contains { isAllowed($0, block) }
    }

    private mutating func complete(_ half: Pending, _ frame: [UInt8]) -> TagAnswer {
        switch half {
        case .write(let block):
            guard frame.count == MIFAREClassicProduct.blockSize else { return refusal }
            store(product.isTrailer(block) ? mergedTrailer(block, frame) : frame, at: block)
            return .ack
        case .count(let operation, let block): return count(operation, block, operand: frame)
        }
    }

    /// Only the parts of a trailer that the key may write change.
    private func mergedTrailer(_ block: Int, _ new: [UInt8]) -> [UInt8] {
        let old = Array(bytes(ofBlock: block))
        let keyA = isAllowed(.writeKeyA, block) ? new[0..<6] : old[0..<6]
        let access = isAllowed(.writeAccess, block) ? new[6..<10] : old[6..<10]
        let keyB = isAllowed(.writeKeyB, block) ? new[10..<16] : old[10..<16]
        return Array(keyA + access + keyB)
    }
}

extension MIFAREClassicTag {
    func bytes(ofBlock block: Int) -> ArraySlice<UInt8> {
        memory.dropFirst(block * MIFAREClassicProduct.blockSize).prefix(MIFAREClassicProduct.blockSize)
    }

    mutating func store(_ bytes: [UInt8], at block: Int) {
        memory.overwrite(at: block * MIFAREClassicProduct.blockSize, with: bytes)
    }

    /// Nil where the bits contradict themselves: the sector is dead then.
    func conditions(ofSector sector: Int) -> MIFAREClassicConditions? {
        MIFAREClassicConditions(bytes(ofBlock: product.trailerBlock(ofSector: sector)).dropFirst(6).prefix(3))
    }

    func isAllowed(_ operation: MIFAREClassicOperation, _ block: Int) -> Bool {
        guard case .authenticated(let sector, let isKeyB) = state, let place = product.place(ofBlock: block),
            place.sector == sector, let conditions = conditions(ofSector: sector)
        else { return false }
        let group = sector < 32 ? place.index : place.index / 5
        return conditions.keys(for: operation, group: group).contains(isKeyB ? .b : .a)
    }
}

extension MIFAREClassicTag.State {
    var sector: Int? {
        if case .authenticated(let sector, _) = self { sector } else { nil }
    }
}
