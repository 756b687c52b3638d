/// The records inside a Smart Poster, sorted one by one into what they say.
///
/// Records are told apart by their type alone and never by what they decode to, so that nesting costs nothing.
struct SmartPosterParts {
    private(set) var uriRecords: [NDEFRecord] = []
    private(set) var titles: [TextRecord] = []
    private(set) var action: SmartPosterAction?
    private(set) var size: UInt32?
    private(set) var type: TypeRecord?
    private(set) var icons: [MediaRecord] = []
    private(set) var other: [NDEFRecord] = []
    private(set) var warnings: [NDEFWarning.Code] = []
    private var languages: Set<String> = []

    /// Nothing sorted yet, with these fields already taken.
    init(action: SmartPosterAction? = nil, size: UInt32? = nil, type: TypeRecord? = nil) {
        self.action = action
        self.size = size
        self.type = type
    }

    mutating func add(_ record: NDEFRecord) {
        switch (record.typeNameFormat, record.typeString) {
        case (.nfcWellKnown, "U"): addURI(record)
        case (.nfcWellKnown, "T"): addTitle(record)
        case (.nfcWellKnown, "act"): addAction(record)
        case (.nfcWellKnown, "s"): addSize(record)
        case (.nfcWellKnown, "t"): addType(record)
        case (.media, let type) where Self.isIcon(type) && record.type == Array(type.utf8): addIcon(record, type)
        default: other.append(record)
        }
    }

    /// Whether content of this media type is an icon: an image or a video.
    static func isIcon(_ mediaType: String) -> Bool {
        let essence = MediaType(mediaType).essence.utf8
        return essence.starts(with: "image/".utf8) || essence.starts(with: "video/".utf8)
    }
}

// MARK: - By type

extension SmartPosterParts {
    private mutating func addURI(_ record: NDEFRecord) {
        uriRecords.append(record)
        noteIdentifier(of: record)
    }

    private mutating func addTitle(_ record: NDEFRecord) {
        guard let title: TextRecord = decode(record, orWarn: .titleIgnored) else { return }
        titles.append(title)
        if !languages.insert(title.language.lowercased()).inserted { warnings.append(.titleLanguageRepeated) }
    }

    private mutating func addAction(_ record: NDEFRecord) {
        guard action == nil else { return setAside(record, .actionRepeated) }
        let isOneByte = record.payload.count == 1
        let decoded: ActionRecord? = decode(record, orWarn: isOneByte ? .actionReserved : .actionLength)
        action = decoded?.action
    }

    private mutating func addSize(_ record: NDEFRecord) {
        guard size == nil else { return setAside(record, .sizeRepeated) }
        let decoded: SizeRecord? = decode(record, orWarn: .sizeLength)
        size = decoded?.size
    }

    private mutating func addType(_ record: NDEFRecord) {
        guard type == nil else { return setAside(record, .typeIgnored) }
        type = decode(record, orWarn: .typeIgnored)
    }

    private mutating func addIcon(_ record: NDEFRecord, _ type: String) {
        icons.append(MediaRecord(type: type, data: record.payload))
        noteIdentifier(of: record)
    }
}

// MARK: - What is odd

extension SmartPosterParts {
    /// What the record says; where it cannot be read, it goes to the others with this warning.
    private mutating func decode<Payload: NDEFTypedPayload>(
        _ record: NDEFRecord, orWarn code: NDEFWarning.Code
    ) -> Payload? {
        var remarks: [NDEFWarning.Code] = []
        guard let payload = try? Payload(payload: record.payload, warnings: &remarks) else {
            setAside(record, code)
            return nil
        }
        warnings += remarks
        noteIdentifier(of: record)
        return payload
    }

    private mutating func setAside(_ record: NDEFRecord, _ code: NDEFWarning.Code) {
        other.append(record)
        warnings.append(code)
    }

    private mutating func noteIdentifier(of record: NDEFRecord) {
        if !record.identifier.isEmpty { warnings.append(.innerIdentifierIgnored) }
    }
}
