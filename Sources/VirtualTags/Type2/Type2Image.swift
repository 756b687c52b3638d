extension Type2Product {
    /// The largest NDEF message in bytes: the TLV costs 2 bytes up to 254, 4 above; a terminator needs no room.
    public var messageCapacity: Int {
        let room = dataAreaSize - lockControlTLV.count
        return max(min(room - 2, 254), room - 4, 0)
    }

    /// An identifier that differs by product: NXP's manufacturer byte, then made-up bytes.
    var defaultIdentifier: [UInt8] {
        [0x04, 0x6E] + (version.isEmpty ? silentNumber : [version[6], version[2]]) + [0x4D, 0x5A, 0x80]
    }

    private var silentNumber: [UInt8] {
        [UInt8(truncatingIfNeeded: pageCount), UInt8(truncatingIfNeeded: dataAreaSize)]
    }

    /// The memory as delivered, with an identifier, and an NDEF message where one is given.
    func image(identifier: [UInt8], message: [UInt8]?) throws(VirtualTagError) -> [UInt8] {
        let content: [UInt8]? =
            if let message { try dataArea(holding: message) } else { nil }
        var image = identifierPages(identifier)
        image += content != nil || isDeliveredFormatted ? capabilityContainer : [0, 0, 0, 0]
        image += content ?? (isDeliveredFormatted ? lockControlTLV + [0x03, 0x00, 0xFE] : [])
        let tail = configuration + (configurationPage == nil ? [] : [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        image += [UInt8](repeating: 0, count: max(memorySize - tail.count - image.count, 0))
        image += tail
        if let dynamicLock { image.overwrite(at: dynamicLock.page * Self.pageSize, with: dynamicLock.factoryBytes) }
        return image
    }

    /// The TLVs that hold a message: Lock Control where the product has one, NDEF Message, Terminator if it fits.
    private func dataArea(holding message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
        guard message.count <= messageCapacity else {
            throw .messageTooLarge(size: message.count, capacity: messageCapacity)
        }
        let area = lockControlTLV + [0x03] + Self.tlvLength(message.count) + message
        return area.count < dataAreaSize ? area + [0xFE] : area
    }

    /// Pages 0 to 2: identifier, its check bytes, the internal byte and clear static lock bytes
    /// (NTAG213/215/216 data sheet, §8.5.1).
    private func identifierPages(_ identifier: [UInt8]) -> [UInt8] {
        let first = [UInt8](identifier.prefix(3))
        let second = [UInt8](identifier.dropFirst(3))
        // BCC0 includes the cascade tag 88 that anticollision sends in front of the first three bytes.
        return first + [first.reduce(0x88, ^)] + second + [second.reduce(0, ^), 0x48, 0x00, 0x00]
    }

    /// The length field of a TLV: one byte up to 254, else FF and two bytes big-endian.
    private static func tlvLength(_ count: Int) -> [UInt8] {
        count <= 0xFE
            ? [UInt8(truncatingIfNeeded: count)]
            : [0xFF, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }
}

extension [UInt8] {
    /// Replaces the bytes from `offset` on; what would lie outside is dropped.
    mutating func overwrite(at offset: Int, with bytes: some Collection<UInt8>) {
        for (index, byte) in zip(offset..., bytes) where indices.contains(index) {
            self[index] = byte
        }
    }
}
