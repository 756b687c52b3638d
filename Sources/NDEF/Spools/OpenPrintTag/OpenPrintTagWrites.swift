/// A write of bytes that are all in one block of a tag.
public struct OpenPrintTagWrite: Hashable, Sendable {
    /// Where the bytes are, counted from the start of the payload.
    public let offset: Int
    /// The bytes; fewer than a block where the payload starts or ends within it.
    public let bytes: [UInt8]
}

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
    /// What differs in another record, by region. To write one of them after the other leaves sections that can be read.
    ///
    /// - Parameter new: the record, of the same length, and different in main and aux only.
    /// - Throws: ``NDEFPayloadError`` with code `OPT_NOT_AN_UPDATE`.
    public func differences(
        to new: OpenPrintTagRecord
    ) throws(NDEFPayloadError) -> [OpenPrintTagDifference] {
        try changedRegions(new).compactMap { region, old, new in
            guard let cut = OpenPrintTagSectionWrites.cut(old, new),
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

extension OpenPrintTagRecord {
    /// The writes that turn this record into another one on a tag, in an order in which each leaves sections that can be read: with the old
    /// fields, the new ones, or only those in front of the first that changes.
    ///
    /// One block is simply written. Of several, the first write ends the section in front of what changes, and the last one makes it
    /// whole: a section torn in plain order may read as another weight, or not at all. This holds between the writes; what a torn write
    /// leaves in its own block is up to the tag.
    ///
    /// - Parameters:
    ///   - new: the record, of the same length, and different in main and aux only.
    ///   - blockSize: the bytes that the tag writes at once.
    ///   - payloadOffset: where the payload starts, counted from the start of a block of the tag.
    /// - Throws: ``NDEFPayloadError`` with code `OPT_NOT_AN_UPDATE`.
    public func writes(
        to new: OpenPrintTagRecord, blockSize: Int, payloadOffset: Int
    ) throws(NDEFPayloadError) -> [OpenPrintTagWrite] {
        guard blockSize > 0, payloadOffset >= 0 else {
            throw NDEFPayloadError(
                .openPrintTagNotAnUpdate, "a block has 1 byte or more, and the payload is behind its start")
        }
        return try changedRegions(new).flatMap { region, old, new in
            OpenPrintTagSectionWrites(
                old: old, new: new, blockSize: blockSize, offset: payloadOffset + region.offset
            ).writes.map { OpenPrintTagWrite(offset: region.offset + $0.offset, bytes: $0.bytes) }
        }
    }
}

extension NDEFPayloadError.Code {
    /// A payload of OpenPrintTag differs from another one in more than its main and aux sections.
    public static let openPrintTagNotAnUpdate = Self(rawValue: "OPT_NOT_AN_UPDATE")
}

/// The writes that turn the memory of a region into another state, by blocks.
struct OpenPrintTagSectionWrites {
    let old, new: [UInt8]
    let blockSize: Int
    /// Where the region starts, counted from the start of a block of the tag.
    let offset: Int

    /// The writes; their offsets are counted from the start of the region.
    var writes: [OpenPrintTagWrite] {
        let changed = blocks.filter { old[$0] != new[$0] }
        guard changed.count > 1, let cut, let cutBlock = blocks.first(where: { $0.contains(cut.position) }) else {
            return changed.map(write)
        }
        var shortened = new
        shortened[cut.position] = cut.byte
        let first = OpenPrintTagWrite(offset: cutBlock.lowerBound, bytes: Array(shortened[cutBlock]))
        let others = changed.filter { $0 != cutBlock }.map(write)
        let last = write(cutBlock)
        // The old section may end there already.
        return (old[cut.position] == cut.byte ? [] : [first]) + others + [last]
    }

    private func write(_ block: Range<Int>) -> OpenPrintTagWrite {
        OpenPrintTagWrite(offset: block.lowerBound, bytes: Array(new[block]))
    }

    /// The parts of the region that are in one block each.
    private var blocks: [Range<Int>] {
        guard !new.isEmpty else { return [] }
        let numbers = offset / blockSize...(offset + new.count - 1) / blockSize
        return numbers.map { number in
            max(0, number * blockSize - offset)..<min(new.count, (number + 1) * blockSize - offset)
        }
    }

    private var cut: (position: Int, byte: UInt8)? { OpenPrintTagSectionWrites.cut(old, new) }

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
