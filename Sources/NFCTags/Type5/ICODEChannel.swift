import NFCTypes
import Synchronization

/// Requests to a tag of ISO/IEC 15693 that may be an ICODE with passwords.
///
/// The chip forgets its passwords without power, and whether a session of a reader ends that is not known: where the reader has
/// sessions, each of them begins with the passwords that the chip has accepted. After a wrong password the chip answers nothing until
/// the field drops. So a password that was refused is not sent again, and the connection is reset.
final class ICODEChannel: ForwardingChannel {
    let channel: any NativeChannel
    let target: ISO15693Request.Target
    private let reset: (@Sendable () async throws(TagError) -> Void)?
    private let state = Mutex(State())

    private struct State {
        /// In the order in which they were given.
        var accepted: [(kind: PasswordKind, password: [UInt8])] = []
        var refusesProtectionStatus = false
        var refusesLongReads = false
        var sharing = Sharing.none
    }

    /// Whether requests share a session of the reader.
    private enum Sharing {
        /// Each request, or several in turn, have a session.
        case none
        /// The next request opens the session.
        case wanted
        case open
    }

    /// - Parameter reset: drops the field and selects the tag again; nil where that is not possible.
    init(
        channel: any NativeChannel, target: ISO15693Request.Target,
        reset: (@Sendable () async throws(TagError) -> Void)? = nil
    ) {
        (self.channel, self.target, self.reset) = (channel, target, reset)
    }

    private var sessions: (any SessionChannel)? { channel as? any SessionChannel }
    private var accepted: [(kind: PasswordKind, password: [UInt8])] { state.withLock(\.accepted) }

    var overhead: Int { channel.overhead + (sessions == nil ? 0 : 2 * accepted.count) }

    /// Whether the tag has refused to report the protection of its blocks.
    var refusesProtectionStatus: Bool { state.withLock(\.refusesProtectionStatus) }

    /// Notes that the tag has refused to report the protection of its blocks.
    func noteRefusedProtectionStatus() { state.withLock { $0.refusesProtectionStatus = true } }

    /// The largest useful number of bytes for one read of a tag that limits none: the flags come with them.
    var longestRead: Int {
        sessions != nil && state.withLock { !$0.refusesLongReads } ? channel.longestAnswer - 1 : Type5Tag.readLimit
    }

    /// Notes that the tag has refused to answer with more than ``Type5Tag/readLimit`` bytes.
    func noteRefusedLongRead() { state.withLock { $0.refusesLongReads = true } }

    /// The password of a kind that the tag has accepted; nil if none was given.
    func password(_ kind: PasswordKind) -> [UInt8]? { accepted.first { $0.kind == kind }?.password }

    /// Does not give the password of a kind again.
    func forget(_ kind: PasswordKind) { state.withLock { $0.accepted.removeAll { $0.kind == kind } } }

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await transceive(inTurn: [frame]).first ?? []
    }

    func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        guard let sessions, state.withLock({ $0.sharing != .none || !$0.accepted.isEmpty }) else {
            return try await channel.transceive(inTurn: frames)
        }
        return try await sharingSession { () throws(TagError) in try await share(sessions, frames) }
    }

    /// Sends one frame while the passwords are in force.
    private typealias Exchange = ([UInt8]) async throws(TagError) -> [UInt8]
}

extension ICODEChannel {
    /// Runs a body whose requests share one session of the reader, where it has sessions: one request in a session takes four exchanges.
    ///
    /// The first request opens it. Where the tag does not answer, it is ended, and the next request opens it again.
    func sharingSession<Value: Sendable>(
        _ body: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        guard let sessions, state.withLock({ $0.sharing == .none }) else { return try await body() }
        state.withLock { $0.sharing = .wanted }
        let result: Result<Value, TagError>
        do throws(TagError) { result = .success(try await body()) } catch { result = .failure(error) }
        await end(sessions)
        state.withLock { $0.sharing = .none }
        return try result.get()
    }

    /// Sends frames in the session that requests share.
    private func share(_ sessions: any SessionChannel, _ frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        do throws(TagError) {
            if state.withLock({ $0.sharing != .open }) { try await open(sessions) }
            var answers: [[UInt8]] = []
            for frame in frames { answers.append(try await sessions.exchange(frame)) }
            return answers
        } catch {
            await end(sessions)
            throw error
        }
    }

    /// Opens the session that requests share, and gives the passwords.
    private func open(_ sessions: any SessionChannel) async throws(TagError) {
        state.withLock { $0.sharing = .open }
        try await sessions.beginSession()
        for (kind, password) in accepted {
            let isAccepted = try await accepts(kind, password) { frame throws(TagError) in
                try await sessions.exchange(frame)
            }
            guard !isAccepted else { continue }
            await end(sessions)
            throw await refusal("the \(kind.words) is no longer accepted by the tag")
        }
    }

    /// Ends the session that requests share, if it is open. What was answered in it stands, so that a failure is not reported; the
    /// next session shows it.
    private func end(_ sessions: any SessionChannel) async {
        guard state.withLock({ $0.sharing == .open }) else { return }
        state.withLock { $0.sharing = .wanted }
        _ = try? await sessions.endSession()
    }
}

extension ICODEChannel {
    /// Gives the tag a password.
    ///
    /// - Throws: ``TagError`` 102 if it is wrong, after the field was reset.
    func give(_ kind: PasswordKind, _ password: [UInt8]) async throws(TagError) {
        forget(kind)
        let isAccepted: Bool
        if let sessions {
            isAccepted = try await sessions.inSession { () throws(TagError) in
                try await accepts(kind, password) { frame throws(TagError) in try await sessions.exchange(frame) }
            }
        } else {
            isAccepted = try await accepts(kind, password) { frame throws(TagError) in
                try await channel.transceive(frame)
            }
        }
        guard isAccepted else {
            throw await refusal("this is not the \(kind.words) of the tag")
        }
        state.withLock { $0.accepted.append((kind, password)) }
    }

    /// ENABLE PRIVACY. Afterwards the tag answers no other request, and no password is given again.
    func enablePrivacy(_ password: [UInt8]) async throws(TagError) {
        defer { state.withLock { $0.accepted = [] } }
        try await sharingSession { () throws(TagError) in
            let hidden = try await hide(password) { frame throws(TagError) in try await transceive(frame) }
            let request = ISO15693Request.enablePrivacy(hidden: hidden)
            _ = try request.content(of: try await transceive(request.frame(to: target)))
        }
    }

    /// Whether the tag accepts a password. A chip may refuse a wrong one or be silent.
    private func accepts(
        _ kind: PasswordKind, _ password: [UInt8], _ exchange: Exchange
    ) async throws(TagError) -> Bool {
        let request = ISO15693Request.setPassword(kind, hidden: try await hide(password, exchange))
        do throws(TagError) {
            return try request.content(of: try await exchange(request.frame(to: target))).isEmpty
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return false
        }
    }

    /// Each half of the password, exclusive-or the tag's random number.
    private func hide(_ password: [UInt8], _ exchange: Exchange) async throws(TagError) -> [UInt8] {
        guard case .uid = target else {
            throw TagError(.unsupportedFeature, "a password is sent to a UID, and the reader shows none")
        }
        let request = ISO15693Request.getRandomNumber
        let random = try request.content(of: try await exchange(request.frame(to: target)))
        guard random.count == 2, password.count == 4 else {
            throw TagError(
                .tagResponseError, "GET RANDOM NUMBER was answered with \(random.count) bytes", response: random)
        }
        return zip(password, random + random).map { $0 ^ $1 }
    }

    /// The error for a wrong password. The chip is silent: the field is reset, and no password is in force then.
    private func refusal(_ reason: String) async -> TagError {
        state.withLock { $0.accepted = [] }
        guard let reset else {
            return TagError(
                .tagResponseError,
                "\(reason), which answers nothing after a wrong one; take it off the reader and hold it there again")
        }
        do throws(TagError) {
            try await reset()
            return TagError(.tagResponseError, "\(reason), which answers nothing after a wrong one and was reset")
        } catch {
            return TagError(
                error.code,
                "\(reason), which answers nothing after a wrong one and could not be reset; hold it to the reader again"
            )
        }
    }
}
