/// Why a token or its key cannot be used: for people, and never with a PIN or a key.
struct TokenError: Error, Equatable, CustomStringConvertible {
    let description: String
    /// What the module returned (CKR_…); nil if it was not asked.
    let code: UInt?

    init(_ description: String, code: UInt? = nil) {
        self.description = description
        self.code = code
    }
}
