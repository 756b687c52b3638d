import Cryptography
import FoundationEssentials

/// The signatures of Standard Webhooks 1.0.0 (symmetric, v1).
struct WebhookSigner: Sendable {
    /// A key: `whsec_` and the base64 of 24 to 64 bytes.
    struct Key: Sendable {
        private static let prefix = "whsec_"

        fileprivate let bytes: SecretBytes

        /// Nil where the line is not a key.
        init?(_ line: SecretLine) {
            guard var data = line.base64(after: Self.prefix) else { return nil }
            defer { data.resetBytes(in: 0..<data.count) }
            guard (24...64).contains(data.count) else { return nil }
            bytes = SecretBytes(data)
        }
    }

    private let keys: [Key]

    /// - Parameter keys: the new one first; while it is rotated, also the old one.
    init(_ keys: [Key]) {
        self.keys = keys
    }

    /// The headers of one attempt.
    ///
    /// - Parameters:
    ///   - id: the same in every attempt, without a dot.
    ///   - seconds: the time of this attempt, since 1970.
    func headers(id: String, seconds: Int64, body: Data) -> [(String, String)] {
        guard !keys.isEmpty else { return [] }
        let signed = Data("\(id).\(seconds).".utf8) + body
        let signatures = keys.map { key in
            "v1," + Data(HMACSHA256.code(of: signed, key: key.bytes)).base64EncodedString()
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
