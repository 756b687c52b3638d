package import Cryptography

/// The check sum of DESFire and NTAG 424: CRC-32 of IEEE 802.3, reflected, without the final inversion.
package enum CRC32 {
    /// Four bytes, the lowest first.
    package static func checkSum(_ bytes: some ByteStorage) -> SecretBytes {
        var sum: UInt32 = 0xFFFF_FFFF
        bytes.read { bytes in
            for byte in bytes {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum >> 1 ^ (0xEDB8_8320 & (0 &- (sum & 1))) }
            }
        }
        return SecretBytes(count: 4) { memory in
            for index in 0..<4 { memory[index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
        }
    }
}

/// Runs an operation that fails only if a length does not fit.
package func mapErrors<Value>(
    _ operation: () throws(CryptographyError) -> Value
) throws(SecureTagError) -> Value {
    do { return try operation() } catch { throw .malformed("whole blocks with a key that the cipher takes") }
}

extension [UInt8] {
    /// Part of the bytes; nil unless all of it exists.
    package func part(_ start: Int, _ count: Int) -> [UInt8]? {
        guard start >= 0, count >= 0, start <= self.count - count else { return nil }
        return Array(self[start..<start + count])
    }

    /// The low bytes of a number, the lowest first.
    package init(littleEndian number: Int, count: Int) {
        self = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The number of bytes, the lowest first; up to seven of them.
    package var littleEndianNumber: Int { reversed().suffix(7).reduce(0) { $0 << 8 | Int($1) } }
}
