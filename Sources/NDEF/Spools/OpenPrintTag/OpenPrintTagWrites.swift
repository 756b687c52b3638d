/// A write of bytes that are all in one block of a tag.
public struct OpenPrintTagWrite: Hashable, Sendable {
    /// Where the bytes are, counted from the start of the payload.
    public let offset: Int
    /// The bytes; fewer than a block where the payload starts or ends within it.
    public let bytes: [UInt8]
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
        guard blockSize > 0, payloadOffset >= 0, payload.count == new.payload.count, meta == new.meta else {
            throw NDEFPayloadError(.openPrintTagNotAnUpdate, "the new payload has another length or other regions")
        }
        var state = payload
        var writes: [OpenPrintTagWrite] = []
        for region in [main, aux].compactMap({ $0 }) {
            let old = Array(state[region.range])
            let section = OpenPrintTagSectionWrites(
                old: old, new: Array(new.payload[region.range]), blockSize: blockSize,
                offset: payloadOffset + region.offset)
            for write in section.writes {
                writes.append(OpenPrintTagWrite(offset: region.offset + write.offset, bytes: write.bytes))
            }
            state.replaceSubrange(region.range, with: new.payload[region.range])
        }
        guard state == new.payload else {
            throw NDEFPayloadError(.openPrintTagNotAnUpdate, "the new payload differs outside its main and aux regions")
        }
        return writes
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

    /// The byte that ends the section in front of the first pair that changes. Without a break at the end of both sections, only the empty
    /// map is a valid state between them.
    private var cut: (position: Int, byte: UInt8)? {
        guard !old.isEmpty else { return nil }
        guard let before = try? OpenPrintTagMap(old), let after = try? OpenPrintTagMap(new), before.isIndefinite,
            after.isIndefinite
        else { return (0, CBORWriter.emptyMap) }
        let same = zip(before.pairs, after.pairs).prefix { one, other in
            one.range == other.range && old[one.range] == new[one.range]
        }.count
        let position = before.pairs.count > same ? before.pairs[same].range.lowerBound : before.length - 1
        return (position, CBORWriter.breakByte)
    }
}
