/// The block cipher of a DESFire key or session key: CBC, the legacy direction of MIFARE DESFire D40, and CMAC.
struct DESFireCipher: Sendable, Hashable {
    private enum Algorithm: Sendable, Hashable {
        case aes(AES128)
        case des(VirtualTripleDES)
    }

    private let algorithm: Algorithm
    /// The bytes of a block: 16 of AES, 8 of DES.
    let blockSize: Int

    /// AES with a key of 16 bytes.
    init(aes key: [UInt8]) {
        algorithm = .aes(AES128(key: key))
        blockSize = AES128.blockSize
    }

    /// DES with a key of 8 bytes, or triple DES with one of 16 or 24.
    init(des key: [UInt8]) {
        algorithm = .des(VirtualTripleDES(key: key))
        blockSize = VirtualTripleDES.blockSize
    }

    /// A block of zeros.
    var zero: [UInt8] { [UInt8](repeating: 0, count: blockSize) }

    /// Encrypts one block.
    func encrypt(_ block: [UInt8]) -> [UInt8] {
        switch algorithm {
        case .aes(let cipher): cipher.encrypt(block)
        case .des(let cipher): cipher.encrypt(block)
        }
    }

    private func decrypt(_ block: [UInt8]) -> [UInt8] {
        switch algorithm {
        case .aes(let cipher): cipher.decrypt(block)
        case .des(let cipher): cipher.decrypt(block)
        }
    }

    /// Encrypts whole blocks in CBC mode.
    func encryptCBC(_ bytes: [UInt8], vector: [UInt8]) -> [UInt8] {
        var previous = vector
        return blocks(bytes).flatMap { block in
            previous = encrypt(xor(block, previous))
            return previous
        }
    }

    /// Decrypts whole blocks in CBC mode.
    func decryptCBC(_ bytes: [UInt8], vector: [UInt8]) -> [UInt8] {
        var previous = vector
        return blocks(bytes).flatMap { block in
            defer { previous = block }
            return xor(decrypt(block), previous)
        }
    }

    /// Opens what a reader of D40 sent: it can only decrypt, so the card encrypts.
    func receiveLegacy(_ bytes: [UInt8]) -> [UInt8] {
        var previous = zero
        return blocks(bytes).flatMap { block in
            defer { previous = block }
            return xor(encrypt(block), previous)
        }
    }

    /// The CMAC of a message (NIST SP 800-38B), one block, with an initial vector.
    func authenticationCode(_ message: [UInt8], vector: [UInt8]) -> [UInt8] {
        let isWhole = !message.isEmpty && message.count.isMultiple(of: blockSize)
        var blocks = blocks(isWhole ? message : marked(message))
        let last = xor(blocks.removeLast(), subkey(isWhole ? 1 : 2))
        return (blocks + [last]).reduce(vector) { encrypt(xor($0, $1)) }
    }

    /// K1 or K2 of NIST SP 800-38B, §6.1.
    func subkey(_ number: Int) -> [UInt8] {
        (0..<number).reduce(encrypt(zero)) { block, _ in
            var result = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
            if block[0] & 0x80 != 0 { result[blockSize - 1] ^= blockSize == 16 ? 0x87 : 0x1B }
            return result
        }
    }

    /// Bytes with as many 00 behind them as it takes to whole blocks.
    func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: paddedSize(bytes.count) - bytes.count)
    }

    /// Bytes with 80 and 00 behind them.
    func marked(_ bytes: [UInt8]) -> [UInt8] { padded(bytes + [0x80]) }

    /// A number of bytes, rounded up to whole blocks.
    func paddedSize(_ count: Int) -> Int { (count + blockSize - 1) / blockSize * blockSize }

    private func blocks(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: blockSize).map { Array(bytes.dropFirst($0).prefix(blockSize)) }
    }
}

/// The checksums inside encrypted data, least significant byte first.
enum DESFireChecksum {
    /// The CRC of IEEE 802.3 without its final inversion: EV1 and later.
    static func long(_ bytes: [UInt8]) -> [UInt8] {
        let register = bytes.reduce(UInt32.max) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return NativeNumber.bytes(Int(register), count: 4)
    }

    /// CRC_A of ISO/IEC 14443-3: D40.
    static func short(_ bytes: [UInt8]) -> [UInt8] {
        let register = bytes.reduce(UInt16(0x6363)) { register, byte in
            (0..<8).reduce(register ^ UInt16(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0x8408) }
        }
        return NativeNumber.bytes(Int(register), count: 2)
    }
}
