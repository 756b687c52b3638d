extension SecretBytes {
    /// The bytes, each combined with that of another by exclusive or; as many as both have.
    package func exclusiveOr(_ other: some ByteStorage) -> SecretBytes {
        SecretBytes(count: min(count, other.count)) { result in
            withUnsafeBytes { one in
                other.read { other in
                    for index in result.indices { result[index] = one[index] ^ other[index] }
                }
            }
        }
    }

    /// The bytes, with the first one at the end.
    package var rotatedLeft: SecretBytes { SecretBytes(joining: slice(1..<max(1, count)), slice(0..<1)) }

    /// The number times x in the field of CMAC (NIST SP 800-38B, §5.3).
    func doubled(_ reduction: UInt8) -> SecretBytes {
        SecretBytes(count: count) { result in
            withUnsafeBytes { bytes in
                for index in result.indices {
                    let next = index + 1 < bytes.count ? bytes[index + 1] >> 7 : 0
                    result[index] = bytes[index] << 1 | next
                }
                // Without a branch on the secret bit.
                if let first = bytes.first, let last = result.indices.last {
                    result[last] ^= reduction & (0 &- (first >> 7))
                }
            }
        }
    }

    /// The number times x in the field of AES-CMAC, for a code that is not AES in CBC mode.
    package var doubled: SecretBytes { doubled(0x87) }

    /// A message with `80`, and with zeros up to whole blocks (ISO/IEC 9797-1, padding method 2).
    package convenience init(padding message: some ByteStorage, to blockLength: Int) {
        let count = (message.count / blockLength + 1) * blockLength
        self.init(count: count) { memory in
            message.read { memory.copyBytes(from: $0) }
            memory[message.count] = 0x80
        }
    }

    /// What was padded: the bytes before the last `80`, if only zeros follow it; nil otherwise.
    package var unpadded: SecretBytes? {
        withUnsafeBytes { bytes in
            guard let end = bytes.lastIndex(where: { $0 != 0 }), bytes[end] == 0x80 else { return nil }
            return slice(0..<end)
        }
    }
}
