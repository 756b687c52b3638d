/// A tag's memory that is read page by page when it is first looked at, and never twice.
struct LazyMemory: Sendable {
    private(set) var image: MemoryImage
    /// The reader, with what it has learned.
    var reader: any BlockReader

    init(reader: any BlockReader, pageSize: Int, pageCount: Int) {
        self.reader = reader
        image = MemoryImage(pageSize: pageSize, pageCount: pageCount)
    }

    /// Goes on with another way of reading; what is there stays.
    mutating func replaceReader(_ reader: any BlockReader) { self.reader = reader }

    /// Takes in what was read otherwise.
    mutating func store(_ data: [UInt8], at page: Int) { image.store(data, at: page) }

    /// Makes sure that all bytes of a range are in the image.
    mutating func load(_ range: Range<Int>) async throws(TagError) {
        guard let last = range.last.map({ $0 / image.pageSize }) else { return }
        while let page = image.firstMissingPage(in: range) {
            try await fetch(page, count: last - page + 1)
        }
    }

    /// One exchange. Whatever a block reader returns, the wanted page is there afterwards.
    mutating func fetch(_ page: Int, count: Int) async throws(TagError) {
        let data = try await reader.read(from: page, count: count)
        image.store(data, at: page)
        let wanted = page * image.pageSize..<(page + 1) * image.pageSize
        guard image.firstMissingPage(in: wanted) == nil else {
            throw TagError(.tagResponseError, "page \(page) answered with \(data.count) bytes", response: data)
        }
    }

    /// The bytes of a range that are there.
    func bytes(_ range: Range<Int>) -> [UInt8] { range.compactMap { image[$0] } }
}
