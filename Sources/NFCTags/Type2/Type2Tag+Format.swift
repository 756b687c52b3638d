import ISO7816

extension Type2Tag {
    /// Makes a tag with a blank capability container, or one without a message, NDEF formatted and empty. The container is
    /// written last: it cannot be taken back, and with it the tag is ready.
    ///
    /// - Throws: ``TagError`` 1 where the product is not known, or the container holds something else, whose bits cannot be
    ///   cleared; 400 where a page is locked.
    public func formatNDEF() async throws(TagError) {
        var memory = try await begin(forWriting: true)
        try await checkIdentifier()
        let header = try loadedHeader()
        let faults = header.container.faults
        guard faults.isEmpty || faults == [.blank] else {
            throw TagError(.unsupportedFeature, faults.map(\.description).joined(separator: "; "))
        }
        if faults.isEmpty {
            if try await scan(&memory, wantsMessage: false).message != nil { return }
            try checkAccess(header.container)
        }
        guard let product = try await knownProduct() else {
            throw TagError(.unsupportedFeature, "the product is not known, so neither is how to format it")
        }
        let container = faults.isEmpty ? header.container.bytes : [0xE1, 0x10, product.containerSize, 0x00]
        guard zip(header.container.bytes, container).allSatisfy({ $0 | $1 == $1 }) else {
            throw TagError(.unsupportedFeature, "the capability container cannot become that of an NDEF tag")
        }
        try await format(product, container: container, &memory)
    }

    private func format(
        _ product: Type2Product, container: [UInt8], _ memory: inout LazyMemory
    ) async throws(TagError) {
        var content = product.controlTLV + [0x03, 0x00, 0xFE]
        content += [UInt8](repeating: 0, count: (Self.pageSize - content.count % Self.pageSize) % Self.pageSize)
        let range = Self.dataAreaStart..<Self.dataAreaStart + content.count
        try await memory.load(range)
        let writes = zip(4..., stride(from: 0, to: content.count, by: Self.pageSize)).map { page, offset in
            BlockWrite(block: page, bytes: Array(content[offset..<offset + Self.pageSize]))
        }
        try await checkLocks(of: 3..<4 + writes.count)
        let all = writes + [BlockWrite(block: 3, bytes: container)]
        for write in all where !isThere(write, memory.image) {
            try await changing { () async throws(TagError) in
                try await self.write(write.bytes, to: write.block)
            }
        }
        header = nil
        try await verify(all)
    }

    private func isThere(_ write: BlockWrite, _ image: MemoryImage) -> Bool {
        let start = write.block * Self.pageSize
        return image.contents(of: [start..<start + Self.pageSize]) == .bytes(write.bytes)
    }

    /// A refusal while the tag is being changed is error 401.
    func changing(_ body: () async throws(TagError) -> Void) async throws(TagError) {
        do throws(TagError) {
            try await body()
        } catch {
            header = nil
            guard error.code == .tagResponseError else { throw error }
            throw TagError(
                .tagUpdateFailure, error.detail, response: error.response, statusWord: error.statusWord)
        }
    }
}
