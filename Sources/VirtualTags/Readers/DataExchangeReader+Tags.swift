extension FeliCaTag {
    /// A reader that passes FeliCa frames on.
    public func inReader() -> any VirtualCard { DataExchangeReader(tag: self) }
}

extension TopazTag {
    /// A reader that passes Topaz frames on.
    public func inReader() -> any VirtualCard { DataExchangeReader(tag: self, settings: .topaz) }
}
