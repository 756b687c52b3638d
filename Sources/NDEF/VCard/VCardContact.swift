/// What a vCard says of a person or organisation, as far as it has a field here. Text is without escapes and folds.
public struct VCardContact: Sendable, Hashable {
    /// The display name (`FN`).
    public var formattedName: String?
    /// The name in its parts (`N`).
    public var name: VCardName?
    /// The telephone numbers (`TEL`).
    public var phones: [VCardValue]
    /// The mail addresses (`EMAIL`).
    public var mails: [VCardValue]
    /// The name of the organisation, then its units from the largest to the smallest (`ORG`); empty for none.
    public var organisation: [String]
    /// The position (`TITLE`).
    public var title: String?
    /// The function (`ROLE`).
    public var role: String?
    /// The postal addresses (`ADR`).
    public var addresses: [VCardAddress]
    /// The web addresses (`URL`).
    public var urls: [String]
    /// The date of birth in its original notation (`BDAY`).
    public var birthday: String?
    /// A remark (`NOTE`).
    public var note: String?
    /// The unique identifier of the card (`UID`).
    public var uid: String?
    /// What is known of the picture (`PHOTO`).
    public var photo: VCardPhoto?

    /// What a vCard is to say.
    public init(
        formattedName: String? = nil, name: VCardName? = nil, phones: [VCardValue] = [], mails: [VCardValue] = [],
        organisation: [String] = [], title: String? = nil, role: String? = nil, addresses: [VCardAddress] = [],
        urls: [String] = [], birthday: String? = nil, note: String? = nil, uid: String? = nil, photo: VCardPhoto? = nil
    ) {
        self.formattedName = formattedName
        self.name = name
        self.phones = phones
        self.mails = mails
        self.organisation = organisation
        self.title = title
        self.role = role
        self.addresses = addresses
        self.urls = urls
        self.birthday = birthday
        self.note = note
        self.uid = uid
        self.photo = photo
    }

    /// What the card may be called: the formatted name, the name, the organisation, or whatever else there is.
    func title(orElse other: String) -> String {
        let candidates = [formattedName, name?.line, organisation.first, mails.first?.value, phones.first?.value]
        return candidates.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? other
    }

    /// Checks everything that writing relies on.
    func check() throws(NDEFPayloadError) {
        let types = (phones + mails).flatMap(\.types) + addresses.flatMap(\.types)
        guard types.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.typeCharacters.contains) }) else {
            throw NDEFPayloadError(.vCardType, "a type is a word of ASCII letters, digits and hyphens")
        }
        if let photo {
            let mediaType = photo.mediaType ?? "image"
            guard photo.uri != nil, !mediaType.isEmpty, mediaType.utf8.allSatisfy(Self.mediaTypeCharacters.contains)
            else { throw NDEFPayloadError(.vCardPhoto, "a photo is written with a URI and a media type or none") }
        }
    }

    private static let mediaTypeCharacters = typeCharacters.union("/.+".utf8)
    private static let typeCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-".utf8)
}

extension VCardContact: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case formattedName, name, phones, mails, organisation, title, role, addresses, urls, birthday, note, uid, photo
    }

    /// Writes `phones` and `mails`, and the other fields if there is anything.
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

extension VCardContact: JSONDescribed {
    package static var jsonSummary: String { "What a card says of a person or organisation." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .formattedName:
                .optional(.text, "The name for display (`FN`).")
            case .name:
                .optional(.object(VCardName.self), "The name in its parts (`N`).")
            case .phones:
                .written(.list(.object(VCardValue.self)), usual: .emptyList, "The telephone numbers (`TEL`).")
            case .mails:
                .written(.list(.object(VCardValue.self)), usual: .emptyList, "The mail addresses (`EMAIL`).")
            case .organisation:
                .optional(.list(.text), "The name of the organisation, then its units (`ORG`).")
            case .title:
                .optional(.text, "The position (`TITLE`).")
            case .role:
                .optional(.text, "The function (`ROLE`).")
            case .addresses:
                .optional(.list(.object(VCardAddress.self)), "The postal addresses (`ADR`).")
            case .urls:
                .optional(.list(.text), "The web addresses (`URL`).")
            case .birthday:
                .optional(.text, "The date of birth in its original notation (`BDAY`).")
            case .note:
                .optional(.text, "A remark (`NOTE`).")
            case .uid:
                .optional(.text, "The identifier of the card (`UID`).")
            case .photo:
                .optional(.object(VCardPhoto.self), "The picture (`PHOTO`). One that is made needs a `uri`.")
            }
        }
    }
}

/// The parts of a name; an empty one is not known. Several of a kind have commas between them.
public struct VCardName: Sendable, Hashable {
    /// The family name.
    public var family: String
    /// The given name.
    public var given: String
    /// The other names.
    public var additional: String
    /// What precedes the name, such as `Dr.`.
    public var prefixes: String
    /// What follows the name, such as `Jr.`.
    public var suffixes: String

    /// A name of these parts.
    public init(
        family: String = "", given: String = "", additional: String = "", prefixes: String = "", suffixes: String = ""
    ) {
        self.family = family
        self.given = given
        self.additional = additional
        self.prefixes = prefixes
        self.suffixes = suffixes
    }

    var line: String {
        [prefixes, given, additional, family, suffixes].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension VCardName: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
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

extension VCardName: JSONDescribed {
    package static var jsonSummary: String { "A name in its parts." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .family:
                .optional(.text, usual: .text(""), "The family name.")
            case .given:
                .optional(.text, usual: .text(""), "The given name.")
            case .additional:
                .optional(.text, usual: .text(""), "Further given names.")
            case .prefixes:
                .optional(.text, usual: .text(""), "What is before the name, such as `Dr.`")
            case .suffixes:
                .optional(.text, usual: .text(""), "What is after the name, such as `Jr.`")
            }
        }
    }
}

/// A telephone number or mail address, and of what kind it is.
public struct VCardValue: Sendable, Hashable {
    /// The number or address.
    public var value: String
    /// The kinds in lower case, such as `cell` and `work`; `pref` stands for the preferred one.
    public var types: [String]

    /// A number or address of these kinds.
    public init(_ value: String, types: [String] = []) {
        self.value = value
        self.types = types
    }
}

extension VCardValue: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
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

extension VCardValue: JSONDescribed {
    package static var jsonSummary: String { "A telephone number or a mail address." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .value:
                .required(.text, "The number or the address.")
            case .types:
                .written(
                    .list(.text), usual: .emptyList,
                    "The types, such as `work`, in lower case; `pref` for the preferred one.")
            }
        }
    }
}

/// The parts of a postal address; an empty one is not known.
public struct VCardAddress: Sendable, Hashable {
    /// The post office box.
    public var postOfficeBox: String
    /// The flat or suite.
    public var extended: String
    /// Street and number.
    public var street: String
    /// The town.
    public var locality: String
    /// The state or province.
    public var region: String
    /// The postal code.
    public var postalCode: String
    /// The country.
    public var country: String
    /// The kinds in lower case, such as `home`; `pref` stands for the preferred one.
    public var types: [String]

    /// An address of these parts.
    public init(
        postOfficeBox: String = "", extended: String = "", street: String = "", locality: String = "",
        region: String = "", postalCode: String = "", country: String = "", types: [String] = []
    ) {
        self.postOfficeBox = postOfficeBox
        self.extended = extended
        self.street = street
        self.locality = locality
        self.region = region
        self.postalCode = postalCode
        self.country = country
        self.types = types
    }
}

extension VCardAddress: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
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

extension VCardAddress: JSONDescribed {
    package static var jsonSummary: String { "A postal address." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .postOfficeBox:
                .optional(.text, usual: .text(""), "The post office box.")
            case .extended:
                .optional(.text, usual: .text(""), "The apartment, the floor and the like.")
            case .street:
                .optional(.text, usual: .text(""), "The street and the number.")
            case .locality:
                .optional(.text, usual: .text(""), "The town.")
            case .region:
                .optional(.text, usual: .text(""), "The region.")
            case .postalCode:
                .optional(.text, usual: .text(""), "The postal code.")
            case .country:
                .optional(.text, usual: .text(""), "The country.")
            case .types:
                .written(
                    .list(.text), usual: .emptyList,
                    "The types, such as `work`, in lower case; `pref` for the preferred one.")
            }
        }
    }
}

/// What is known of a picture without looking into it.
public struct VCardPhoto: Sendable, Hashable {
    /// The media type, such as `image/jpeg`; nil where the card does not say.
    public var mediaType: String?
    /// Where the picture is; nil where it is in the card.
    public var uri: String?
    /// Of how many bytes the picture is; nil where it is elsewhere.
    public var size: Int?

    /// A picture at that place.
    public init(uri: String, mediaType: String? = nil) {
        self.init(mediaType: mediaType, uri: uri, size: nil)
    }

    init(mediaType: String?, uri: String?, size: Int?) {
        self.mediaType = mediaType
        self.uri = uri
        self.size = size
    }
}

extension VCardPhoto: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
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

extension VCardPhoto: JSONDescribed {
    package static var jsonSummary: String { "What is known of a picture." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .mediaType:
                .optional(.text, "The media type.")
            case .uri:
                .optional(.text, "Where the picture is, if it is not in the card.")
            case .size:
                .optional(.integer(nil), "The size in bytes, if the picture is in the card.")
            }
        }
    }
}

extension KeyedDecodingContainer {
    /// The text, empty where it is missing.
    fileprivate func decodeText(_ key: Key) throws -> String { try decodeIfPresent(String.self, forKey: key) ?? "" }
}
