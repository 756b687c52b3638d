/// A file with bytes in it, of a card with ISO/IEC 7816-4 and DESFire commands.
struct CardFile: Sendable, Hashable {
    /// The identifier for SELECT.
    let identifier: UInt16
    /// The number for native commands.
    let number: UInt8
    /// The content, as long as the file.
    var bytes: [UInt8]
    /// The access rights as GET_FILE_SETTINGS shows them: `RW change`, then `read write`, a nibble each. E is free,
    /// F never, others are the number of a key (MIFARE DESFire data sheets).
    var accessRights: [UInt8]
    /// 00 plain, 03 enciphered.
    var communication: UInt8 = 0x00

    /// Free to read and write; the rights change with key 0.
    static let free: [UInt8] = [0xE0, 0xEE]
    /// Free to read, written with key 0.
    static let writtenWithKey: [UInt8] = [0x00, 0xE0]
    /// Free to read, never written.
    static let readOnly: [UInt8] = [0xF0, 0xEF]
    /// Neither read nor written.
    static let closed: [UInt8] = [0xF0, 0xFF]

    /// What an unauthenticated host may do.
    enum Access: Hashable {
        case free
        case withKey
        case never
    }

    /// Reading.
    var reading: Access { access([right(1) >> 4, right(0) >> 4]) }
    /// Writing.
    var writing: Access { access([right(1) & 0x0F, right(0) >> 4]) }

    private func right(_ index: Int) -> UInt8 { accessRights.indices.contains(index) ? accessRights[index] : 0xFF }

    private func access(_ nibbles: [UInt8]) -> Access {
        if nibbles.contains(0xE) { return .free }
        return nibbles.allSatisfy { $0 == 0xF } ? .never : .withKey
    }
}

/// An application: a dedicated file with a name, and its files.
struct CardApplication: Sendable, Hashable {
    /// The name for SELECT.
    let name: [UInt8]
    /// The identifier of the dedicated file for SELECT.
    let fileIdentifier: UInt16
    /// The number for the native SELECT_APPLICATION, least significant byte first.
    let number: [UInt8]
    var files: [CardFile]
}

/// The status words of ISO/IEC 7816-4 that cards answer, beyond those of readers.
extension StatusWord {
    static let endOfFile: [UInt8] = [0x62, 0x82]
    static let chainingNotSupported: [UInt8] = [0x68, 0x84]
    static let securityStatus: [UInt8] = [0x69, 0x82]
    static let conditions: [UInt8] = [0x69, 0x85]
    static let noCurrentFile: [UInt8] = [0x69, 0x86]
    static let wrongData: [UInt8] = [0x6A, 0x80]
    static let notEnoughMemory: [UInt8] = [0x6A, 0x84]
    static let wrongParameters: [UInt8] = [0x6A, 0x86]
    static let wrongOffset: [UInt8] = [0x6B, 0x00]
}
