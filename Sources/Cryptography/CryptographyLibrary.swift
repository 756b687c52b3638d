import CCrypto

/// libcrypto in a context that reads no configuration: what openssl.cnf replaces or switches off changes nothing for a tag.
///
/// It has the algorithms of OpenSSL's default provider. Single DES is not one of them; as 3DES with the same key three times it is.
enum CryptographyLibrary {
    /// Made once, and valid until the process ends; libcrypto locks it.
    nonisolated(unsafe) static let context = OSSL_LIB_CTX_new()

    /// Checks an operation that depends on no bytes from outside: it fails only if memory is exhausted.
    static func expect(_ isDone: Bool, _ operation: StaticString) {
        precondition(isDone, "\(operation) failed in libcrypto")
    }

    /// The result of such an operation.
    static func expect(_ result: OpaquePointer?, _ operation: StaticString) -> OpaquePointer {
        guard let result else { preconditionFailure("\(operation) failed in libcrypto") }
        return result
    }
}

/// libcrypto's own memory, into which it copies keys while it computes with them.
package enum LibraryMemory {
    /// Excludes it from core dumps, and has it overwritten when it becomes free. To be called before the program uses libcrypto: later
    /// it changes nothing.
    package static func protect() { ccrypto_protect_memory() }
}

/// A failure of an operation on bytes from outside.
package struct CryptographyError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ operation: String) { description = "\(operation) failed" }
}
