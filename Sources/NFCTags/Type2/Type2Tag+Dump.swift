extension Type2Tag {
    /// Every page, as far as the product is known or the capability container declares, with what it is for.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when it does not even show its header.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        _ = try await begin(forWriting: true)
        let header = try loadedHeader()
        let product = try await knownProduct()
        let end = product?.readablePages ?? (Self.dataAreaStart + header.container.dataAreaSize) / Self.pageSize
        let protection = try await readableProtection(of: product)
        var readable = end
        if !isAuthenticated, let protection, protection.protectsReading {
            readable = min(end, protection.firstProtectedPage)
        }
        // READ starts over at page 0 in front of a protected page, so without knowing them one page at a time counts.
        let isSure = protection != nil
        var progress = DumpProgress(progress, total: end)
        let pages = try await content(upTo: readable, step: isSure ? nil : 1, &progress)
        let blocks = (0..<end).map { page in
            TagBlock(
                number: page, bytes: pages.indices.contains(page) ? pages[page] : nil,
                meaning: Self.meaning(of: page, product))
        }
        // Last, as a tag that refuses one of them forgets the password.
        let facts = try await facts(product)
        progress.finish()
        return TagDump(
            layout: .type2, productName: product?.name, blockSize: Self.pageSize, sections: [.init(blocks: blocks)],
            facts: facts)
    }

    /// The pages up to the first one that is refused.
    private func content(
        upTo end: Int, step: Int?, _ progress: inout DumpProgress
    ) async throws(TagError) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        var reader = self.reader
        if reader.fastReadable != nil { reader.fastReadable = step == nil ? 0..<end : nil }
        while pages.count < end {
            let bytes: [UInt8]
            do throws(TagError) {
                bytes = try await reader.read(from: pages.count, count: step ?? end - pages.count)
            } catch {
                guard error.code == .tagResponseError, !pages.isEmpty else { throw error }
                break
            }
            let count = min(bytes.count / Self.pageSize, step ?? end, end - pages.count)
            guard count > 0 else { break }
            for index in 0..<count {
                pages.append(Array(bytes[index * Self.pageSize..<(index + 1) * Self.pageSize]))
            }
            progress.reach(pages.count)
        }
        return pages
    }

    private static func meaning(of page: Int, _ product: Type2Product?) -> String? {
        switch page {
        case 0, 1: return "identifier"
        case 2: return "static lock"
        case 3: return "capability container"
        case product?.locks?.page: return "dynamic lock"
        default: break
        }
        guard let configuration = product?.configurationPage, page >= configuration else { return nil }
        let names = [
            "configuration, AUTH0", "configuration, ACCESS", "password, reads as zeros", "PACK, reads as zeros",
        ]
        return names.indices.contains(page - configuration) ? names[page - configuration] : nil
    }
}
