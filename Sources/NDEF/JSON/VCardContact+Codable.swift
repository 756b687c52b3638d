extension VCardContact: Codable {
    private enum CodingKeys: String, CodingKey {
        case formattedName, name, phones, mails, organisation, title, role, addresses, urls, birthday, note, uid, photo
    }

    /// Writes `phones` and `mails`, and the other fields where there is anything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(formattedName, forKey: .formattedName)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encode(phones, forKey: .phones)
        try container.encode(mails, forKey: .mails)
        try container.encodeIfNotEmpty(organisation, forKey: .organisation)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(role, forKey: .role)
        try container.encodeIfNotEmpty(addresses, forKey: .addresses)
        try container.encodeIfNotEmpty(urls, forKey: .urls)
        try container.encodeIfPresent(birthday, forKey: .birthday)
        try container.encodeIfPresent(note, forKey: .note)
        try container.encodeIfPresent(uid, forKey: .uid)
        try container.encodeIfPresent(photo, forKey: .photo)
    }

    /// Reads the fields, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            formattedName: try container.decodeIfPresent(String.self, forKey: .formattedName),
            name: try container.decodeIfPresent(VCardName.self, forKey: .name),
            phones: try container.decodeIfPresent([VCardValue].self, forKey: .phones) ?? [],
            mails: try container.decodeIfPresent([VCardValue].self, forKey: .mails) ?? [],
            organisation: try container.decodeIfPresent([String].self, forKey: .organisation) ?? [],
            title: try container.decodeIfPresent(String.self, forKey: .title),
            role: try container.decodeIfPresent(String.self, forKey: .role),
            addresses: try container.decodeIfPresent([VCardAddress].self, forKey: .addresses) ?? [],
            urls: try container.decodeIfPresent([String].self, forKey: .urls) ?? [],
            birthday: try container.decodeIfPresent(String.self, forKey: .birthday),
            note: try container.decodeIfPresent(String.self, forKey: .note),
            uid: try container.decodeIfPresent(String.self, forKey: .uid),
            photo: try container.decodeIfPresent(VCardPhoto.self, forKey: .photo))
    }
}

extension VCardName: Codable {
    private enum CodingKeys: String, CodingKey {
        case family, given, additional, prefixes, suffixes
    }

    /// Writes the parts that are not empty.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfNotEmpty(family, forKey: .family)
        try container.encodeIfNotEmpty(given, forKey: .given)
        try container.encodeIfNotEmpty(additional, forKey: .additional)
        try container.encodeIfNotEmpty(prefixes, forKey: .prefixes)
        try container.encodeIfNotEmpty(suffixes, forKey: .suffixes)
    }

    /// Reads the parts; those that are missing are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            family: try container.decodeText(.family), given: try container.decodeText(.given),
            additional: try container.decodeText(.additional), prefixes: try container.decodeText(.prefixes),
            suffixes: try container.decodeText(.suffixes))
    }
}

extension VCardValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case value, types
    }

    /// Writes `value` and `types`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(types, forKey: .types)
    }

    /// Reads `value`, and `types` (none where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .value),
            types: try container.decodeIfPresent([String].self, forKey: .types) ?? [])
    }
}

extension VCardAddress: Codable {
    private enum CodingKeys: String, CodingKey {
        case postOfficeBox, extended, street, locality, region, postalCode, country, types
    }

    /// Writes `types`, and the parts that are not empty.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfNotEmpty(postOfficeBox, forKey: .postOfficeBox)
        try container.encodeIfNotEmpty(extended, forKey: .extended)
        try container.encodeIfNotEmpty(street, forKey: .street)
        try container.encodeIfNotEmpty(locality, forKey: .locality)
        try container.encodeIfNotEmpty(region, forKey: .region)
        try container.encodeIfNotEmpty(postalCode, forKey: .postalCode)
        try container.encodeIfNotEmpty(country, forKey: .country)
        try container.encode(types, forKey: .types)
    }

    /// Reads `types` (none where missing), and the parts; those that are missing are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            postOfficeBox: try container.decodeText(.postOfficeBox), extended: try container.decodeText(.extended),
            street: try container.decodeText(.street), locality: try container.decodeText(.locality),
            region: try container.decodeText(.region), postalCode: try container.decodeText(.postalCode),
            country: try container.decodeText(.country),
            types: try container.decodeIfPresent([String].self, forKey: .types) ?? [])
    }
}

extension VCardPhoto: Codable {
    private enum CodingKeys: String, CodingKey {
        case mediaType, uri, size
    }

    /// Writes `mediaType`, `uri` and `size`, each where it is known.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(mediaType, forKey: .mediaType)
        try container.encodeIfPresent(uri, forKey: .uri)
        try container.encodeIfPresent(size, forKey: .size)
    }

    /// Reads `mediaType`, `uri` and `size`, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            mediaType: try container.decodeIfPresent(String.self, forKey: .mediaType),
            uri: try container.decodeIfPresent(String.self, forKey: .uri),
            size: try container.decodeIfPresent(Int.self, forKey: .size))
    }
}

extension KeyedDecodingContainer {
    /// The text, empty where it is missing.
    fileprivate func decodeText(_ key: Key) throws -> String { try decodeIfPresent(String.self, forKey: key) ?? "" }
}
