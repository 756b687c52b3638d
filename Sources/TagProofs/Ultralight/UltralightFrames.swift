import NFCTags
import SecureTags

/// Frames to a MIFARE Ultralight C or AES, which answers only to its own commands: the reader has to pass them on.
struct UltralightFrames: Sendable {
    private let channel: any NativeChannel
    private let answers: ObservedChannel

    /// Frames over a reader; nil if it does not pass on a tag's own commands.
    init?(_ reader: ReaderProfile, _ channel: some CardChannel) {
        let answers = ObservedChannel(channel)
        guard let native = reader.nativeChannel(over: answers) else { return nil }
        (self.channel, self.answers) = (native, answers)
    }

    /// Whether a tag that refused a command, and is mute, can be selected again.
    var canReactivate: Bool { channel.canReactivate }

    /// Runs commands during which the tag stays selected, and keeps what was authenticated. After a refusal it is selected again, as far
    /// as the reader can.
    ///
    /// - Throws: ``UltralightFailure``.
    func visit<Value: Sendable>(
        _ body: () async throws(UltralightFailure) -> Value
    ) async throws(UltralightFailure) -> Value {
        guard let sessions = channel as? any SessionChannel else {
            do throws(UltralightFailure) { return try await body() } catch {
                if case .refused = error { try await reselect() }
                throw error
            }
        }
        let result: Result<Value, UltralightFailure>
        do throws(TagError) {
            result = try await sessions.inSession { () async throws(TagError) in
                do throws(UltralightFailure) { return .success(try await body()) } catch { return .failure(error) }
            }
        } catch {
            throw .lost(error)
        }
        return try result.get()
    }

    private func reselect() async throws(UltralightFailure) {
        guard channel.canReactivate else { return }
        do throws(TagError) { _ = try await channel.reactivate() } catch { throw .lost(error) }
    }

    /// Sends a frame, in a visit.
    func send(_ frame: [UInt8], _ step: UltralightFailure.Step) async throws(UltralightFailure) -> [UInt8] {
        do throws(TagError) {
            guard let sessions = channel as? any SessionChannel else { return try await channel.transceive(frame) }
            return try await sessions.exchange(frame)
        } catch {
            throw answers.isAnswered && error.code == .tagResponseError ? .refused(step) : .lost(error)
        }
    }

    /// Authenticates, once, in a visit.
    ///
    /// - Returns: the session of an Ultralight AES; nil for Ultralight C, which has none.
    func authenticate(
        _ attempt: UltralightAuthentication
    ) async throws(UltralightFailure) -> UltralightAESSession? {
        var attempt = attempt
        let challenge = try await send(attempt.request, .challenge)
        let frame: [UInt8]
        do throws(SecureTagError) { frame = try attempt.frame(answering: challenge) } catch { throw .session(error) }
        let answer = try await send(frame, .key)
        do throws(SecureTagError) { return try attempt.session(for: answer) } catch { throw .session(error) }
    }

    /// Sends a frame with its code in a session, and checks the code of the answer.
    func send(
        _ frame: [UInt8], in session: inout UltralightAESSession, _ step: UltralightFailure.Step
    ) async throws(UltralightFailure) -> [UInt8] {
        let coded: [UInt8]
        do throws(SecureTagError) { coded = try session.protect(frame) } catch { throw .session(error) }
        let answer = try await send(coded, step)
        do throws(SecureTagError) { return try session.open(answer) } catch { throw .session(error) }
    }
}

/// How an exchange with a MIFARE Ultralight failed.
enum UltralightFailure: Error, Sendable, CustomStringConvertible {
    /// What the tag refused, or did not answer, as its reader reports: most readers do not distinguish the two.
    enum Step: Sendable, Equatable {
        case version, settings, challenge, key, command
    }

    /// No answer of the reader, or the tag has left.
    case lost(TagError)
    /// The reader reports no answer, or a refusal. Neither has a code, so that it may be forged.
    case refused(Step)
    /// The answer is not right.
    case session(SecureTagError)

    /// What failed, without any secret.
    var description: String {
        switch self {
        // The detail of the error would repeat the frame.
        case .lost(let error) where error.code == .tagConnectionLost: "the tag has left"
        case .lost(let error): "the reader did not carry out a command (error \(error.code.rawValue))"
        case .refused(.version): "the tag does not answer GET_VERSION"
        case .refused(.settings): "the tag does not show its settings"
        case .refused(.challenge): "the tag refused to begin the authentication"
        case .refused(.key): "the tag refused the key: it has another one"
        case .refused(.command): "the tag refused a command"
        case .session(let error): "\(error)"
        }
    }
}
