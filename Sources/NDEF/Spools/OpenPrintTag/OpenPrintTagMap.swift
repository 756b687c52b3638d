/// The map of a section as it is on the tag: its pairs with the bytes that each of them takes.
struct OpenPrintTagMap: Sendable {
    /// The most bytes that a section may have.
    static let maximumLength = 512

    /// The pairs in their order, also those whose key comes again.
    let pairs: [Pair]
    /// The bytes of the map, from the start of its region; what is behind them has no meaning.
    let length: Int
    /// Whether a break ends the map, and not a number of pairs.
    let isIndefinite: Bool

    struct Pair: Sendable {
        let key: SectionItem
        let value: SectionItem
        /// The bytes of the key, counted from the start of the region.
        let keyRange: Range<Int>
        /// The bytes of the value.
        let valueRange: Range<Int>

        /// The key, if it is of the kind that fields have.
        var number: UInt64? {
            if case .unsigned(let number) = key { number } else { nil }
        }

        var range: Range<Int> { keyRange.lowerBound..<valueRange.upperBound }
    }

    /// The map at the start of these bytes.
    init(_ bytes: [UInt8]) throws(CBORFault) {
        var reader = SectionItemReader(bytes.prefix(Self.maximumLength))
        let count = try reader.mapHead()
        var pairs: [Pair] = []
        while try !Self.isComplete(pairs.count, of: count, &reader) {
            let start = reader.position
            let key = try reader.value(depth: 1)
            let middle = reader.position
            let value = try reader.value(depth: 1)
            pairs.append(
                Pair(key: key, value: value, keyRange: start..<middle, valueRange: middle..<reader.position))
        }
        self.pairs = pairs
        length = reader.position
        isIndefinite = count == nil
    }

    private static func isComplete(_ pairs: Int, of count: UInt64?, _ reader: inout SectionItemReader) throws(CBORFault)
        -> Bool
    {
        guard let count else { return reader.takeBreak() }
        return pairs >= count
    }

    /// The keys that come more than once.
    var repeatedKeys: Set<UInt64> {
        Set(Dictionary(grouping: pairs.compactMap(\.number)) { $0 }.filter { $1.count > 1 }.keys)
    }

    /// The pair that counts for this key: the last one.
    func pair(key: UInt64) -> Pair? { pairs.last { $0.number == key } }
}
