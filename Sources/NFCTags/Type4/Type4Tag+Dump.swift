import ISO7816

extension Type4Tag {
    /// The capability container and the file of the message, each as far as it can be read. Progress counts bytes.
    ///
    /// - Throws: ``TagError`` 100 when the tag leaves, 102 when it answers nonsense.
    public func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        var sections: [TagDump.Section] = []
        if case .found(let layout) = try await discover(isFresh: true) {
            sections = try await files(of: layout, progress)
        }
        return TagDump(
            layout: .type4, productName: try await version().productName, blockSize: Self.rowSize, sections: sections)
    }

    private func files(
        of layout: Type4Layout, _ listener: TagProgress?
    ) async throws(TagError) -> [TagDump.Section] {
        let sizes = [
            min(layout.container.length, Type4CapabilityContainer.sizeLimit),
            min(layout.file.size, Self.messageLimit + layout.file.lengthFieldSize),
        ]
        var progress = DumpProgress(listener, total: sizes[0] + sizes[1])
        // Finding the application has left the container selected.
        let first = BinaryFile(
            card: card, maximumReadSize: max(layout.container.maximumReadSize, 1), maximumWriteSize: 1)
        let container = try await content(of: first, sizes[0], &progress, from: 0)
        let message = try await content(of: openFile(layout), sizes[1], &progress, from: sizes[0])
        progress.finish()
        return [
            Self.section(Type4Finder.containerIdentifier, container, "capability container"),
            Self.section(layout.file.identifier, message, "length of the message, then the message"),
        ]
    }

    /// The selected file up to `size`, or to where the card refuses.
    private func content(
        of file: BinaryFile, _ size: Int, _ progress: inout DumpProgress, from start: Int
    ) async throws(TagError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < size {
            do throws(TagError) {
                bytes += try await file.read(at: bytes.count, count: size - bytes.count)
            } catch {
                guard error.code == .tagResponseError else { throw error }
                break
            }
            progress.reach(start + bytes.count)
        }
        return bytes
    }

    /// Rows of 16 bytes, the first one with a meaning.
    private static func section(_ identifier: UInt16, _ bytes: [UInt8], _ meaning: String) -> TagDump.Section {
        let blocks = bytes.groups(of: rowSize).enumerated().map { number, row in
            TagBlock(number: number, bytes: row, meaning: number == 0 ? meaning : nil)
        }
        return TagDump.Section(name: Hexadecimal.string(identifier), blocks: blocks)
    }
}
