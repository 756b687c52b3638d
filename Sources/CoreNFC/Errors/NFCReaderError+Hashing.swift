import Foundation

// Foundation's own hashing of bridged errors traps on Linux.
extension NFCReaderError {
    /// Hashes domain and number; equal errors have both in common.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.domain)
        hasher.combine(_nsError.code)
    }

    /// The hash of domain and number.
    public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}
