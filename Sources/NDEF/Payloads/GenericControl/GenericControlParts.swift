/// The records inside a Generic Control record, sorted one by one into what they say.
struct GenericControlParts {
    private(set) var target: [NDEFRecord] = []
    private(set) var action: GenericControlRecord.Action?
    private(set) var data: [NDEFRecord] = []
    private(set) var other: [NDEFRecord] = []
    private(set) var warnings: [NDEFWarning.Code] = []

    /// The first byte of an action that is a code.
    static let numericCode: UInt8 = 0x01

    /// Nothing sorted yet, with these fields already taken.
    init(target: [NDEFRecord] = [], action: GenericControlRecord.Action? = nil, data: [NDEFRecord] = []) {
        self.target = target
        self.action = action
        self.data = data
    }

    /// - Throws: ``NDEFPayloadError`` where the first target is no message.
    mutating func add(_ record: NDEFRecord) throws(NDEFPayloadError) {
        switch (record.typeNameFormat, record.typeString) {
        case (.nfcWellKnown, "t") where target.isEmpty:
            target = try NestedMessage.decode(record.payload[...], warnings: &warnings)
            noteIdentifier(of: record)
        case (.nfcWellKnown, "a"): addAction(record)
        case (.nfcWellKnown, "d"): addData(record)
        case (.nfcWellKnown, "t"): setAside(record)
        default: other.append(record)
        }
    }

    private mutating func addAction(_ record: NDEFRecord) {
        guard action == nil, let decoded = decodeAction(record.payload) else { return setAside(record) }
        action = decoded
        noteIdentifier(of: record)
    }

    private mutating func decodeAction(_ payload: [UInt8]) -> GenericControlRecord.Action? {
        var reader = ByteReader(payload)
        switch reader.uint8() {
        case Self.numericCode:
            guard let code = reader.uint8(), reader.isAtEnd else { return nil }
            return .code(code)
        case 0: return decodeMessage(reader.rest).map(GenericControlRecord.Action.records)
        default: return nil
        }
    }

    private mutating func addData(_ record: NDEFRecord) {
        guard data.isEmpty, let decoded = decodeMessage(record.payload[...]) else { return setAside(record) }
        data = decoded
        noteIdentifier(of: record)
    }

    private mutating func decodeMessage(_ bytes: ArraySlice<UInt8>) -> [NDEFRecord]? {
        var remarks: [NDEFWarning.Code] = []
        guard let records = try? NestedMessage.decode(bytes, warnings: &remarks) else { return nil }
        warnings += remarks
        return records
    }

    private mutating func setAside(_ record: NDEFRecord) {
        other.append(record)
        warnings.append(.genericControlIgnored)
    }

    private mutating func noteIdentifier(of record: NDEFRecord) {
        if !record.identifier.isEmpty { warnings.append(.innerIdentifierIgnored) }
    }
}
