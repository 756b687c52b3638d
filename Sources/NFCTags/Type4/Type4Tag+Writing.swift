extension Type4Tag {
    /// Puts a message in place of the one that is there: the length 0, the message, its length. Where length and
    /// message fit one command, it is that one.
    ///
    /// - Throws: as ``NDEFTag/writeNDEF(_:verifying:progress:)``.
    public func writeNDEF(_ message: [UInt8], verifying: Bool, progress: TagProgress?) async throws(TagError) {
        let layout = try await writableLayout()
        guard message.count <= layout.file.capacity else {
            throw TagError(
                .tagSizeTooSmall, "the message has \(message.count) bytes, \(layout.file.capacity) fit")
        }
        let file = try await openFile(layout)
        let plan = Self.plan(message, lengthFieldSize: layout.file.lengthFieldSize, in: file)
        try await plan.run(progress: progress) { update throws(TagError) in try await file.write(update) }
        if verifying { try await verify(message, layout.file, in: file) }
    }

    /// A Type 4 Tag is formatted when it is made; nothing but a tag's own commands and keys can do it later.
    ///
    /// - Throws: ``TagError`` 1 where there is no NDEF, as the steps differ from product to product.
    public func formatNDEF() async throws(TagError) {
        guard case .none(let reason) = try await discover() else { return }
        throw TagError(
            .unsupportedFeature, "\(reason); there is no way to format Type 4 Tags that fits every product")
    }

    private func writableLayout() async throws(TagError) -> Type4Layout {
        switch try await discover() {
        case .none(let reason): throw TagError(.unsupportedFeature, reason)
        case .found(let layout):
            guard layout.container.isWritable else { throw layout.notWritable }
            return layout
        }
    }

    private func verify(_ message: [UInt8], _ control: Type4FileControl, in file: BinaryFile) async throws(TagError) {
        let expected = Self.lengthField(message.count, size: control.lengthFieldSize) + message
        guard try await file.read(0..<expected.count) == expected else {
            throw TagError(.tagUpdateFailure, "the tag took the message, but holds something else")
        }
    }
}

extension Type4Tag {
    static func plan(_ message: [UInt8], lengthFieldSize: Int, in file: BinaryFile) -> TearSafeWrite<BinaryUpdate> {
        let length = lengthField(message.count, size: lengthFieldSize)
        var write = TearSafeWrite<BinaryUpdate>()
        if lengthFieldSize + message.count <= file.writeSize {
            write.commit = [BinaryUpdate(offset: 0, bytes: length + message)]
        } else {
            write.invalidate = [BinaryUpdate(offset: 0, bytes: lengthField(0, size: lengthFieldSize))]
            write.data = file.updates(message, at: lengthFieldSize)
            write.commit = [BinaryUpdate(offset: 0, bytes: length)]
        }
        return write
    }

    private static func lengthField(_ length: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
}

extension Type4Layout {
    /// Why a message cannot be written.
    var notWritable: TagError {
        switch file.writeAccess {
        case 0x00: TagError(.tagNotWritable, "MLc is \(container.maximumWriteSize), too small to write safely")
        case 0xFF: TagError(.tagNotWritable, "the capability container denies writing")
        default: TagError(.tagNotWritable, "writing needs a key or a proprietary procedure")
        }
    }
}
