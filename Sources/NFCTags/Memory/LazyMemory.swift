/// A tag's memory that is read page by page when a page is first needed, and never twice.
struct LazyMemory<Reader: BlockReader> {
    /// What has been read so far.
    private(set) var image: MemoryImage
    /// The reader, with what it has detected.
    var reader: Reader

    init(reader: Reader, pageSize: Int, pageCount: Int) {
        self.init(reader: reader, image: MemoryImage(pageSize: pageSize, pageCount: pageCount))
    }

    init(reader: Reader, image: MemoryImage) {
        self.reader = reader
        self.image = image
    }

    /// The same pages, of which further ones are read by another reader.
    func continued<Other>(by reader: Other) -> LazyMemory<Other> { LazyMemory<Other>(reader: reader, image: image) }

    /// The same memory with no page read.
    func emptied() -> LazyMemory {
        LazyMemory(reader: reader, pageSize: image.pageSize, pageCount: image.pageCount)
    }

    /// Takes the pages of a range for not read.
    mutating func forget(_ range: Range<Int>) { image.forget(range) }

    /// Stores pages that were read by other means.
    mutating func store(_ data: [UInt8], at page: Int) { image.store(data, at: page) }

    /// Reads all bytes of a range that are not in the image yet.
    mutating func load(_ range: Range<Int>) async throws(TagError) {
        guard let last = range.last.map({ $0 / image.pageSize }) else { return }
        while let page = image.firstMissingPage(in: range) {
            try await fetch(page, count: last - page + 1)
        }
    }

    /// One exchange. Whatever a block reader returns, the wanted page is in the image afterwards.
    mutating func fetch(_ page: Int, count: Int) async throws(TagError) {
        let data = try await reader.read(from: page, count: count)
        image.store(data, at: page)
        let wanted = page * image.pageSize..<(page + 1) * image.pageSize
        guard image.firstMissingPage(in: wanted) == nil else {
            throw TagError(.tagResponseError, "page \(page) answered with \(data.count) bytes", response: data)
        }
    }

    /// The bytes of a range that have been read.
    func bytes(_ range: Range<Int>) -> [UInt8] { range.compactMap { image[$0] } }
}

extension LazyMemory {
    /// The pages from 0 on, nil for those that the tag refuses.
    ///
    /// A page that is refused with a status word is skipped. Silence may cost a long wait each time, so it ends the dump:
    /// the rest counts as unreadable.
    /// - Throws: ``TagError`` when the tag leaves, and the first refusal where not a single page can be read.
    mutating func pages(
        _ count: Int, isAnswer: (TagError) -> Bool, progress listener: TagProgress?
    ) async throws(TagError) -> [[UInt8]?] {
        var progress = DumpProgress(listener, total: count)
        var pages: [[UInt8]?] = []
        var firstRefusal: TagError?
        while pages.count < count {
            do throws(TagError) {
                if page(pages.count) == nil { try await fetch(pages.count, count: count - pages.count) }
                pages.append(page(pages.count))
            } catch {
                guard error.code == .tagResponseError else { throw error }
                firstRefusal = firstRefusal ?? error
                pages.append(nil)
                if !isAnswer(error) { break }
            }
            progress.reach(pages.count)
        }
        if let firstRefusal, !pages.contains(where: { $0 != nil }) { throw firstRefusal }
        progress.finish()
        return pages + [[UInt8]?](repeating: nil, count: count - pages.count)
    }

    /// A page that was read.
    private func page(_ number: Int) -> [UInt8]? {
        let range = number * image.pageSize..<(number + 1) * image.pageSize
        guard case .bytes(let bytes) = image.contents(of: [range]), bytes.count == image.pageSize else { return nil }
        return bytes
    }
}

/// Reads the pages of a tag's memory by the commands that tag and reader support: `FF B0`, or native commands through a
/// pass-through.
protocol BlockReader {
    /// Reads from `page` on in one exchange.
    ///
    /// - Parameters:
    ///   - page: the first page, 4 bytes each for a Type 2 Tag.
    ///   - count: how many pages are wanted, at least 1. More or fewer may come back, but at least one.
    /// - Returns: whole pages.
    /// - Throws: ``TagError``; a refusal carries its status word.
    mutating func read(from page: Int, count: Int) async throws(TagError) -> [UInt8]
}

/// The part of a tag's memory that has been read so far, in whole pages or blocks.
struct MemoryImage: Sendable {
    /// Bytes per page or block.
    let pageSize: Int
    /// The bytes of all pages; those of pages not loaded are undefined.
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

    /// Stores what was read from `page` on. Pages already loaded keep their bytes; an incomplete last page and pages
    /// outside the image are ignored.
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

    /// Takes the pages of a range for not loaded.
    mutating func forget(_ range: Range<Int>) {
        guard let last = range.last else { return }
        for page in range.lowerBound / pageSize...last / pageSize where isLoaded.indices.contains(page) {
            isLoaded[page] = false
        }
    }

    private func isLoaded(page: Int) -> Bool {
        isLoaded.indices.contains(page) && isLoaded[page]
    }
}
