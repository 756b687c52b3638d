extension HandoverCarrierRecord {
    private enum CodingKeys: String, CodingKey {
        case carrierTypeFormat, carrierType, carrierData
    }

    /// Writes `carrierTypeFormat` (the name of a type name format), `carrierType` and `carrierData` (hexadecimal).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(carrierTypeFormat, forKey: .carrierTypeFormat)
        try container.encode(hexadecimal: carrierType, forKey: .carrierType)
        try container.encode(hexadecimal: carrierData, forKey: .carrierData)
    }

    /// Reads `carrierTypeFormat` and `carrierType`, and `carrierData` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decode(TypeNameFormat.self, forKey: .carrierTypeFormat)
        let type = try container.decodeHexadecimal(forKey: .carrierType)
        let data = try container.decodeHexadecimalIfPresent(forKey: .carrierData) ?? []
        self = try container.accepting(.carrierType) { () throws(NDEFPayloadError) in
            try HandoverCarrierRecord(carrierTypeFormat: format, carrierType: type, carrierData: data)
        }
    }
}
