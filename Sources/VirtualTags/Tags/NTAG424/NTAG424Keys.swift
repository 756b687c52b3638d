/// The keys of an NTAG 424 DNA with their versions (NT4H2421Gx, §8.2.2).
struct NTAG424Keys: Sendable, Hashable {
    /// How many keys the application has.
    static let count = 5

    private var values = [[UInt8]](repeating: [UInt8](repeating: 0, count: AES128.blockSize), count: count)
    private var versions = [UInt8](repeating: 0, count: count)

    /// Keys by their numbers; the others are zero.
    init(_ keys: [UInt8: [UInt8]], versions: [UInt8: UInt8] = [:]) throws(VirtualTagError) {
        for (number, value) in keys {
            guard number < Self.count, value.count == AES128.blockSize else { throw .wrongKey(number: number) }
            values[Int(number)] = value
        }
        for (number, version) in versions {
            guard number < Self.count else { throw .wrongKey(number: number) }
            self.versions[Int(number)] = version
        }
    }

    /// The key with a number; nil if there is none.
    subscript(number: UInt8) -> [UInt8]? { number < Self.count ? values[Int(number)] : nil }

    /// The version of a key that exists.
    func version(of number: UInt8) -> UInt8 { number < Self.count ? versions[Int(number)] : 0 }

    /// Changes a key by the data of ChangeKey (§10.6.1): key 0 and its version, or another key xor its old value, its version, and
    /// the CRC of the new key.
    ///
    /// - Throws: the status that refuses the command.
    mutating func change(_ number: UInt8, _ data: [UInt8]) throws(NativeStatus) {
        guard let old = self[number] else { throw .noSuchKey }
        guard data.count == (number == 0 ? 17 : 21) else { throw .wrongLength }
        let part = Array(data.prefix(AES128.blockSize))
        let new = number == 0 ? part : xor(part, old)
        guard number == 0 || Array(data.suffix(4)) == Self.checksum(new) else { throw .integrityError }
        values[Int(number)] = new
        versions[Int(number)] = data[AES128.blockSize]
    }

    /// The CRC of IEEE 802.3 without its final inversion, least significant byte first.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var register: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: register >> UInt32($0)) }
    }
}
