import SQLite

/// The checksum of a row: FNV-1a with 64 bits over its values. A change of any single byte changes it; it does not protect against a
/// program that writes the file.
struct RowChecksum {
    private static let prime: UInt64 = 0x0000_0100_0000_01B3
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The checksum of values, in their order.
    static func of(_ values: some Sequence<SQLiteValue>) -> Int64 {
        var checksum = RowChecksum()
        for value in values { checksum.add(value) }
        return Int64(bitPattern: checksum.state)
    }

    private mutating func add(_ value: SQLiteValue) {
        switch value {
        case .null: add(byte: 0)
        case .integer(let number):
            add(byte: 1)
            add(UInt64(bitPattern: number))
        case .real(let number):
            add(byte: 2)
            add(number.bitPattern)
        case .text(var text):
            add(byte: 3)
            text.withUTF8 { add($0) }
        case .blob(let bytes):
            add(byte: 4)
            bytes.withUnsafeBufferPointer { add($0) }
        }
    }

    /// Bytes and their number, so that two values cannot be divided in another way.
    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        add(UInt64(bytes.count))
        for byte in bytes { add(byte: byte) }
    }

    private mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    private mutating func add(byte: UInt8) {
        state = (state ^ UInt64(byte)) &* Self.prime
    }
}
