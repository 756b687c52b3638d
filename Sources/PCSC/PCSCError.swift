/// A failed call: which one, and PC/SC's own code for why.
public struct PCSCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// PC/SC's code, never lost on the way up.
    public let code: PCSCCode
    /// The C function that failed, e.g. `SCardConnect`.
    public let operation: String

    /// A failed call.
    public init(code: PCSCCode, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// The call, the reason in words, and the code.
    public var description: String { "\(operation): \(code)" }
}
