import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import UnixSignals

/// Something done with one tag: a session begins, the first tag that comes is connected to, and when that is done the
/// session ends.
struct TagErrand: Sendable {
    /// How waiting for a tag ended.
    private enum Outcome: Sendable {
        case tag(session: String, SessionDidDetectTags.Tag)
        case invalidated(SessionDidInvalidate)
        case connectionLost
        case interrupted
    }

    let options: TagOptions
    /// Commands of one's own need a session of kind tag.
    var kind = SessionKind.ndef

    /// Waits for a tag and does it. What fails is said, and becomes an exit code.
    ///
    /// Ctrl-C ends the waiting; once there is a tag, what was begun with it is brought to its end.
    func run(_ body: @escaping @Sendable (ConnectedTag) async throws -> Void) async throws {
        let (options, path, password) = (options, options.connection.path, try options.password.read())
        try await reportingErrors {
            try await NFCClient.withConnection(to: path) { client in
                let tag = try await waitForTag(client)
                do {
                    _ = try await client.call(SessionConnect.self, .init(session: tag.session, tag: tag.tag.tag))
                    if let password { try await tag.authenticate(password) }
                    try await body(tag)
                } catch NFCClientError.refused(let error) {
                    guard let code = error.nfcCode else { throw NFCClientError.refused(error) }
                    if options.json { Terminal.print(json: FailedErrand(error)) }
                    Terminal.error("nfcctl: \(error)")
                    // Of a tag, not of the readers: 1 is what this tag cannot do.
                    throw code == .unsupportedFeature ? ExitCode.tagError : ExitCode(code)
                }
                _ = try? await client.call(SessionInvalidate.self, .init(session: tag.session))
            }
        }
    }

    private func waitForTag(_ client: NFCClient) async throws -> ConnectedTag {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let session = try await client.call(SessionBegin.self, options.request(kind)).session
        let outcome = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await firstTag(client.events, session) }
            group.addTask {
                for await _ in interrupts { return .interrupted }
                return nil
            }
            defer { group.cancelAll() }
            for await outcome in group { if let outcome { return outcome } }
            return .connectionLost
        }
        Terminal.clearStatus()
        return try await accept(outcome, client, session)
    }

    private func accept(_ outcome: Outcome, _ client: NFCClient, _ session: String) async throws -> ConnectedTag {
        switch outcome {
        case .tag(let session, let tag):
            return ConnectedTag(client: client, session: session, tag: tag)
        case .invalidated(let reason):
            if options.json { Terminal.print(json: FailedErrand(reason)) }
            let detail = reason.detail.isEmpty ? "" : ": \(reason.detail.escaped)"
            Terminal.error("nfcctl: \(reason.message)\(detail) (\(reason.code) \(reason.name))")
            throw ExitCode(reason.nfcCode)
        case .connectionLost:
            throw NFCClientError.connectionLost
        case .interrupted:
            _ = try? await client.call(SessionInvalidate.self, .init(session: session))
            throw ExitCode.interrupted
        }
    }

    private func firstTag(_ events: AsyncStream<ServerEvent>, _ session: String) async -> Outcome? {
        for await event in events {
            switch event {
            case .didBecomeActive: Terminal.status("Hold a tag to the reader. Ctrl-C ends.")
            case .didDetectTags(let found):
                if let tag = found.tags.first { return .tag(session: found.session, tag) }
            case .didInvalidate(let reason): return .invalidated(reason)
            case .tagFailed(let failure):
                Terminal.clearStatus()
                Terminal.error("A tag on \(failure.reader.escaped) could not be used: \(failure.detail.escaped)")
            case .didDetectNDEFs, .tagRemoved, .watched: break
            }
        }
        return Task.isCancelled ? nil : .connectionLost
    }
}

/// Why something was not done, as a line of JSON.
private struct FailedErrand: Encodable {
    let event = "error"
    let code: Int
    let name: String?
    let message: String
    let detail: String?

    init(_ error: RPCError) {
        (code, name, message, detail) = (error.code, error.data?.name, error.message, error.data?.detail)
    }

    init(_ reason: SessionDidInvalidate) {
        (code, name, message, detail) = (reason.code, reason.name, reason.message, reason.detail)
    }
}

/// A tag that takes commands.
struct ConnectedTag: Sendable {
    let client: NFCClient
    let session: String
    let tag: SessionDidDetectTags.Tag

    /// What commands that take no more than the tag are given.
    var address: TagParameters { TagParameters(session: session, tag: tag.tag) }

    /// The tag in words: `NFC Forum Type 2, UID 04:6E:…, on Simulated Reader 0`.
    var words: String { "\(tag.technology.escaped), UID \(uid), on \(tag.readerName.escaped)" }

    /// The identifier for people.
    var uid: String {
        let uid = tag.identifier.bytes.map { HexBytes([$0]).description }.joined(separator: ":")
        return uid.isEmpty ? "unknown" : uid
    }
}

extension ConnectedTag {
    /// Gives the tag its password.
    func authenticate(_ password: HexBytes) async throws {
        _ = try await client.call(TagAuthenticate.self, .init(session: session, tag: tag.tag, password: password))
    }

    /// Says what was done: a line of JSON with this event, or a sentence.
    func report(_ event: String, _ sentence: String, json: Bool) {
        if json {
            Terminal.print(json: TagEvent(event: event, tag: tag, extra: Empty()))
        } else {
            Terminal.print(sentence)
        }
    }
}

extension ConnectedTag {
    /// Calls a method that takes a while, and shows how far it has come to whoever watches.
    func call<M: Method>(
        _ method: M.Type, _ parameters: M.Parameters, showing words: String
    ) async throws -> M.Result where M.Parameters: ProgressParameters {
        guard Terminal.showsStatus else { return try await client.call(method, parameters) }
        defer { Terminal.clearStatus() }
        return try await client.call(method, parameters) { done, total in
            Terminal.status("\(words): \(done) of \(total)")
        }
    }
}

/// What was done with a tag, as a line of JSON.
struct TagEvent<Extra: Encodable>: Encodable {
    private enum CodingKeys: String, CodingKey {
        case event, reader, readerName, tag
    }

    private struct Identity: Encodable {
        let type: TagType
        let technology: String
        let identifier: HexBytes
    }

    let event: String
    let tag: SessionDidDetectTags.Tag
    /// Further fields.
    let extra: Extra

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(event, forKey: .event)
        try object.encode(tag.reader, forKey: .reader)
        try object.encode(tag.readerName, forKey: .readerName)
        try object.encode(
            Identity(type: tag.type, technology: tag.technology, identifier: tag.identifier), forKey: .tag)
        try extra.encode(to: encoder)
    }
}
