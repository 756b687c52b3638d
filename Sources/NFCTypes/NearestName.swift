extension String {
    /// The known name that this one is probably a misspelling of; nil if none is similar.
    package func nearest(among known: some Sequence<String>) -> String? {
        let name = Array(lowercased().utf8.prefix(65))
        let limit = Swift.min(3, name.count / 2)
        let distances = known.map { (name: $0, distance: name.editDistance(to: Array($0.lowercased().utf8))) }
        return distances.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
    }
}

extension [UInt8] {
    /// The number of characters to insert, remove or replace (Levenshtein distance).
    fileprivate func editDistance(to other: [UInt8]) -> Int {
        var distances = Array<Int>(0...other.count)
        for (row, element) in enumerated() {
            var diagonal = row
            distances[0] = row + 1
            for (column, otherElement) in other.enumerated() {
                let replaced = diagonal + (element == otherElement ? 0 : 1)
                diagonal = distances[column + 1]
                distances[column + 1] = Swift.min(replaced, diagonal + 1, distances[column] + 1)
            }
        }
        return distances[other.count]
    }
}
