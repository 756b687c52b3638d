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

    var address: TagAddress { TagAddress(session: session.id, tag: id) }

    /// Calls a method on the tag; the functions of all of them are in `RemoteTag.generated.swift`.
    func call<M: Method>(_ method: M.Type, _ parameters: M.Parameters) async throws -> M.Result {
        try await session.client.call(method, parameters)
    }

    /// Calls a method on the tag that reports its progress.
    func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters, progress onProgress: (@Sendable (Int, Int) -> Void)?
    ) async throws -> M.Result where M.Parameters: ProgressParameters {
        guard let onProgress else { return try await call(method, parameters) }
        return try await session.client.call(method, parameters, progress: onProgress)
    }
}
