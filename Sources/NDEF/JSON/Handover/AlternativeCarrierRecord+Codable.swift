extension AlternativeCarrierRecord {
    private enum CodingKeys: String, CodingKey {
        case powerState, carrierDataReference, auxiliaryDataReferences, reserved
    }

    /// Writes `powerState` (a name), `carrierDataReference` and the list `auxiliaryDataReferences` (hexadecimal, as the
    /// identifiers of the records that they name), and `reserved` (hexadecimal) where there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(named: powerState, forKey: .powerState)
        try container.encode(hexadecimal: carrierDataReference, forKey: .carrierDataReference)
        try container.encode(auxiliaryDataReferences.map(\.hexadecimal), forKey: .auxiliaryDataReferences)
        try container.encodeIfNotEmpty(hexadecimal: reserved, forKey: .reserved)
    }

    /// Reads `carrierDataReference`, and `powerState` (`active` where missing), `auxiliaryDataReferences` and `reserved`
    /// (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let powerState = try container.decodeNamedIfPresent(PowerState.self, forKey: .powerState) ?? .active
        let reference = try container.decodeHexadecimal(forKey: .carrierDataReference)
        let digits = try container.decodeIfPresent([String].self, forKey: .auxiliaryDataReferences) ?? []
        let auxiliary = digits.compactMap { [UInt8](hexadecimal: $0) }
        guard auxiliary.count == digits.count else {
            throw container.rejection(
                forKey: .auxiliaryDataReferences, "one is not an even number of hexadecimal digits")
        }
        let reserved = try container.decodeHexadecimalIfPresent(forKey: .reserved) ?? []
        let key = reference.count > 0xFF ? CodingKeys.carrierDataReference : .auxiliaryDataReferences
        self = try container.accepting(key) { () throws(NDEFPayloadError) in
            try AlternativeCarrierRecord(
                powerState: powerState, carrierDataReference: reference, auxiliaryDataReferences: auxiliary,
                reserved: reserved)
        }
    }
}

extension AlternativeCarrierRecord.PowerState: NamedNumber {
    static let names: [UInt8: String] = [
        0: "inactive", 1: "active", 2: "activating", 3: "unknown",
    ]
}
