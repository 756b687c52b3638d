import ISO7816

/// The card behind a Type 4 Tag: finds the NDEF application once for a connection, and opens its files.
final class Type4Card {
    private let stack: ISO7816Stack
    private var layout: Type4Layout?

    init(_ stack: ISO7816Stack) { self.stack = stack }

    private var finder: Type4Finder { Type4Finder(card: stack) }

    /// Selects the application and returns its container, which is read once; `isFresh` reads it again.
    func discover(isFresh: Bool = false) async throws(TagError) -> Type4Discovery {
        if let layout, !isFresh, try await finder.select(layout.application).isSuccess { return .found(layout) }
        layout = nil
        let discovery = try await finder.discover()
        if case .found(let found) = discovery { layout = found }
        return discovery
    }

    /// Selects the file of the message.
    func openFile(_ layout: Type4Layout) async throws(TagError) -> BinaryFile {
        let answer = try await finder.select(layout.file.identifier, in: layout.application)
        guard answer.isSuccess else {
            forget()
            throw TagError(
                .tagResponseError,
                "the NDEF file \(Hexadecimal.string(layout.file.identifier)) cannot be selected: \(answer)",
                response: ResponseAPDU(statusWord: answer))
        }
        return file(readSize: layout.container.maximumReadSize, writeSize: layout.container.maximumWriteSize)
    }

    /// Selects the capability container, to change one byte of it.
    func openContainer(_ layout: Type4Layout) async throws(TagError) -> BinaryFile {
        let answer = try await finder.select(Type4Finder.containerIdentifier, in: layout.application)
        guard answer.isSuccess else {
            throw TagError(
                .tagResponseError, "the capability container cannot be selected again: \(answer)",
                response: ResponseAPDU(statusWord: answer))
        }
        return file(readSize: 1, writeSize: 1)
    }

    /// The file that is selected.
    func file(readSize: Int, writeSize: Int) -> BinaryFile {
        BinaryFile(card: stack, maximumReadSize: readSize, maximumWriteSize: writeSize)
    }

    /// Marks the capability container as changed, so that it is read again.
    func forget() { layout = nil }

    /// GET_VERSION as DESFire has it, nil if the card does not support it. Application and file are selected again at every
    /// call, so this changes nothing for the next one.
    func version() async throws(TagError) -> DESFireVersion? {
        do throws(TagError) {
            return try await DESFireChannel(channel: stack.channel).version()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }
}
