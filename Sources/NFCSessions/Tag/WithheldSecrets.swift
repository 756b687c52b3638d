import NFCTypes

/// The secrets that a tag was given, which no error may show. A tag may repeat in its answer what it was sent.
///
/// A driver sends the last password again when it needs it, and changes it with the one before; older ones are forgotten. So a client that
/// tries many costs no time.
struct WithheldSecrets: Sendable {
    /// How many are kept.
    static let limit = 4
    /// The size of the longest key, in bytes.
    private static let longestKey = 16
    /// The bytes of a page.
    private static let pageSize = 4

    /// For each secret, the hexadecimal digits to replace, the longest first.
    private var texts: [[String]] = []

    /// How many are kept now.
    var count: Int { texts.count }

    /// Adds a secret. A key is written page by page, last byte first (MIFARE Ultralight AES), so its parts are withheld too.
    mutating func add(_ secret: [UInt8]) {
        guard !secret.isEmpty else { return }
        var parts = [secret]
        if secret.count == Self.longestKey {
            let backwards = Array(secret.reversed())
            let pages = stride(from: 0, to: backwards.count, by: Self.pageSize)
            parts += [backwards] + pages.map { Array(backwards[$0..<$0 + Self.pageSize]) }
        }
        let added = parts.map(Hexadecimal.string)
        texts.removeAll { $0 == added }
        texts.append(added)
        if texts.count > Self.limit { texts.removeFirst() }
    }

    /// The text without the secrets.
    func removed(from text: String) -> String {
        texts.joined().reduce(text) { $0.replacing($1, with: "…") }
    }
}
