/// The memory of a section of an OpenPrintTag payload, and what the section says.
public struct OpenPrintTagRegion: Hashable, Sendable {
    /// Which section it is.
    public let section: OpenPrintTagSection
    /// Where the region starts, counted from the start of the payload.
    public let offset: Int
    /// The memory of the region; what is behind the section has no meaning.
    public let bytes: [UInt8]
    let map: OpenPrintTagMap?
    private let fault: CBORFault?

    init(_ section: OpenPrintTagSection, offset: Int, bytes: [UInt8]) {
        self.section = section
        self.offset = offset
        self.bytes = bytes
        do throws(CBORFault) {
            map = try OpenPrintTagMap(bytes)
            fault = nil
        } catch {
            map = nil
            fault = error
        }
    }

    /// Two regions are equal if they are the same section at the same place, with the same bytes.
    public static func == (one: Self, other: Self) -> Bool {
        one.section == other.section && one.offset == other.offset && one.bytes == other.bytes
    }

    /// Hashes the place and the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(section)
        hasher.combine(offset)
        hasher.combine(bytes)
    }

    /// The bytes that the section takes; nil if there is no readable section.
    public var usedSize: Int? { map?.length }

    /// The bytes of the payload that the region takes.
    public var range: Range<Int> { offset..<offset + bytes.count }

    /// What the field of that name holds; nil where it is absent.
    public subscript(name: String) -> OpenPrintTagFieldResult? {
        guard let field = section.field(named: name), let pair = map?.pair(key: field.key) else { return nil }
        return field.read(pair.value, bytes: Array(bytes[pair.valueRange]))
    }

    /// The fields that are on the tag and known, in the order of their first places, and what they hold. If a key comes again, the last
    /// one counts.
    public var fields: [(field: OpenPrintTagField, result: OpenPrintTagFieldResult)] {
        var seen: Set<UInt64> = []
        return (map?.pairs ?? []).compactMap { pair in
            guard let field = pair.number.flatMap(section.field(key:)), seen.insert(field.key).inserted,
                let result = self[field.name]
            else { return nil }
            return (field, result)
        }
    }

    /// The keys and values that the specification does not have, in their bytes. They are kept when the section is changed.
    public var unknownFields: [(key: [UInt8], value: [UInt8])] {
        (map?.pairs ?? []).filter { $0.number.flatMap(section.field(key:)) == nil }.map { pair in
            (Array(bytes[pair.keyRange]), Array(bytes[pair.valueRange]))
        }
    }
}

// MARK: - Faults

extension OpenPrintTagRegion {
    /// What is wrong with the section, if it can be read or not.
    var faults: [OpenPrintTagFault] {
        guard let map else {
            return [OpenPrintTagFault(section, fault == .tooDeep ? .tooDeep : .corrupt)]
        }
        let wrong = fields.compactMap { field, result -> OpenPrintTagFault? in
            switch result {
            case .value: nil
            case .wrongType(let raw): OpenPrintTagFault(section, .wrongType, field: field.name, raw: raw)
            case .outOfRange:
                OpenPrintTagFault(
                    section, .outOfRange, field: field.name,
                    raw: map.pair(key: field.key).map { Array(bytes[$0.valueRange]) } ?? [])
            }
        }
        return wrong + repeated(in: map) + missing
    }

    private func repeated(in map: OpenPrintTagMap) -> [OpenPrintTagFault] {
        map.repeatedKeys.sorted().map { key in
            OpenPrintTagFault(
                section, .repeated, field: section.field(key: key)?.name, raw: CBORWriter.unsigned(key))
        }
    }

    /// The required fields that are absent.
    private var missing: [OpenPrintTagFault] {
        section.fields.filter { $0.requirement == .required && self[$0.name] == nil }.map { field in
            OpenPrintTagFault(section, .missing, field: field.name)
        }
    }
}

/// Something in an OpenPrintTag payload that is not as the specification has it; the rest of the payload is read in spite of it.
public struct OpenPrintTagFault: Hashable, Sendable {
    /// The section concerned.
    public let section: OpenPrintTagSection
    /// What is wrong.
    public let kind: Kind
    /// The name of the field concerned; nil where it is the whole section, or a key that the specification does not have.
    public let field: String?
    /// The bytes on the tag that are concerned; empty for a whole section.
    public let raw: [UInt8]

    init(_ section: OpenPrintTagSection, _ kind: Kind, field: String? = nil, raw: [UInt8] = []) {
        self.section = section
        self.kind = kind
        self.field = field
        self.raw = raw
    }

    /// The kinds of faults; more may be added.
    public enum Kind: String, CaseIterable, Sendable {
        /// The section is not a map of CBOR that ends within 512 bytes and its region.
        case corrupt
        /// The items of the section are nested too deeply.
        case tooDeep
        /// The region is not within the payload.
        case outside
        /// The region shares bytes with another one.
        case overlapping
        /// The value is of another type than the field's.
        case wrongType
        /// The field may not have such a value.
        case outOfRange
        /// The key comes more than once; the last one counts.
        case repeated
        /// The field is required, and absent.
        case missing
    }
}
