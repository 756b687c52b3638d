extension HandoverRequestRecord {
    /// Writes `version`, `carriers` (alternative carriers in their own form); `collisionResolution` (in its own form) and
    /// `other` (records, raw) where there are any.
    public func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }

    /// Reads `version` (1.5 where missing), `collisionResolution` (needed from version 1.2 on), `carriers` and `other`
    /// (none where missing).
    public init(from decoder: any Decoder) throws {
        content = try HandoverPayload(.request, from: decoder)
    }
}
