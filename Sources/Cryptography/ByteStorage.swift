/// What an operation reads and writes: an array for what others may see, ``SecretBytes`` for what they may not.
///
/// The type of a result decides where it is written, so that a derived key is in no array on its way.
package protocol ByteStorage {
    var count: Int { get }

    /// Bytes that a function writes.
    init(length: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Void)
        throws(CryptographyError)

    /// Gives access to the bytes.
    func read<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value
}

extension [UInt8]: ByteStorage {
    package init(
        length: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        self = .init(repeating: 0, count: length)
        let result: Result<Void, CryptographyError> = withUnsafeMutableBytes { bytes in
            Result { () throws(CryptographyError) in try fill(bytes) }
        }
        try result.get()
    }

    package func read<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result: Result<Value, Failure> = withUnsafeBytes { bytes in
            Result { () throws(Failure) in try body(bytes) }
        }
        return try result.get()
    }
}

extension SecretBytes: ByteStorage {
    package convenience init(
        length: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        try self.init(count: length, fill)
    }

    package func read<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withUnsafeBytes(body)
    }
}
