import CCrypto

/// Bytes that are overwritten when the last reference to them ends, and that no description shows.
///
/// Their memory is locked where the limit allows it, and no core dump has it.
package final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
    /// Written in init only.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

    /// Copies the bytes. The caller overwrites its own.
    package init(_ bytes: some Collection<UInt8>) {
        memory = SecretMemory.allocate(bytes.count)
        memory.copyBytes(from: bytes)
    }

    /// Bytes that a function writes, so that no copy of them is left elsewhere.
    package init<Failure: Error>(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        memory = SecretMemory.allocate(count)
        try fill(memory)
    }

    /// Random bytes of the system's generator.
    package convenience init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init(randomCount: count, using: &generator)
    }

    /// Random bytes of a generator.
    package convenience init(randomCount count: Int, using generator: inout some RandomNumberGenerator) {
        self.init(count: count) { memory in
            for start in stride(from: 0, to: count, by: 8) {
                var number = generator.next()
                for index in start..<min(start + 8, count) {
                    memory[index] = UInt8(truncatingIfNeeded: number)
                    number >>= 8
                }
            }
        }
    }

    /// The bytes of all parts, one after the other.
    package convenience init(joining parts: any ByteStorage...) {
        self.init(count: parts.reduce(0) { $0 + $1.count }) { memory in
            var position = 0
            for part in parts {
                part.read { memory[position..<position + $0.count].copyBytes(from: $0) }
                position += part.count
            }
        }
    }

    deinit { SecretMemory.release(memory) }

    package var count: Int { memory.count }

    /// One byte; nil outside the bytes.
    package subscript(index: Int) -> UInt8? { memory.indices.contains(index) ? memory[index] : nil }

    /// A copy of some bytes: those of the range that exist.
    package func slice(_ range: Range<Int>) -> SecretBytes {
        SecretBytes(memory[range.clamped(to: memory.indices)])
    }

    package func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeRawBufferPointer(memory))
    }

    /// Compares in a time that depends on the lengths only.
    package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }

    /// Compares in a time that depends on the lengths only.
    package func isEqual(_ other: some ByteStorage) -> Bool {
        other.read { other in
            count == other.count && (count == 0 || CRYPTO_memcmp(memory.baseAddress, other.baseAddress, count) == 0)
        }
    }

    package var description: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
