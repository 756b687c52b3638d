/// The keys of MIFARE Ultralight AES and its mutual authentication with DataProtKey (MF0AES(H)20 data sheet; NXP AN13452).
enum Type2Keys {
    /// DataProtKey, then UIDRetrKey. The first page of each holds its last four bytes, last byte first.
    static let pages = 48..<56
    /// LOCK_KEYS: bits 6 and 7 of byte 0 lock the two keys, bit 5 these bits.
    static let lockPage = 45
    /// The pages that hold neither data, nor settings, nor keys.
    static let reserved: Set<Int> = [43, 44, 46, 47, 56, 57, 58, 59]

    /// Whether a page belongs to a key that is locked.
    static func isLocked(_ page: Int, by lock: UInt8) -> Bool {
        guard pages.contains(page) else { return false }
        return lock & (page < 52 ? 0x40 : 0x80) != 0
    }

    /// LOCK_KEYS after a write: bits are only ever set, and none once bit 5 is.
    static func locking(_ new: [UInt8], into old: [UInt8]) -> [UInt8] {
        guard let before = old.first, let wanted = new.first, before & 0x20 == 0 else { return old }
        return [before | wanted & 0xE0] + old.dropFirst()
    }

    /// The tag's part in one authentication.
    struct Challenge: Sendable, Hashable {
        private let cipher: AES128
        private let number: [UInt8]

        /// - Parameters:
        ///   - stored: pages 48 to 51.
        ///   - number: 16 bytes.
        init(stored: [UInt8], number: [UInt8]) {
            cipher = AES128(key: stored.reversed())
            self.number = number
        }

        /// AF and the encrypted random number.
        var frame: [UInt8] { [0xAF] + cipher.encryptCBC(number) }

        /// The answer to the second frame, AF and 32 bytes; nil if it does not prove that the reader knows the key.
        func answer(to frame: [UInt8]) -> [UInt8]? {
            let numbers = cipher.decryptCBC(Array(frame.dropFirst()))
            guard Array(numbers.suffix(16)) == Self.turned(number) else { return nil }
            return [0x00] + cipher.encryptCBC(Self.turned(Array(numbers.prefix(16))))
        }

        private static func turned(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst() + bytes.prefix(1)) }
    }
}
