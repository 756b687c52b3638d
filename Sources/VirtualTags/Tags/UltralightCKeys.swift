/// The key of MIFARE Ultralight C, its authentication with triple DES of two keys, and its counter (MF0ICU2 data sheet, §7.5).
enum UltralightCKeys {
    /// The pages of the key. Each half is stored with its last byte first.
    static let pages = 44..<48
    /// The page of the counter.
    static let counterPage = 41

    /// A key in the order of computation from what its pages hold.
    static func key(stored: [UInt8]) -> [UInt8] {
        Array(stored[0..<8].reversed()) + Array(stored[8..<16].reversed())
    }

    /// The page of the counter after a write: the first one sets the 16 bits of the counter, the least significant byte first, each
    /// further one adds 1 to 15. The data sheet lets the sum appear with the next power-on; here it does at once.
    ///
    /// - Returns: nil for an increment that is refused.
    static func counting(_ new: [UInt8], from old: [UInt8]) -> [UInt8]? {
        let before = NativeNumber.value(old.prefix(2))
        let amount = NativeNumber.value(new.prefix(2))
        guard before == 0 || amount <= 0xF, before + amount <= 0xFFFF else { return nil }
        return NativeNumber.bytes(before + amount, count: 2) + old.suffix(2)
    }

    /// The tag's part in one authentication.
    struct Challenge: Sendable, Hashable {
        private let cipher: DESFireCipher
        private let number: [UInt8]

        /// - Parameters:
        ///   - key: 16 bytes in the order of computation.
        ///   - number: RndB, 8 bytes.
        init(key: [UInt8], number: [UInt8]) {
            cipher = DESFireCipher(des: key)
            self.number = number
        }

        /// AF and the encrypted random number.
        var frame: [UInt8] { [0xAF] + encryptedNumber }

        /// The answer to the second frame, AF and 16 bytes; nil if it does not prove that the reader knows the key. The initial vectors
        /// run on from one message to the next.
        func answer(to frame: [UInt8]) -> [UInt8]? {
            guard frame.count == 17, frame.first == 0xAF else { return nil }
            let token = Array(frame.dropFirst())
            let numbers = cipher.decryptCBC(token, vector: encryptedNumber)
            guard Array(numbers.suffix(8)) == Self.turned(number) else { return nil }
            return [0x00]
                + cipher.encryptCBC(Self.turned(Array(numbers.prefix(8))), vector: Array(token.suffix(8)))
        }

        private var encryptedNumber: [UInt8] { cipher.encryptCBC(number, vector: cipher.zero) }

        private static func turned(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst() + bytes.prefix(1)) }
    }
}
