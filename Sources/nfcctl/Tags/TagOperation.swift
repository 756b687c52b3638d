import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

/// An operation on a single tag: begins a session, connects to the first tag, runs the operation and ends the session.
struct TagOperation: Sendable {
    /// What the person is asked to do.
    enum Invitation: String, Sendable {
        case tap = "Hold a tag to the reader."
        /// An operation of many exchanges, which a hand would end too early.
        case rest = "Put a tag on the reader and leave it there."
    }

    private let session: SessionOptions
    private let password: TagPasswordOptions?
    private let json: Bool
    private let invitation: Invitation
    private let kind: SessionKind
    private let requirements: [Requirement]
    private let messageSize: Int
    private let beforeTag: (@Sendable (NFCClient) async throws -> Void)?
    /// What to do after an error, besides what nfcd says; nil for nothing.
    var advice: @Sendable (NFCClientError) -> String? = { _ in nil }

    /// The size of the line of JSON for a message, without the message.
    private static let requestSize = 1024

    /// - Parameters:
    ///   - kind: the kind of the session; raw commands require the kind tag.
    ///   - requirements: what nfcd requires for the operation, checked before the wait for a tag.
    ///   - messageSize: the size of the message that is to be written, in bytes, also checked before the wait.
    init(
        options: TagOptions, kind: SessionKind = .ndef, requires requirements: Requirement..., messageSize: Int = 0
    ) {
        (session, password, json) = (options.session, options.password, options.json)
        (self.kind, self.requirements, self.messageSize, invitation) = (kind, requirements, messageSize, .tap)
        beforeTag = nil
    }

    /// An operation that first asks nfcd for something else.
    ///
    /// - Parameters:
    ///   - requirements: what nfcd requires for the operation, checked before the wait for a tag.
    ///   - beforeTag: what is done with the connection before the session.
    init(
        options: TagOptions, requires requirements: [Requirement],
        beforeTag: @escaping @Sendable (NFCClient) async throws -> Void
    ) {
        (session, password, json) = (options.session, options.password, options.json)
        (kind, self.requirements, messageSize, invitation) = (.ndef, requirements, 0, .tap)
        self.beforeTag = beforeTag
    }

    /// An operation that takes no password, and for which the tag has to rest on the reader.
    ///
    /// - Parameter requirements: what nfcd requires for the operation, checked before the wait for a tag.
    init(session: SessionOptions, json: Bool, requires requirements: [Requirement]) {
        (self.session, self.json, self.requirements) = (session, json, requirements)
        (kind, password, messageSize, invitation, beforeTag) = (.ndef, nil, 0, .rest, nil)
    }

    /// Whether the operation may change the tag: it does more than what `read` allows, or sends raw commands.
    private var mayChangeTag: Bool {
        kind == .tag
            || requirements.contains { requirement in
                guard case .capabilities(let capabilities) = requirement else { return false }
                return capabilities.contains { $0 != .read }
            }
    }

    /// Waits for a tag and runs the operation.
    ///
    /// Ctrl-C ends the wait for a tag. An operation that may change the tag is completed; any other ends, too.
    ///
    /// - Parameter confirming: asks whether the operation is to be run on this tag.
    /// - Throws: `ExitCode`, after printing the error.
    func run(
        confirming: (@Sendable (RemoteTag) async -> Bool)? = nil, _ body: (RemoteTag) async throws -> Void
    ) async throws {
        let passwords = try password?.read()
        let request = session.parameters(kind, detection: kind == .ndef ? .tags : nil)
        let options = session
        try await options.connection.withClient { client in
            let info = try await client.call(ServerInfo.self)
            if let refusal = try await info.entitlements.refusal(of: requirements, by: client) { throw report(refusal) }
            try checkMessage(limit: (info.limits.lineLength - Self.requestSize) / 2)
            try await beforeTag?(client)
            options.reportCutTimeout(kind, info)
            let seconds = info.sessionTime(kind, requested: request.timeout)
            let interruption = await Interruption()
            let blockedReader = Mutex<String?>(nil)
            try await client.withSession(request) { session in
                do {
                    let tag = try await interruption.cancelling {
                        try await firstTag(session) { name in blockedReader.withLock { $0 = name } }
                    }
                    Terminal.clearStatus()
                    guard let tag else { throw ExitCode.interrupted }
                    try await tag.connect()
                    try await passwords?.give(to: tag)
                    if let confirming, try await Interruption().cancelling({ await confirming(tag) }) != true {
                        Terminal.error("Nothing was done.")
                        throw ExitCode.interrupted
                    }
                    try await mayChangeTag ? ConnectionWatch.shared.changingTag { try await body(tag) } : body(tag)
                } catch let error as NFCClientError where error.nfcCode != nil {
                    throw report(error, seconds: seconds, blockedReader: blockedReader.withLock { $0 })
                }
            }
        }
    }

    /// Refuses a message that nfcd cannot be sent, which is in hexadecimal.
    private func checkMessage(limit: Int) throws {
        guard messageSize > limit else { return }
        Terminal.error(
            "nfcctl: the message has \(messageSize) bytes, and nfcd accepts at most \(limit). Nothing was written. Write a "
                + "shorter message, or a URI where the content can be found.")
        throw ExitCode.badData
    }

    /// - Parameter isBlocked: receives the name of a reader that another program holds.
    private func firstTag(
        _ session: ReaderSession, isBlocked: @Sendable (String) -> Void
    ) async throws -> RemoteTag {
        for await event in session.events {
            switch event {
            case .didBecomeActive: Terminal.status("\(invitation.rawValue) Press Ctrl-C to stop.")
            case .didDetectTags(let tags): if let tag = tags.first { return tag }
            case .didInvalidate(let end): throw NFCClientError.sessionEnded(end)
            case .tagFailed(let failure):
                failure.report()
                if failure.code == NFCErrorCode.systemIsBusy.rawValue { isBlocked(failure.reader) }
            case .didDetectNDEFs, .tagRemoved, .tagIgnored: break
            }
        }
        throw CancellationError()
    }

    /// Prints an error and returns the exit code.
    ///
    /// - Parameters:
    ///   - seconds: the time limit of the session.
    ///   - blockedReader: the reader that another program held.
    private func report(_ error: NFCClientError, seconds: Double = 0, blockedReader: String? = nil) -> ExitCode {
        Terminal.clearStatus()
        // Last, because it ends the program if standard output is full.
        defer { if json { Terminal.print(json: OperationError(error)) } }
        if case .sessionEnded(let end) = error {
            switch end.code {
            case .userCanceled:
                Terminal.error("nfcctl: the session was cancelled before a tag came: \(end.detail.escaped)")
                return .temporary
            case .sessionTimeout:
                if let blockedReader {
                    Terminal.error(
                        "nfcctl: another program held \(blockedReader.escaped) until the time was over. End that program, which "
                            + "'sudo nfcctl doctor' names, and run the command again.")
                    return .temporary
                }
                let limit = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
                Terminal.error("nfcctl: No tag within \(limit) s. Hold one to the reader and run the command again.")
                return .temporary
            case .unsupportedFeature, .radioDisabled:
                Terminal.error("nfcctl: \(end.explanation)")
                return .unavailable
            case .systemIsBusy:
                Terminal.error("nfcctl: \(end.explanation)")
                return .temporary
            default: break
            }
        }
        Terminal.error("nfcctl: \("\(error)".printableLines)")
        if let advice = advice(error) ?? error.passwordAdvice { Terminal.error(advice) }
        // The tag does not support the command; only at the end of a session the code refers to the readers.
        if case .refused(let answer) = error, error.nfcCode == .unsupportedFeature {
            return ExitCode(ofWrong: answer.data?.path) ?? .tagError
        }
        return ExitCode(error)
    }
}

/// The JSON line for a failed operation.
private struct OperationError: Encodable {
    let event = "error"
    let code: Int?
    let name: String?
    let message: String
    let detail: String?

    init(_ error: NFCClientError) {
        code = error.nfcCode?.rawValue
        detail = error.detail
        switch error {
        case .refused(let error): (name, message) = (error.data?.name, error.message)
        case .sessionEnded(let end): (name, message) = (end.name, end.message)
        default: (name, message) = (nil, "\(error)")
        }
    }
}

extension RemoteTag {
    /// The tag and its reader as text: `NFC Forum Type 2 (miFare), UID 04:6E:…, on Simulated Reader 0`.
    var summary: String { "\(TagSummary(facts)), on \(facts.readerName.escaped)" }

    /// Prints the result of an operation: a line of JSON with the event, or a sentence.
    func report(_ event: String, _ sentence: String, json: Bool) {
        if json {
            Terminal.print(json: TagEvent(event: event, tag: facts, extra: Empty()))
        } else {
            Terminal.print(sentence)
        }
    }

    /// Runs an operation, and shows its progress in the status line.
    func showingProgress<Value>(
        _ activity: String, _ operation: ((@Sendable (_ done: Int, _ total: Int) -> Void)?) async throws -> Value
    ) async throws -> Value {
        guard Terminal.showsStatus else { return try await operation(nil) }
        defer { Terminal.clearStatus() }
        return try await operation { done, total in Terminal.status("\(activity): \(done) of \(total)") }
    }
}

/// The JSON line for an operation on a tag.
struct TagEvent<Extra: Encodable>: Encodable {
    private enum CodingKeys: String, CodingKey {
        case event, reader, readerName, tag
    }

    private struct Identity: Encodable {
        let type: TagType
        let technology: String
        let identifier: HexBytes
    }

    private let event: String
    private let tag: SessionDidDetectTags.Tag
    private let extra: Extra

    /// - Parameter extra: additional fields.
    init(event: String, tag: SessionDidDetectTags.Tag, extra: Extra) {
        (self.event, self.tag, self.extra) = (event, tag, extra)
    }

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
