import ISO7816

extension Type4Tag {
    /// Sets the write access condition in the capability container to FF, where the tag lets anyone do that.
    ///
    /// - Throws: ``TagError`` 1 where there is no NDEF, or the container is protected, as on DESFire and NTAG 4xx; 400
    ///   where the message is read-only already.
    public func makeReadOnly() async throws(TagError) {
        // Nothing that was remembered may decide about a step that cannot be undone.
        guard case .found(let layout) = try await discover(isFresh: true) else {
            throw TagError(.unsupportedFeature, "no NDEF on this tag, nothing to lock")
        }
        guard layout.file.writeAccess != 0xFF else { throw layout.notWritable }
        guard layout.file.writeAccess == 0x00 else {
            throw TagError(.unsupportedFeature, "locking this tag needs a key or a proprietary procedure")
        }
        self.layout = nil
        try await denyWriting(layout)
    }

    private func denyWriting(_ layout: Type4Layout) async throws(TagError) {
        let answer = try await Type4Finder(card: card).select(Type4Finder.containerIdentifier, in: layout.application)
        guard answer.isSuccess else {
            throw TagError(
                .tagResponseError, "the capability container cannot be selected again: \(answer)",
                response: ResponseAPDU(statusWord: answer))
        }
        let file = BinaryFile(card: card, maximumReadSize: 1, maximumWriteSize: 1)
        let offset = layout.file.writeAccessOffset
        do throws(TagError) {
            try await file.write(BinaryUpdate(offset: offset, bytes: [0xFF]))
        } catch {
            throw error.duringLocking
        }
        guard try await file.read(offset..<offset + 1) == [0xFF] else {
            throw TagError(.unsupportedFeature, "the tag took the lock, but did not change; it can still be written")
        }
    }
}

extension TagError {
    /// What a refused update of the capability container means.
    fileprivate var duringLocking: TagError {
        guard let statusWord else { return self }
        if statusWord.sw1 == 0x64 || statusWord.sw1 == 0x65 {
            return TagError(.tagUpdateFailure, detail, response: response, statusWord: statusWord)
        }
        return TagError(
            .unsupportedFeature, "locking this tag needs a key: \(detail)", response: response, statusWord: statusWord)
    }
}
