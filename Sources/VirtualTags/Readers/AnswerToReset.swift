/// The answers to reset that PC/SC readers make up (PC/SC part 3).
enum AnswerToReset {
    /// For a tag without one of its own, twenty bytes: 15 historical bytes with the RID of the PC/SC workgroup, `SS`,
    /// `NN NN`, and a valid TCK.
    static func storageCard(standard: UInt8, cardName: UInt16) -> [UInt8] {
        let head: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]
        let name = [UInt8(truncatingIfNeeded: cardName >> 8), UInt8(truncatingIfNeeded: cardName)]
        return contactless(historical: head + [standard] + name + [0, 0, 0, 0])
    }

    /// For a card of ISO/IEC 14443-4: `3B 8n 80 01`, up to 15 historical bytes, and TCK.
    static func contactless(historical: [UInt8]) -> [UInt8] {
        let historical = historical.prefix(15)
        let bytes = [0x3B, 0x80 | UInt8(truncatingIfNeeded: historical.count), 0x80, 0x01] + historical
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }
}
