/// Bytes of a region that change, for whatever changes bytes inside a record on a tag, by blocks that are not known here.
public struct OpenPrintTagDifference: Hashable, Sendable {
    /// Where the first byte is, counted from the start of the payload.
    public let offset: Int
    /// The bytes that are there, and as many that replace them.
    public let old, new: [UInt8]
    /// What the first byte is while several blocks are written: it ends the section there, so that what is behind is not read.
    public let ending: UInt8
}

extension OpenPrintTagRecord {
    /// What differs in another record, by region. To write one of them after the other leaves sections that can be read: with the old
    /// fields, the new ones, or only those in front of the first that changes.
    ///
    /// - Parameter new: the record, of the same length, and different in main and aux only.
    /// - Throws: ``NDEFPayloadError`` with code `OPT_NOT_AN_UPDATE`.
    public func differences(
        to new: OpenPrintTagRecord
    ) throws(NDEFPayloadError) -> [OpenPrintTagDifference] {
        try changedRegions(new).compactMap { region, old, new in
            guard let cut = OpenPrintTagDifference.cut(old, new),
                let last = old.indices.last(where: { old[$0] != new[$0] }), cut.position <= last
            else { return nil }
            return OpenPrintTagDifference(
                offset: region.offset + cut.position, old: Array(old[cut.position...last]),
                new: Array(new[cut.position...last]), ending: cut.byte)
        }
    }

    /// Main and aux with their bytes here and in another record.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `OPT_NOT_AN_UPDATE` if anything else differs.
    private func changedRegions(
        _ new: OpenPrintTagRecord
    ) throws(NDEFPayloadError) -> [(OpenPrintTagRegion, old: [UInt8], new: [UInt8])] {
        guard payload.count == new.payload.count, meta == new.meta else {
            throw NDEFPayloadError(.openPrintTagNotAnUpdate, "the new payload has another length or other regions")
        }
        var state = payload
        var regions: [(OpenPrintTagRegion, old: [UInt8], new: [UInt8])] = []
        for region in [main, aux].compactMap({ $0 }) {
            let bytes = new.payload[region.range]
            regions.append((region, Array(state[region.range]), Array(bytes)))
            state.replaceSubrange(region.range, with: bytes)
        }
        guard state == new.payload else {
            throw NDEFPayloadError(.openPrintTagNotAnUpdate, "the new payload differs outside its main and aux regions")
        }
        return regions
    }
}

extension NDEFPayloadError.Code {
    /// A payload of OpenPrintTag differs from another one in more than its main and aux sections.
    public static let openPrintTagNotAnUpdate = Self(rawValue: "OPT_NOT_AN_UPDATE")
}

extension OpenPrintTagDifference {
    /// The byte that ends the section in front of the first pair that changes. Without a break at the end of both sections, only the empty
    /// map is a valid state between them.
    fileprivate static func cut(_ old: [UInt8], _ new: [UInt8]) -> (position: Int, byte: UInt8)? {
        guard !old.isEmpty else { return nil }
        guard let before = try? OpenPrintTagMap(old), let after = try? OpenPrintTagMap(new), before.isIndefinite,
            after.isIndefinite
        else { return (0, CBORWriter.emptyMap) }
        // A section that ended behind a key that comes again would have its first value, which does not count.
        let repeated = before.repeatedKeys.union(after.repeatedKeys)
        let same = zip(before.pairs, after.pairs).prefix { one, other in
            one.range == other.range && old[one.range] == new[one.range]
                && !(one.number.map(repeated.contains) ?? false)
        }.count
        let position = before.pairs.count > same ? before.pairs[same].range.lowerBound : before.length - 1
        return (position, CBORWriter.breakByte)
    }
}
