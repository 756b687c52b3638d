extension String {
    /// The text in these bytes, or nil where they are not well-formed UTF-8.
    init?(utf8 bytes: ArraySlice<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
