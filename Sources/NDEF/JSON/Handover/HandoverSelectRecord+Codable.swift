extension HandoverSelectRecord {
    /// Writes `version`, `carriers` (alternative carriers in their own form); `error` (in its own form) and `other`
    /// (records, raw) where there are any.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }

    /// Reads `version` (1.5 where missing), `carriers`, `error` and `other` (none where missing).
    public init(from decoder: any Decoder) throws {
        content = try HandoverPayload(.select, from: decoder)
    }
}
