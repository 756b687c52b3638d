import Cryptography
import NFCTags
import SecureTags

/// A card that takes native commands, wrapped into class 90: sends what an authentication or a session has prepared, and nothing else.
struct SecureCard: Sendable {
    /// How a long command is sent.
    enum Framing: Sendable {
        /// As one APDU: NTAG 424 DNA, which does not divide commands into frames.
        case single
        /// In frames of 55 bytes, each but the first with AF: every DESFire.
        case native
    }

    /// How often an authentication is begun again while the card delays it (91AD): each answer takes about 25 ms of the delay away
    /// (AN12196, §7.4).
    private static let mostDelays = 120

    private let channel: DESFireChannel
    private let framing: Framing

    /// A card behind a channel.
    init(_ channel: some CardChannel, _ framing: Framing) {
        self.channel = DESFireChannel(channel: channel)
        self.framing = framing
    }

    /// Authenticates, once.
    ///
    /// - Throws: ``CardFailure``.
    func authenticate<Attempt: CardAuthentication>(_ attempt: Attempt) async throws(CardFailure) -> Attempt.Session {
        var attempt = attempt
        let challenge = try await challenge(attempt.instruction, attempt.parameters)
        let token = try card { () throws(SecureTagError) in try attempt.token(for: challenge) }
        let answer = try await exchange(DESFireStatus.additionalFrame.rawValue, token)
        guard answer.status == .operationOK else { throw .refused(answer.status, by: .authentication) }
        return try card { () throws(SecureTagError) in try attempt.session(for: answer.data) }
    }

    private func challenge(_ instruction: UInt8, _ parameters: [UInt8]) async throws(CardFailure) -> [UInt8] {
        for _ in 0..<Self.mostDelays {
            let answer = try await exchange(instruction, parameters)
            if answer.status == .additionalFrame { return answer.data }
            guard answer.status == .authenticationDelay else { throw .refused(answer.status, by: .challenge) }
        }
        throw .refused(.authenticationDelay, by: .challenge)
    }

    /// Runs a command in a session.
    ///
    /// - Throws: ``CardFailure``; the session has ended then.
    func run(
        _ command: SecureCommand, in session: inout some SecureMessaging
    ) async throws(CardFailure) -> [UInt8] {
        let field = try protecting(&session) { (session) throws(SecureTagError) in try session.protect(command) }
        return try await finish(command.instruction, field, &session)
    }

    /// Changes a key in a session. Without an answer, the card may have the old key or the new one.
    func change(_ key: KeyChange, in session: inout some SecureMessaging) async throws(CardFailure) {
        let field = try protecting(&session) { (session) throws(SecureTagError) in try session.protect(key) }
        _ = try await finish(KeyChange.instruction, field, &session)
    }

    /// Runs a command in the session that is open; a failure ends it.
    ///
    /// - Throws: ``CardFailure``, also without a session.
    func run(_ command: SecureCommand, inOpen session: inout (any SecureMessaging)?) async throws(CardFailure)
        -> [UInt8]
    {
        guard var open = session else { throw .session(.noSession) }
        session = nil
        let answer = try await run(command, in: &open)
        session = open
        return answer
    }

    /// Changes a key in the session that is open. The session ends with a failure, and with a new value of the key that opened it.
    ///
    /// - Throws: ``CardFailure``, also without a session.
    func change(_ key: KeyChange, inOpen session: inout (any SecureMessaging)?) async throws(CardFailure) {
        guard var open = session else { throw .session(.noSession) }
        session = nil
        try await change(key, in: &open)
        session = key.old == nil ? nil : open
    }

    private func protecting<Session>(
        _ session: inout Session, _ body: (inout Session) throws(SecureTagError) -> [UInt8]
    ) throws(CardFailure) -> [UInt8] {
        do throws(SecureTagError) { return try body(&session) } catch { throw .session(error) }
    }

    private func finish(
        _ instruction: UInt8, _ field: [UInt8], _ session: inout some SecureMessaging
    ) async throws(CardFailure) -> [UInt8] {
        let answer = try await send(instruction, field)
        do throws(SecureTagError) {
            return try session.open(answer.data, status: answer.status.rawValue)
        } catch {
            guard case .refused = error else { throw .session(error) }
            throw .refused(answer.status, by: .command(instruction))
        }
    }

    /// Sends a command without a session.
    ///
    /// - Throws: ``CardFailure/lost(_:)`` or ``CardFailure/wrong(_:)``; a status is part of the answer.
    func send(_ instruction: UInt8, _ data: [UInt8] = []) async throws(CardFailure) -> DESFireResponse {
        guard framing == .native else { return try await exchange(instruction, data) }
        do throws(TagError) { return try await channel.send(instruction, data) } catch {
            throw CardFailure(error, instruction)
        }
    }

    private func exchange(_ instruction: UInt8, _ data: [UInt8]) async throws(CardFailure) -> DESFireResponse {
        do throws(TagError) { return try await channel.exchange(instruction, data) } catch {
            throw CardFailure(error, instruction)
        }
    }

    private func card<Value>(_ body: () throws(SecureTagError) -> Value) throws(CardFailure) -> Value {
        do throws(SecureTagError) { return try body() } catch { throw .session(error) }
    }
}

/// How an exchange with a card failed.
enum CardFailure: Error, Sendable, CustomStringConvertible {
    /// What the card refused.
    enum Step: Sendable, Equatable {
        /// The first command of an authentication: no attempt was made.
        case challenge
        /// The proof that nfcd knows the key.
        case authentication
        /// A command, by its code.
        case command(UInt8)
    }

    /// No answer: the card left, is silent, or its reader failed.
    case lost(TagError)
    /// An answer that no card of this kind gives, in words.
    case wrong(String)
    /// A status. It has no code, so that it may be forged.
    case refused(DESFireStatus, by: Step)
    /// The answer is not right.
    case session(SecureTagError)

    /// What failed, without any secret.
    var description: String {
        switch self {
        case .lost(let error): error.detail
        case .wrong(let words): words
        case .refused(let status, .challenge): "the tag refused to begin the authentication: \(status)"
        case .refused(let status, .authentication): "the tag refused the authentication: \(status)"
        case .refused(let status, .command(let code)):
            "the tag refused command \(String(code, radix: 16, uppercase: true)): \(status)"
        case .session(let error): "\(error)"
        }
    }
}

extension CardFailure {
    /// A command without a right answer. The error of a channel quotes the bytes of the command, which may be those of a key.
    init(_ error: TagError, _ instruction: UInt8) {
        let command = "command \(String(instruction, radix: 16, uppercase: true))"
        guard error.isUnanswered else {
            self = .wrong("the answer to \(command) is wrong")
            return
        }
        let hasLeft = error.code == .tagConnectionLost
        self = .lost(
            TagError(error.code, hasLeft ? "the tag left the field at \(command)" : "\(command) was not answered"))
    }
}

extension TagError {
    /// Whether nothing was received: of the tag, or of its reader.
    var isUnanswered: Bool {
        switch code {
        case .tagConnectionLost, .sessionTerminatedUnexpectedly, .systemIsBusy: true
        case .tagResponseError: response?.isEmpty ?? true
        default: false
        }
    }
}
