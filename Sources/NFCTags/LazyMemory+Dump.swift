extension LazyMemory {
    /// The pages from 0 on, nil for those that the tag refuses.
    ///
    /// A page that is refused with a reason is passed over. Silence may cost a long wait each time, so it ends the dump:
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
