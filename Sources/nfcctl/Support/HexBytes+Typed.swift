import NFCProtocol

extension HexBytes {
    /// Bytes as people type them: white space and colons between the digits do not matter. Nil where there are none, or
    /// something else stands there.
    init?(typed text: String) {
        self.init(text.filter { !$0.isWhitespace && $0 != ":" })
        if bytes.isEmpty { return nil }
    }
}
