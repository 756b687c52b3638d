/// What is done with a field of a section.
public enum OpenPrintTagChange: Hashable, Sendable {
    /// The field gets this value, and is added if it is absent.
    case set(OpenPrintTagValue)
    /// The field is removed, if it is there.
    case remove
}

/// The form of numbers that are written.
public enum OpenPrintTagNumberForm: Hashable, Sendable {
    /// The shortest form; but where the number that is replaced has a wider one than it needs, a form of that width. A single float
    /// stays one: a weight that gets another form changes the block in front of its digits, too.
    case shortest
    /// A form of five bytes, so that every number from 0 to 4294967295 takes the same place. On a section that is aligned to blocks, a
    /// first field then changes within one block as long as it is below 65536.
    case fiveBytes

    fileprivate var width: Int? { self == .fiveBytes ? 5 : nil }
}

extension OpenPrintTagRecord {
    /// The record with fields of a section changed, and everything else as it is: unknown fields, the order of the fields, and the bytes
    /// behind the section. The payload has the same length.
    ///
    /// Where the fields are in canonical order, a new field takes its place there; otherwise it is the last one. The holder of
    /// `general_purpose_range_user` has to remove the fields of another holder before; that is not done here.
    ///
    /// - Parameters:
    ///   - section: main or aux.
    ///   - changes: what is done, by the name of the field.
    ///   - numbers: the form of numbers.
    /// - Throws: ``NDEFPayloadError`` with code `OPT_NO_FIELD`, `OPT_VALUE`, `OPT_NO_REGION`, `OPT_SECTION_CORRUPT` or
    ///   `OPT_REGION_FULL`.
    public func changing(
        _ section: OpenPrintTagSection, _ changes: [String: OpenPrintTagChange],
        numbers: OpenPrintTagNumberForm = .shortest
    ) throws(NDEFPayloadError) -> OpenPrintTagRecord {
        try changing(section, changes, unknown: [], numbers: numbers)
    }

    /// The record with fields changed, and with these pairs that the specification does not have.
    func changing(
        _ section: OpenPrintTagSection, _ changes: [String: OpenPrintTagChange],
        unknown: [OpenPrintTagUpdate.UnknownField], numbers: OpenPrintTagNumberForm
    ) throws(NDEFPayloadError) -> OpenPrintTagRecord {
        let region = try changeable(section)
        guard let map = region.map else {
            throw NDEFPayloadError(
                .openPrintTagSectionCorrupt, "the \(section) section cannot be read, so it can only be emptied")
        }
        var splice = OpenPrintTagSplice(region.bytes, map)
        for (field, change) in try Self.checked(changes, in: section) {
            switch change {
            case .remove: splice.remove(field.key)
            case .set(let value): splice.set(field, to: value, width: numbers.width)
            }
        }
        for field in unknown { splice.set(field) }
        return try replacing(region, startingWith: splice.section)
    }

    /// The record with a section that has no fields; nothing else is changed. This is the only change to a section that cannot be read.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `OPT_NO_REGION`.
    public func emptying(_ section: OpenPrintTagSection) throws(NDEFPayloadError) -> OpenPrintTagRecord {
        try replacing(changeable(section), startingWith: [CBORWriter.emptyMap])
    }

    /// The region of a section that may be changed.
    private func changeable(_ section: OpenPrintTagSection) throws(NDEFPayloadError) -> OpenPrintTagRegion {
        let isMisplaced = faults.contains { [.outside, .overlapping].contains($0.kind) }
        guard section != .meta, !isMisplaced, let region = region(section) else {
            let reason =
                section == .meta
                ? "the meta section is not changed: it says where the others are"
                : "the payload has no \(section) region, or regions that are not where they should be"
            throw NDEFPayloadError(.openPrintTagNoRegion, reason)
        }
        return region
    }

    /// The changes with their fields, in the order of the keys.
    private static func checked(
        _ changes: [String: OpenPrintTagChange], in section: OpenPrintTagSection
    ) throws(NDEFPayloadError) -> [(field: OpenPrintTagField, change: OpenPrintTagChange)] {
        var checked: [(field: OpenPrintTagField, change: OpenPrintTagChange)] = []
        for (name, change) in changes {
            guard let field = section.field(named: name) else {
                throw NDEFPayloadError(.openPrintTagNoField, "the \(section) section has no field \(name.escaped)")
            }
            if case .set(let value) = change, !field.accepts(value) {
                throw NDEFPayloadError(.openPrintTagValue, "\(name) cannot have this value; it is \(field.words)")
            }
            checked.append((field, change))
        }
        return checked.sorted { $0.field.key < $1.field.key }
    }

    private func replacing(
        _ region: OpenPrintTagRegion, startingWith section: [UInt8]
    ) throws(NDEFPayloadError) -> OpenPrintTagRecord {
        let room = min(region.bytes.count, OpenPrintTagMap.maximumLength)
        guard section.count <= room else {
            let lengths = "\(counted(section.count, "byte")), but there is room for \(room)"
            throw NDEFPayloadError(.openPrintTagRegionFull, "the \(region.section) section would need \(lengths)")
        }
        var bytes = payload
        bytes.replaceSubrange(region.offset..<region.offset + section.count, with: section)
        return try OpenPrintTagRecord(payload: bytes)
    }
}

extension NDEFPayloadError.Code {
    /// A section of OpenPrintTag has no field of that name.
    public static let openPrintTagNoField = Self(rawValue: "OPT_NO_FIELD")
    /// A field of OpenPrintTag cannot have that value.
    public static let openPrintTagValue = Self(rawValue: "OPT_VALUE")
    /// An OpenPrintTag payload has no such region, or none that may be changed.
    public static let openPrintTagNoRegion = Self(rawValue: "OPT_NO_REGION")
    /// A section of OpenPrintTag that is to be changed cannot be read.
    public static let openPrintTagSectionCorrupt = Self(rawValue: "OPT_SECTION_CORRUPT")
    /// A section of OpenPrintTag would not fit in its region.
    public static let openPrintTagRegionFull = Self(rawValue: "OPT_REGION_FULL")
}

/// Changes pairs of a map and keeps the bytes of the others.
private struct OpenPrintTagSplice {
    private struct Pair {
        let number: UInt64?
        let key: [UInt8]
        let value: [UInt8]
        /// The number that the value is, if it is one.
        let item: SectionItem?

        /// A number as a single float, where this is one and the other can be.
        func single(for value: OpenPrintTagValue) -> [UInt8]? {
            guard case .float? = item, self.value.count == 5, case .number(let number) = value else { return nil }
            return CBORWriter.single(number)
        }
    }

    private let head: [UInt8]
    private let map: OpenPrintTagMap
    private var pairs: [Pair]

    init(_ bytes: [UInt8], _ map: OpenPrintTagMap) {
        self.map = map
        let headLength = map.isIndefinite ? 1 : map.pairs.first?.keyRange.lowerBound ?? map.length
        head = Array(bytes.prefix(headLength))
        pairs = map.pairs.map { pair in
            Pair(
                number: pair.number, key: Array(bytes[pair.keyRange]), value: Array(bytes[pair.valueRange]),
                item: pair.value)
        }
    }

    mutating func remove(_ key: UInt64) {
        pairs.removeAll { $0.number == key }
    }

    mutating func set(_ field: OpenPrintTagField, to value: OpenPrintTagValue, width: Int?) {
        guard let index = pairs.lastIndex(where: { $0.number == field.key }) else {
            let key = CBORWriter.unsigned(field.key)
            let item = field.item(for: value, width: width)
            pairs.insert(Pair(number: field.key, key: key, value: item, item: nil), at: place(for: key))
            return
        }
        let old = pairs[index]
        let isSame = old.item.map { field.read($0, bytes: []) == .value(value) } ?? false
        if !isSame || width != nil {
            let kept = width == nil ? old.single(for: value) : nil
            let item =
                kept
                ?? field.item(for: value, width: width ?? old.item.flatMap { $0.needlessWidth(old.value.count) })
            pairs[index] = Pair(number: field.key, key: old.key, value: item, item: nil)
        }
        // A reader that takes the first of several would see another value.
        let place = index
        pairs = pairs.enumerated().filter { $0.offset == place || $0.element.number != field.key }.map(\.element)
    }

    mutating func set(_ field: OpenPrintTagUpdate.UnknownField) {
        let pair = Pair(number: nil, key: field.key, value: field.value, item: nil)
        if let index = pairs.lastIndex(where: { $0.key == field.key }) {
            pairs[index] = pair
        } else {
            pairs.insert(pair, at: place(for: field.key))
        }
    }

    /// Where a new key goes: to its place if the keys are in canonical order, otherwise to the end.
    private func place(for key: [UInt8]) -> Int {
        let isSorted = zip(pairs, pairs.dropFirst()).allSatisfy { Self.isBefore($0.key, $1.key) }
        return isSorted ? pairs.firstIndex { Self.isBefore(key, $0.key) } ?? pairs.count : pairs.count
    }

    /// Whether a key comes first in canonical order: by length, then by bytes.
    private static func isBefore(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }

    /// The section. Where a definite map gets another number of pairs, it becomes one that a break ends, as the specification advises.
    var section: [UInt8] {
        let content = pairs.flatMap { $0.key + $0.value }
        if map.isIndefinite { return head + content + [CBORWriter.breakByte] }
        if pairs.count == map.pairs.count { return head + content }
        if pairs.isEmpty { return [CBORWriter.emptyMap] }
        return [CBORWriter.indefiniteMap] + content + [CBORWriter.breakByte]
    }
}

extension SectionItem {
    /// The width of a number that has a wider form than it needs; nil for others.
    fileprivate func needlessWidth(_ width: Int) -> Int? {
        let shortest: Int? =
            switch self {
            case .unsigned(let number): CBORWriter.unsigned(number).count
            case .float(let number): CBORWriter.number(number).count
            default: nil
            }
        return shortest.flatMap { $0 < width ? width : nil }
    }
}
