extension Double {
    /// The number for people: a whole one without a fraction, as `12` and `12.5`.
    package var shortText: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
