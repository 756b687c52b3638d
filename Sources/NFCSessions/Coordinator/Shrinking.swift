// Collections keep the memory of the most elements that they ever had. These give it back once few are left.

extension Dictionary {
    /// Gives memory back where most of it is unused.
    mutating func shrink() {
        guard capacity > 256, count < capacity / 8 else { return }
        var smaller = Dictionary(minimumCapacity: count)
        for (key, value) in self { smaller[key] = value }
        self = smaller
    }
}

extension Array {
    /// Gives memory back where most of it is unused.
    mutating func shrink() {
        guard capacity > 256, count < capacity / 8 else { return }
        var smaller: [Element] = []
        smaller.reserveCapacity(count)
        smaller.append(contentsOf: self)
        self = smaller
    }
}
