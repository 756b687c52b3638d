extension BluetoothDataStructure: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, data
    }

    /// Reads `type` (two hexadecimal digits), and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let typeBytes = try container.decodeHexadecimal(forKey: .type)
        guard let type = typeBytes.first, typeBytes.count == 1 else {
            throw container.rejection(forKey: .type, "not two hexadecimal digits")
        }
        let data = try container.decodeHexadecimalIfPresent(forKey: .data) ?? []
        self = try container.accepting(.data) { () throws(NDEFPayloadError) in
            try BluetoothDataStructure(type: type, data: data)
        }
    }

    /// Writes `type` and `data` (hexadecimal).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: [type], forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }
}
