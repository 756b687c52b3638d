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

    /// Random bytes.
    package convenience init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        defer { Self.wipe(&bytes) }
        self.init(bytes)
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

    /// Overwrites a copy.
    package static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    /// Compares in a time that depends on the lengths only.
    package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }

    package var description: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
