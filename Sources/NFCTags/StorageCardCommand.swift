import ISO7816

/// The pseudo-APDUs with which a reader addresses a storage card (PC/SC Part 3, clause 3.2.2.1).
enum StorageCardCommand: Sendable, Hashable {
    /// `FF CA 00 00 Le`, Get Data: the identifier.
    case getIdentifier(le: UInt8)
    /// `FF 82 00 slot 06 key`, Load Keys: into the reader's volatile memory.
    case loadKey(slot: UInt8, key: [UInt8])
    /// `FF 86 00 00 05 01 00 block type slot`, General Authenticate.
    case authenticate(block: Int, type: UInt8, slot: UInt8)
    /// `FF B0 block Le`, Read Binary: `length` bytes from a page or block on, 0 and 256 for any number.
    case readBinary(block: Int, length: Int)
    /// `FF D6 block Lc data`, Update Binary: a page or block.
    case updateBinary(block: Int, [UInt8])

    /// The command APDU. Block numbers are the two bytes P1 and P2.
    var apdu: CommandAPDU {
        switch self {
        case .getIdentifier(let le): CommandAPDU(cla: 0xFF, ins: 0xCA, p1: 0, p2: 0, le: le)
        case .loadKey(let slot, let key): .storageCard(0x82, 0x00, slot, data: key)
        case .authenticate(let block, let type, let slot):
            .storageCard(0x86, 0x00, 0x00, data: [0x01, 0x00, UInt8(truncatingIfNeeded: block), type, slot])
        case .readBinary(let block, let length):
            CommandAPDU(
                cla: 0xFF, ins: 0xB0, p1: UInt8(truncatingIfNeeded: block >> 8), p2: UInt8(truncatingIfNeeded: block),
                le: UInt8(truncatingIfNeeded: length))
        case .updateBinary(let block, let bytes):
            .storageCard(
                0xD6, UInt8(truncatingIfNeeded: block >> 8), UInt8(truncatingIfNeeded: block), data: bytes)
        }
    }
}

extension CommandAPDU {
    /// A pseudo-APDU of a reader (PC/SC Part 3) with at most 255 bytes of data and no response data.
    static func storageCard(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8, data: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0xFF, ins: ins, p1: p1, p2: p2, shortData: data)
    }
}

extension ResponseAPDU {
    /// The data of a response without an error.
    ///
    /// - Parameter subject: what was requested, for the error: `block 4`.
    /// - Throws: ``TagError`` 102 with the status word.
    @discardableResult
    func accepted(_ subject: String) throws(TagError) -> [UInt8] {
        guard statusWord.isSuccess else {
            throw TagError(.tagResponseError, "\(subject) refused: \(statusWord)", response: self)
        }
        return data
    }
}

extension CardChannel {
    /// One command for a storage card and its response.
    func exchange(_ command: StorageCardCommand) async throws(TagError) -> ResponseAPDU {
        try await exchange(command.apdu)
    }

    /// `FF B0` of a page or block whose number has two bytes.
    ///
    /// - Throws: ``TagError`` 102 for a number out of reach, and as ``exchange(_:)``.
    func readBinary(_ block: Int, length: Int) async throws(TagError) -> ResponseAPDU {
        guard (0...0xFFFF).contains(block) else {
            throw TagError(.tagResponseError, "block \(block) cannot be addressed")
        }
        return try await exchange(.readBinary(block: block, length: length))
    }
}
