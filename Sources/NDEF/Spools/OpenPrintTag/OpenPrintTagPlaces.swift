/// Where the regions of an OpenPrintTag payload are, by its meta section.
struct OpenPrintTagPlaces {
    private let payload: [UInt8]
    /// The start of the payload, however long the region of meta is.
    private let start: OpenPrintTagRegion
    private let metaLength: Int

    /// - Throws: ``NDEFPayloadError`` where the payload does not start with a section.
    init(_ payload: [UInt8]) throws(NDEFPayloadError) {
        self.payload = payload
        start = OpenPrintTagRegion(.meta, offset: 0, bytes: Array(payload.prefix(OpenPrintTagMap.maximumLength)))
        guard let length = start.usedSize else {
            throw NDEFPayloadError(
                .openPrintTagMetaCorrupt, "the payload does not start with a map of CBOR, which says where the data is")
        }
        metaLength = length
    }

    /// The region of meta, which reaches to the next one.
    var meta: OpenPrintTagRegion {
        let end = max(metaLength, min(end(after: 0), payload.count))
        return OpenPrintTagRegion(.meta, offset: 0, bytes: Array(payload[..<end]))
    }

    /// The region of main or aux, as far as it is within the payload; nil where no byte of it is.
    func region(_ section: OpenPrintTagSection) -> OpenPrintTagRegion? {
        range(section).map { OpenPrintTagRegion(section, offset: $0.lowerBound, bytes: Array(payload[$0])) }
    }

    /// The regions that are not within the payload, or share bytes with another one.
    var faults: [OpenPrintTagFault] {
        let outside = [OpenPrintTagSection.main, .aux].filter(isOutside).map { OpenPrintTagFault($0, .outside) }
        let ranges = [(OpenPrintTagSection.main, range(.main)), (.aux, range(.aux))].compactMap { section, range in
            range.map { (section, $0) }
        }
        let overMeta = ranges.filter { $1.lowerBound < metaLength }.map { OpenPrintTagFault($0.0, .overlapping) }
        let overMain = ranges.count == 2 && ranges[0].1.overlaps(ranges[1].1) && overMeta.isEmpty
        return outside + overMeta + (overMain ? [OpenPrintTagFault(.aux, .overlapping)] : [])
    }

    private func isOutside(_ section: OpenPrintTagSection) -> Bool {
        guard let range = range(section) else { return offset(section) != nil || hasUnreadableOffset(section) }
        return size(section).map { $0 != range.count } ?? false
    }

    private func hasUnreadableOffset(_ section: OpenPrintTagSection) -> Bool {
        start["\(section)_region_offset"] != nil
    }

    private func range(_ section: OpenPrintTagSection) -> Range<Int>? {
        guard let offset = offset(section), offset < payload.count else { return nil }
        let end = size(section).map { offset + min($0, payload.count) } ?? end(after: offset)
        return offset..<min(end, payload.count)
    }

    /// The start of the next region behind an offset; the end of the payload if there is none.
    private func end(after offset: Int) -> Int {
        [self.offset(.main), self.offset(.aux)].compactMap { $0 }.filter { $0 > offset }.min() ?? payload.count
    }

    /// Where a region starts, within the payload or not. Without an offset, main follows meta, and there is no aux.
    private func offset(_ section: OpenPrintTagSection) -> Int? {
        if section == .main, !hasUnreadableOffset(.main) { return metaLength }
        return number("\(section)_region_offset")
    }

    private func size(_ section: OpenPrintTagSection) -> Int? { number("\(section)_region_size") }

    private func number(_ name: String) -> Int? {
        if case .integer(let number)? = start[name]?.value { Int(clamping: number) } else { nil }
    }
}
