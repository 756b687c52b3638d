extension TelephoneURI: Codable {
    private enum CodingKeys: String, CodingKey {
        case number, dialable, `extension`, phoneContext, parameters
    }

    /// Writes `number`, `dialable`, and `extension`, `phoneContext` and `parameters` where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(dialable, forKey: .dialable)
        try container.encodeIfPresent(`extension`, forKey: .extension)
        try container.encodeIfPresent(phoneContext, forKey: .phoneContext)
        try container.encodeIfNotEmpty(parameters, forKey: .parameters)
    }

    /// Reads `number`, and `extension`, `phoneContext` and `parameters` where they are there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = try container.decode(String.self, forKey: .number)
        let `extension` = try container.decodeIfPresent(String.self, forKey: .extension)
        let phoneContext = try container.decodeIfPresent(String.self, forKey: .phoneContext)
        let parameters = try container.decodeIfPresent([URIField].self, forKey: .parameters) ?? []
        self = try container.accepting(.number) { () throws(NDEFPayloadError) in
            try TelephoneURI(number, extension: `extension`, phoneContext: phoneContext, parameters: parameters)
        }
    }
}

extension MessageURI: Codable {
    private enum CodingKeys: String, CodingKey {
        case recipients, body, otherFields
    }

    /// Writes `recipients`, and `body` and `otherFields` where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recipients, forKey: .recipients)
        try container.encodeIfPresent(body, forKey: .body)
        try container.encodeIfNotEmpty(otherFields, forKey: .otherFields)
    }

    /// Reads `recipients`, `body` and `otherFields`, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            recipients: try container.decodeIfPresent([String].self, forKey: .recipients) ?? [],
            body: try container.decodeIfPresent(String.self, forKey: .body),
            otherFields: try container.decodeIfPresent([URIField].self, forKey: .otherFields) ?? [])
    }
}

extension MailURI: Codable {
    private enum CodingKeys: String, CodingKey {
        case to, cc, bcc, subject, body, otherHeaders
    }

    /// Writes `to`, and `cc`, `bcc`, `subject`, `body` and `otherHeaders` where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(to, forKey: .to)
        try container.encodeIfNotEmpty(cc, forKey: .cc)
        try container.encodeIfNotEmpty(bcc, forKey: .bcc)
        try container.encodeIfPresent(subject, forKey: .subject)
        try container.encodeIfPresent(body, forKey: .body)
        try container.encodeIfNotEmpty(otherHeaders, forKey: .otherHeaders)
    }

    /// Reads `to`, `cc`, `bcc`, `subject`, `body` and `otherHeaders`, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            to: try container.decodeIfPresent([String].self, forKey: .to) ?? [],
            cc: try container.decodeIfPresent([String].self, forKey: .cc) ?? [],
            bcc: try container.decodeIfPresent([String].self, forKey: .bcc) ?? [],
            subject: try container.decodeIfPresent(String.self, forKey: .subject),
            body: try container.decodeIfPresent(String.self, forKey: .body),
            otherHeaders: try container.decodeIfPresent([URIField].self, forKey: .otherHeaders) ?? [])
    }
}

extension LocationURI: Codable {
    private enum CodingKeys: String, CodingKey {
        case latitude, longitude, altitude, crs, uncertainty, query, label, parameters, otherFields
    }

    /// Writes `latitude`, `longitude` and `crs`, and `altitude`, `uncertainty`, `query`, `label`, `parameters` and
    /// `otherFields` where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
        try container.encodeIfPresent(altitude, forKey: .altitude)
        try container.encode(crs, forKey: .crs)
        try container.encodeIfPresent(uncertainty, forKey: .uncertainty)
        try container.encodeIfPresent(query, forKey: .query)
        try container.encodeIfPresent(label, forKey: .label)
        try container.encodeIfNotEmpty(parameters, forKey: .parameters)
        try container.encodeIfNotEmpty(otherFields, forKey: .otherFields)
    }

    /// Reads `latitude` and `longitude`, and `altitude`, `crs`, `uncertainty`, `query`, `parameters` and `otherFields` where
    /// they are there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        let altitude = try container.decodeIfPresent(Double.self, forKey: .altitude)
        let crs = try container.decodeIfPresent(String.self, forKey: .crs) ?? "wgs84"
        let uncertainty = try container.decodeIfPresent(Double.self, forKey: .uncertainty)
        let query = try container.decodeIfPresent(String.self, forKey: .query)
        let parameters = try container.decodeIfPresent([URIField].self, forKey: .parameters) ?? []
        let otherFields = try container.decodeIfPresent([URIField].self, forKey: .otherFields) ?? []
        self = try container.accepting(.latitude) { () throws(NDEFPayloadError) in
            try LocationURI(
                latitude: latitude, longitude: longitude, altitude: altitude, crs: crs, uncertainty: uncertainty,
                query: query, parameters: parameters, otherFields: otherFields)
        }
    }
}

extension URIField: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value
    }

    /// Writes `name`, and `value` where there is one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(value, forKey: .value)
    }

    /// Reads `name`, and `value` where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decodeIfPresent(String.self, forKey: .value))
    }
}
