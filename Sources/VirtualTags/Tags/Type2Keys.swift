/// The keys of MIFARE Ultralight AES and its mutual authentication (MF0AES(H)20 data sheet; NXP AN13452).
enum Type2Keys {
    /// DataProtKey, then UIDRetrKey. The first page of each holds its last four bytes, last byte first.
    static let pages = 48..<56
    /// LOCK_KEYS: bits 6 and 7 of byte 0 lock the two keys, bit 5 these bits.
    static let lockPage = 45
    /// The pages that hold neither data, nor settings, nor keys.
    static let reserved: Set<Int> = [43, 44, 46, 47, 56, 57, 58, 59]

    /// The pages of a key by its number in AUTHENTICATE. Number 2, the key of the maker's originality check, is not modelled.
    static func pages(of number: Int) -> Range<Int>? {
        switch number {
        case 0: 48..<52
        case 1: 52..<56
        default: nil
        }
    }

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

    /// What an authentication that succeeds takes off the count of AUTH_LIM.
    static let forgivenAttempts = 16

    /// The tag's part in one authentication.
    struct Challenge: Sendable, Hashable {
        private let key: [UInt8]
        private let cipher: AES128
        private let number: [UInt8]

        /// - Parameters:
        ///   - stored: the four pages of the key.
        ///   - number: 16 bytes.
        init(stored: [UInt8], number: [UInt8]) {
            key = stored.reversed()
            cipher = AES128(key: key)
            self.number = number
        }

        /// AF and the encrypted random number.
        var frame: [UInt8] { [0xAF] + cipher.encryptCBC(number) }

        /// The answer to the second frame, AF and 32 bytes; nil if it does not prove that the reader knows the key.
        func answer(to frame: [UInt8]) -> [UInt8]? {
            let numbers = numbers(in: frame)
            guard Array(numbers.suffix(16)) == Self.turned(number) else { return nil }
            return [0x00] + cipher.encryptCBC(Self.turned(Array(numbers.prefix(16))))
        }

        /// The codes of further frames after this second frame.
        func codes(for frame: [UInt8]) -> Codes {
            let randomA = Array(numbers(in: frame).prefix(16))
            return Codes(
                key: DESFireCountedMessaging.sessionKeys(key: key, randomA: randomA, randomB: number).authentication)
        }

        private func numbers(in frame: [UInt8]) -> [UInt8] { cipher.decryptCBC(Array(frame.dropFirst())) }

        private static func turned(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst() + bytes.prefix(1)) }
    }

    /// The codes of frames where SEC_MSG_ACT is set: 8 bytes behind each frame in both directions, over a counter of all of them and
    /// the frame. An acknowledge becomes a code alone.
    struct Codes: Sendable, Hashable {
        private static let size = 8
        private let cipher: AES128
        private var counter = 0

        init(key: [UInt8]) { cipher = AES128(key: key) }

        /// A command without its code; nil if the code is wrong.
        mutating func opened(_ frame: [UInt8]) -> [UInt8]? {
            let command = Array(frame.dropLast(Self.size))
            guard frame.count > Self.size, code(command) == Array(frame.suffix(Self.size)) else { return nil }
            return command
        }

        /// An answer with its code; a refusal has none.
        mutating func sealed(_ answer: VirtualTagAnswer) -> VirtualTagAnswer {
            switch answer {
            case .data(let bytes): .data(bytes + code(bytes))
            case .ack: .data(code([]))
            case .nak, .silence: answer
            }
        }

        private mutating func code(_ bytes: [UInt8]) -> [UInt8] {
            defer { counter += 1 }
            let message = NativeNumber.bytes(counter, count: 2) + bytes
            return DESFireTransactionCode.truncated(cipher.authenticationCode(message))
        }
    }
}
