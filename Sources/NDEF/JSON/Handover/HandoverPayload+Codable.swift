extension HandoverPayload {
    private enum CodingKeys: String, CodingKey {
        case version, collisionResolution, carriers, error, other
    }

    /// Writes `version` and `carriers`; `collisionResolution`, `error` and `other` (records, raw) where there are any.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encodeIfPresent(collisionResolution, forKey: .collisionResolution)
        try container.encode(carriers, forKey: .carriers)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `version` (1.5 where missing), `carriers` and `other` (none where missing), and, where the form of message has
    /// them, `collisionResolution` and `error`.
    init(_ form: HandoverForm, from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decodeIfPresent(HandoverVersion.self, forKey: .version) ?? .current
        let carriers = try container.decodeIfPresent([AlternativeCarrierRecord].self, forKey: .carriers) ?? []
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        let collisionResolution =
            form == .request
            ? try container.decodeIfPresent(CollisionResolutionRecord.self, forKey: .collisionResolution) : nil
        let error = form == .select ? try container.decodeIfPresent(HandoverErrorRecord.self, forKey: .error) : nil
        if form == .request, collisionResolution == nil, version.minor >= 2 {
            throw container.rejection(forKey: .collisionResolution, "missing, but needed from version 1.2 on")
        }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try HandoverPayload(
                form, version: version, collisionResolution: collisionResolution, carriers: carriers, error: error,
                other: other)
        }
    }
}
