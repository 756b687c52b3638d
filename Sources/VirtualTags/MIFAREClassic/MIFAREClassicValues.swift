extension MIFAREClassicTag {
    /// First part of DECREMENT (C0), INCREMENT (C1) and RESTORE (C2): the block has to be a value block.
    mutating func beginCount(_ operation: UInt8, _ block: Int) -> TagAnswer {
        let needed: MIFAREClassicOperation = operation == 0xC1 ? .increment : .decrementTransferRestore
        guard block != 0, !product.isTrailer(block), isAllowed(needed, block), value(ofBlock: block) != nil else {
            return .nak(buffer == nil ? 0x4 : 0x0)
        }
        pending = .count(operation: operation, block: block)
        return .ack
    }

    /// Second part: four bytes, least significant first, which RESTORE ignores. The card says nothing if all is well.
    mutating func count(_ operation: UInt8, _ block: Int, operand: [UInt8]) -> TagAnswer {
        guard operand.count == 4, let current = value(ofBlock: block), let sector = state.sector else {
            return .nak(0x4)
        }
        let amount = Self.number(operand)
        let (sum, overflow) =
            switch operation {
            case 0xC0: current.value.subtractingReportingOverflow(amount)
            case 0xC1: current.value.addingReportingOverflow(amount)
            default: (partialValue: current.value, overflow: false)
            }
        guard !overflow else { return .nak(0x4) }
        buffer = Buffer(sector: sector, value: sum, address: current.address)
        return .silence
    }

    /// TRANSFER: the buffer goes into a block of the same sector.
    mutating func transfer(to block: Int) -> TagAnswer {
        guard let buffer, buffer.sector == state.sector, block != 0, !product.isTrailer(block),
            isAllowed(.decrementTransferRestore, block)
        else { return .nak(buffer == nil ? 0x4 : 0x0) }
        let bits = UInt32(bitPattern: buffer.value)
        let value = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) }
        let address = buffer.address
        store(value + value.map { ~$0 } + value + [address, ~address, address, ~address], at: block)
        return .ack
    }

    /// The value and address of a value block; nil where the copies differ (MF1S50yyX data sheet, value blocks).
    private func value(ofBlock block: Int) -> (value: Int32, address: UInt8)? {
        let bytes = Array(bytes(ofBlock: block))
        guard bytes.count == 16, bytes[0..<4] == bytes[8..<12],
            zip(bytes[0..<4], bytes[4..<8]).allSatisfy({ $0 == ~$1 }),
            bytes[12] == bytes[14], bytes[13] == bytes[15], bytes[12] == ~bytes[13]
        else { return nil }
        return (Self.number(bytes[0..<4]), bytes[12])
    }

    private static func number(_ bytes: some BidirectionalCollection<UInt8>) -> Int32 {
        Int32(bitPattern: bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
