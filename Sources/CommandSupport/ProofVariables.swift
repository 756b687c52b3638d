package import NFCTypes

/// What a tag has proven, as variables of the environment of a command.
///
/// Each is always set, so that none is inherited from elsewhere and a shell with `set -u` does not stop: `PROOF` is the status, such as
/// `proven`, or empty if no profile fits the tag. A command decides by `PROOF` alone, and only by `proven`.
package struct ProofVariables: Sendable, Hashable {
    /// The names, with the prefix, and the values. Nothing of them is the text of a tag but the credential, in hexadecimal.
    package let values: [String: String]

    /// - Parameters:
    ///   - proof: nil if no profile fits the tag.
    ///   - prefix: the beginning of each name, such as `NFCD_`.
    package init(_ proof: TapProof?, prefix: String) {
        let values = [
            "PROOF": proof?.status.rawValue, "PROOF_PROFILE": proof?.profile, "PROOF_METHOD": proof?.method?.rawValue,
            "PROOF_KEY": proof?.key, "PROOF_KEY_VERSION": proof?.keyVersion.map { "\($0)" },
            "PROOF_IDENTIFIER": proof?.identifier.map { Hexadecimal.string($0.bytes) },
            "PROOF_COUNTER": proof?.counter.map { "\($0)" },
            "PROOF_CREDENTIAL": proof?.credential.map { Hexadecimal.string($0.bytes) },
            "PROOF_SCOPE": proof?.scope?.rawValue,
        ]
        self.values = Dictionary(
            uniqueKeysWithValues: values.map { (prefix + $0.key, Self.withoutNUL($0.value ?? "")) })
    }

    /// The text up to its first NUL character, where the system ends a variable.
    private static func withoutNUL(_ text: String) -> String { String(text.prefix { $0 != "\0" }) }
}
