extension Double {
    /// The number for people: a whole one without a fraction, as `12` and `12.5`.
    package var shortText: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }

    /// A number as people write it: digits, with a point and a sign at most. Swift also reads `0x10`, `1e3`, `nan` and `inf`, which are
    /// nearly always mistakes where a person gives a weight or a time.
    ///
    /// - Returns: nil for any other text.
    package static func decimal(_ text: String) -> Double? {
        let digits = text.utf8.dropFirst(text.hasPrefix("-") || text.hasPrefix("+") ? 1 : 0)
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.joined().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
