extension Type5Tag {
    /// Puts an empty message and, at last, a capability container on a tag whose first blocks are zeros. A container that
    /// is there already stays.
    public func formatNDEF() async throws(TagError) {
        let state = try await state()
        if state.container.fault == nil, state.scan.message != nil { return }
        let geometry = try await knownGeometry()
        let container = state.container.fault == nil ? state.container : try await newContainer(geometry)
        needsOption = needsOption || container.wantsOption
        for step in try await blank(container.bytes + [0x03, 0x00, 0xFE], geometry, state.memory) {
            do throws(TagError) {
                try await put(step)
            } catch {
                throw error.duringWrite("formatting broke off and can be started again")
            }
        }
    }

    private func newContainer(_ geometry: Type5Geometry) async throws(TagError) -> Type5CapabilityContainer {
        guard let count = geometry.blockCount else {
            throw TagError(.unsupportedFeature, "the size of the tag's memory is not known")
        }
        let canReadMultiple = try await readsMultiple(geometry)
        return Type5CapabilityContainer(
            blockCount: count, blockSize: geometry.blockSize, canReadMultiple: canReadMultiple)
    }

    private func readsMultiple(_ geometry: Type5Geometry) async throws(TagError) -> Bool {
        guard transport.canLock else { return false }
        do throws(TagError) {
            let size = geometry.blockSize
            return try await transport.read(block: 0, count: 2, size: size).count == 2 * size
        } catch {
            guard error.iso15693 != nil else { throw error }
            return false
        }
    }

    /// The blocks with this content from the start of memory, the first one last; only zeros may give way, or what is left
    /// of an earlier start.
    private func blank(
        _ content: [UInt8], _ geometry: Type5Geometry, _ memory: LazyMemory
    ) async throws(TagError) -> [BlockWrite] {
        let size = geometry.blockSize
        var memory = memory
        let end = (content.count + size - 1) / size * size
        try await memory.load(0..<end)
        let wanted = content + [UInt8](repeating: 0, count: end - content.count)
        let found = memory.bytes(0..<end)
        guard found.count == end, zip(found, wanted).allSatisfy({ $0 == 0 || $0 == $1 }),
            found[0] == 0 || found.prefix(content.count - 3).elementsEqual(content.dropLast(3))
        else { throw TagError(.unsupportedFeature, "the tag's first blocks hold something") }
        let blocks = stride(from: 0, to: end, by: size).filter { found[$0..<$0 + size] != wanted[$0..<$0 + size] }
        return blocks.reversed().map { BlockWrite(block: $0 / size, bytes: Array(wanted[$0..<$0 + size])) }
    }
}

extension TagError {
    /// The same error, as it happened while something other than a message was written.
    func duringWrite(_ what: String) -> TagError {
        let code = self.code == .tagResponseError ? .tagUpdateFailure : self.code
        return TagError(code, "\(what): \(detail)", response: response, statusWord: statusWord)
    }
}
