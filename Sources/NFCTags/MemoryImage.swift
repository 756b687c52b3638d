/// The part of a tag's memory that has been read so far, in whole pages or blocks.
struct MemoryImage: Sendable {
    /// Bytes per page or block.
    let pageSize: Int
    /// The bytes of one page after another; those of pages not loaded mean nothing.
    private var bytes: [UInt8]
    private var isLoaded: [Bool]

    /// An image of `pageCount` pages, none of them loaded.
    init(pageSize: Int, pageCount: Int) {
        self.pageSize = pageSize
        bytes = Array(repeating: 0, count: pageSize * pageCount)
        isLoaded = Array(repeating: false, count: pageCount)
    }

    /// How many pages there are, loaded or not.
    var pageCount: Int { isLoaded.count }

    /// The byte at an offset, `nil` if its page is not loaded.
    subscript(offset: Int) -> UInt8? {
        guard isLoaded(page: offset / pageSize), bytes.indices.contains(offset) else { return nil }
        return bytes[offset]
    }

    /// What the image holds of several ranges.
    enum Contents: Sendable, Hashable {
        /// The bytes of all ranges behind one another.
        case bytes([UInt8])
        /// From the first byte that is not loaded to the end of its range.
        case missing(Range<Int>)
    }

    /// The bytes of several ranges behind one another, or what has to be loaded first.
    func contents(of pieces: [Range<Int>]) -> Contents {
        var value: [UInt8] = []
        for piece in pieces {
            if let page = firstMissingPage(in: piece) {
                return .missing(max(piece.lowerBound, page * pageSize)..<piece.upperBound)
            }
            value += bytes[piece.clamped(to: bytes.indices)]
        }
        return .bytes(value)
    }

    /// The first page that a range of bytes needs and that is not loaded.
    func firstMissingPage(in range: Range<Int>) -> Int? {
        guard let last = range.last else { return nil }
        return (range.lowerBound / pageSize...last / pageSize).first { !isLoaded(page: $0) }
    }

    /// Takes in what was read from `page` on; pages already there stay as they were, an incomplete last page and pages
    /// outside the image are left out.
    mutating func store(_ data: [UInt8], at page: Int) {
        var rest = data[...]
        var page = page
        while rest.count >= pageSize, isLoaded.indices.contains(page) {
            if !isLoaded[page] {
                bytes.replaceSubrange(page * pageSize..<(page + 1) * pageSize, with: rest.prefix(pageSize))
                isLoaded[page] = true
            }
            rest = rest.dropFirst(pageSize)
            page += 1
        }
    }

    private func isLoaded(page: Int) -> Bool {
        isLoaded.indices.contains(page) && isLoaded[page]
    }
}
