/// A tag that a session has found.
///
/// Commands to a tag are carried out one after another, in the order in which they were called. The first is ``connect()``.
/// After the tag has left they fail with 100, after polling was restarted with 104, after the session with 103.
///
/// Methods throw `NFCClientError`, with CoreNFC's code as its ``NFCClientError/nfcCode``, and `CancellationError`.
public struct RemoteTag: Sendable, Identifiable {
    /// The session that found the tag.
    public let session: ReaderSession
    /// What is known of the tag: its type, its identifier, its reader.
    public let facts: SessionDidDetectTags.Tag

    /// The name of the tag within its session. A tag that is found again gets another one.
    public var id: String { facts.tag }

    /// The UID; empty if the reader reports none.
    public var identifier: [UInt8] { facts.identifier.bytes }

    /// Makes the tag the one of its session that takes commands, instead of another.
    public func connect() async throws {
        _ = try await session.client.call(SessionConnect.self, address)
    }

    // MARK: NDEF

    /// Returns whether the tag holds NDEF, and how much.
    public func queryNDEFStatus() async throws -> TagQueryNDEFStatus.Result {
        try await session.client.call(TagQueryNDEFStatus.self, address)
    }

    /// Reads the message on the tag. Fails with 403 where the tag is formatted and holds none.
    public func readNDEF() async throws -> TagReadNDEF.Result {
        try await session.client.call(TagReadNDEF.self, address)
    }

    /// Replaces the message on the tag. A message without records erases the tag.
    ///
    /// - Parameters:
    ///   - message: the message; at most the tag's capacity in bytes.
    ///   - verify: whether the message is read back and compared.
    ///   - onProgress: is called with the number of steps done and of all steps; it must not block.
    public func writeNDEF(
        _ message: NDEFMessage, verify: Bool = false,
        progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) async throws {
        _ = try await call(
            TagWriteNDEF.self,
            .init(address, .init(message: message, verify: verify ? true : nil)), onProgress)
    }

    /// Formats a tag without NDEF: it holds an empty message then.
    ///
    /// - Parameter overwriting: whether other data in the tag's memory may be overwritten.
    public func format(overwriting: Bool = false) async throws {
        _ = try await session.client.call(
            TagFormat.self, .init(address, .init(overwrite: overwriting ? true : nil)))
    }

    /// Makes the message on the tag read-only, permanently.
    public func writeLock() async throws {
        _ = try await session.client.call(TagWriteLock.self, address)
    }

    // MARK: The tag

    /// Returns the product, its memory and what else the tag reports about itself.
    public func describe() async throws -> TagDescribe.Result {
        try await session.client.call(TagDescribe.self, address)
    }

    /// Reads everything of the memory that can be read.
    ///
    /// - Parameter onProgress: is called with the number of steps done and of all steps; it must not block.
    public func dumpMemory(
        progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) async throws -> TagDumpMemory.Result {
        try await call(TagDumpMemory.self, .init(address, .init()), onProgress)
    }

    /// Replaces blocks of the memory that hold data, and verifies them.
    ///
    /// - Parameters:
    ///   - blocks: the content of pages or blocks, each once.
    ///   - onProgress: as for ``dumpMemory(progress:)``.
    /// - Returns: how many blocks had another content.
    @discardableResult
    public func writeMemory(
        _ blocks: [TagWriteMemory.Block], progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) async throws -> Int {
        try await call(TagWriteMemory.self, .init(address, .init(blocks: blocks)), onProgress).written
    }

    /// Gives the tag its password, for as long as it stays in the field. A raw command makes the daemon forget it.
    ///
    /// - Returns: the answer by which the tag proves that it knows the password too: PACK of Type 2. May be empty.
    @discardableResult
    public func authenticate(password: some Sequence<UInt8>) async throws -> [UInt8] {
        try await session.client.call(
            TagAuthenticate.self, .init(address, .init(password: HexBytes(Array(password))))
        ).acknowledge.bytes
    }

    /// Protects the tag with a password, or changes it; give the present one first with ``authenticate(password:)``.
    ///
    /// - Returns: what the password protects.
    @discardableResult
    public func setPassword(_ arguments: TagSetPassword.Arguments) async throws -> TagSetPassword.Result {
        try await session.client.call(TagSetPassword.self, .init(address, arguments))
    }

    /// Removes the password of the tag; give it first with ``authenticate(password:)``.
    public func removePassword() async throws {
        _ = try await session.client.call(TagRemovePassword.self, address)
    }

    /// Changes the NFC counter and the ASCII mirror; what is nil stays unchanged.
    ///
    /// - Returns: the settings that the tag has then.
    @discardableResult
    public func configure(_ arguments: TagConfigure.Arguments) async throws -> TagConfigure.Result {
        try await session.client.call(TagConfigure.self, .init(address, arguments))
    }

    /// Takes back all commands to the tag that have not started; each fails with −32800.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func cancelCommands() async throws -> Int {
        try await session.client.call(TagCancelCommands.self, address).cancelled
    }

    // MARK: Requests

    var address: TagAddress { TagAddress(session: session.id, tag: id) }

    private func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ onProgress: (@Sendable (Int, Int) -> Void)?
    ) async throws -> M.Result where M.Parameters: ProgressParameters {
        guard let onProgress else { return try await session.client.call(method, parameters) }
        return try await session.client.call(method, parameters, progress: onProgress)
    }
}
