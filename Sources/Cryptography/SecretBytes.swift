import CCrypto

/// Bytes that are overwritten when the last reference to them ends, and that no description shows.
package final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
    /// Written in init only.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

    /// Copies the bytes. The caller overwrites its own.
    package init(_ bytes: some Collection<UInt8>) {
        memory = .allocate(byteCount: bytes.count, alignment: 16)
        memory.copyBytes(from: bytes)
    }

    /// Bytes that a function writes, so that no copy of them is left elsewhere.
    package init<Failure: Error>(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        memory = .allocate(byteCount: count, alignment: 16)
        try fill(memory)
    }

    /// Random bytes.
    package convenience init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init(count: count) { memory in
            for index in memory.indices { memory[index] = .random(in: .min ... .max, using: &generator) }
        }
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    package var count: Int { memory.count }

    package func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeRawBufferPointer(memory))
    }

    /// Compares in a time that depends on the lengths only.
    package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }

    package var description: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
