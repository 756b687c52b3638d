/// The largest size of a parameter. A larger one is refused with −32602, so that no client fills nfcd's memory with texts that
/// it keeps, or slows it down with long lists.
package struct ParameterSize: Sendable, Hashable {
    /// The size of a text without its own limit, in bytes of UTF-8.
    package static let text = 1_024
    /// The size of a list without its own limit.
    package static let list = 128

    /// The most bytes of a text in UTF-8, or of each text in a list. Hexadecimal data is not limited: the tag limits what it takes.
    package var bytes = text
    /// The most entries of a list.
    package var entries = list

    /// A text or list that only the length of a line limits.
    package static let unlimited = ParameterSize(bytes: .max, entries: .max)
}

/// Parameters, or a part of them, with their own limits.
package protocol SizedParameters {
    /// The limits by name, for those that differ from the usual ones.
    static var sizes: [String: ParameterSize] { get }
}

extension ParameterSize {
    /// Refuses a text that is too long.
    func check(text: String, at path: [any CodingKey]) throws {
        try check(text.utf8.count, bytes, "bytes", path)
    }

    /// Refuses a list that is too long.
    func check(count: Int, at path: [any CodingKey]) throws {
        try check(count, entries, "entries", path)
    }

    private func check(_ size: Int, _ limit: Int, _ unit: String, _ path: [any CodingKey]) throws {
        guard size > limit else { return }
        throw DecodingError.dataCorrupted(
            .init(codingPath: path, debugDescription: "expected at most \(limit) \(unit), not \(size)"))
    }
}

extension String {
    /// The beginning of the text, whole characters only, in at most so many bytes of UTF-8.
    package func shortened(toBytes limit: Int = ParameterSize.text) -> String {
        guard utf8.count > limit else { return self }
        var (end, size) = (startIndex, 0)
        for index in indices {
            size += self[index].utf8.count
            guard size <= limit else { break }
            end = self.index(after: index)
        }
        return String(self[..<end])
    }
}
