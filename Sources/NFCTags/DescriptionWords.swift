import NFCTypes

// The words that the descriptions of all drivers share.

extension TagDescription.Field {
    /// A part that the tag refused, with the reason.
    static func refused(_ part: String, _ error: TagError) -> TagDescription.Field {
        .init("Refused", "\(part): \(error.detail)")
    }
}

extension Set<Int> {
    /// The numbers in order, runs of them as `first–last`.
    var inWords: String {
        var runs: [ClosedRange<Int>] = []
        for number in sorted() {
            if let last = runs.last, last.upperBound + 1 == number {
                runs[runs.endIndex - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }
}
