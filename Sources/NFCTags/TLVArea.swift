/// The data area of a tag: a range of memory with holes, the lock and reserved bytes that hold no data.
///
/// Everything in TLVs is counted over the bytes that remain; offsets count from the start of memory.
struct TLVArea: Sendable, Hashable {
    /// Where the area lies in memory.
    let bounds: Range<Int>
    /// The holes inside the area, in order, neither empty nor touching one another.
    private(set) var skipped: [Range<Int>] = []

    init(bounds: Range<Int>) { self.bounds = bounds }

    /// Punches a hole; what lies outside the area or in other holes does not count twice.
    mutating func skip(_ hole: Range<Int>) {
        var merged = hole.clamped(to: bounds)
        guard !merged.isEmpty else { return }
        var others: [Range<Int>] = []
        for range in skipped {
            if range.upperBound < merged.lowerBound || range.lowerBound > merged.upperBound {
                others.append(range)
            } else {
                merged = min(range.lowerBound, merged.lowerBound)..<max(range.upperBound, merged.upperBound)
            }
        }
        others.append(merged)
        skipped = others.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The ranges of data from `offset` to the end of the area, in order.
    func data(from offset: Int) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = max(offset, bounds.lowerBound)
        for hole in skipped where hole.upperBound > start {
            if start < hole.lowerBound { pieces.append(start..<hole.lowerBound) }
            start = hole.upperBound
        }
        if start < bounds.upperBound { pieces.append(start..<bounds.upperBound) }
        return pieces
    }

    /// How many bytes of data there are from `offset` to the end of the area.
    func count(from offset: Int) -> Int {
        data(from: offset).reduce(0) { $0 + $1.count }
    }

    /// Where the next `count` bytes of data from `offset` on lie, or `nil` if the area has fewer.
    func data(from offset: Int, count: Int) -> [Range<Int>]? {
        var pieces: [Range<Int>] = []
        var missing = count
        for piece in data(from: offset) where missing > 0 {
            let taken = piece.prefix(missing)
            pieces.append(taken)
            missing -= taken.count
        }
        return missing > 0 ? nil : pieces
    }
}
