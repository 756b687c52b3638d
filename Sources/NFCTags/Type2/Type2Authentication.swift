import Synchronization

/// Gives a Type 2 Tag its password or key, frame by frame.
struct Type2Authentication {
    /// 4 bytes, or 16 of an AES key.
    let password: [UInt8]

    /// PWD_AUTH (NTAG213/215/216 data sheet, 10.7) or AUTHENTICATE (MF0AES(H)20 data sheet).
    ///
    /// - Parameter exchange: sends one frame and returns the answer; the tag stays selected between two of them.
    /// - Returns: the two bytes PACK; nothing for a key.
    /// - Throws: ``TagError`` 102 when the password or key is wrong, or the tag has none of this kind.
    func run(
        _ exchange: (_ frame: [UInt8]) async throws(TagError) -> [UInt8]
    ) async throws(TagError) -> [UInt8] {
        guard password.count == AESKeyAuthentication.keySize else {
            let answer = try await Self.step("the password is not accepted") { () throws(TagError) in
                try await exchange([0x1B] + password)
            }
            guard answer.count == 2 else {
                throw TagError(.tagResponseError, "PWD_AUTH answered with \(answer.count) bytes", response: answer)
            }
            return answer
        }
        var generator = SystemRandomNumberGenerator()
        let authentication = try AESKeyAuthentication(key: password, using: &generator)
        let challenge = try await Self.step("the tag does not take an AES key; MIFARE Ultralight AES does") {
            () throws(TagError) in try await exchange(AESKeyAuthentication.request)
        }
        let frame = try authentication.frame(answering: challenge)
        let answer = try await Self.step("the key is not accepted") { () throws(TagError) in try await exchange(frame) }
        guard try authentication.isProof(answer) else {
            throw TagError(.tagResponseError, "the tag does not know the key that it accepted")
        }
        return []
    }

    private static func step(
        _ refusal: String, _ body: () async throws(TagError) -> [UInt8]
    ) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await body()
        } catch {
            guard error.code == .tagResponseError else { throw error }
            throw TagError(.tagResponseError, refusal, response: error.response)
        }
    }
}

/// Frames through a reader whose sessions select the tag: each session begins with the tag's password.
struct PasswordChannel: NativeChannel {
    let sessions: any SessionChannel
    /// 4 bytes, or 16 of an AES key.
    let password: [UInt8]

    var framesInTurn: Int { sessions.framesInTurn }
    var overhead: Int { sessions.overhead + (password.count == AESKeyAuthentication.keySize ? 2 : 1) }
    var longestAnswer: Int { sessions.longestAnswer }
    var canReactivate: Bool { sessions.canReactivate }

    func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try await transceive(inTurn: [frame]).first ?? []
    }

    func transceive(inTurn frames: [[UInt8]]) async throws(TagError) -> [[UInt8]] {
        try await sessions.inSession { () throws(TagError) in
            _ = try await Type2Authentication(password: password).run { frame throws(TagError) in
                try await sessions.exchange(frame)
            }
            var answers: [[UInt8]] = []
            for frame in frames { answers.append(try await sessions.exchange(frame)) }
            return answers
        }
    }

    func reactivate() async throws(TagError) -> Bool { try await sessions.reactivate() }
}

/// Frames through a reader that selects the tag again after a refusal: the tag forgets its password with that, and is given it
/// again at once. A password that is not accepted any more is never sent again.
final class RepeatedPasswordChannel: ForwardingChannel {
    let channel: any NativeChannel
    /// 4 bytes, or 16 of an AES key; nil once the tag has refused it.
    private let password: Mutex<[UInt8]?>

    init(channel: any NativeChannel, password: [UInt8]) {
        self.channel = channel
        self.password = Mutex(password)
    }

    /// Whether the tag has accepted the password since it was selected last.
    var isAccepted: Bool { password.withLock { $0 != nil } }

    func reactivate() async throws(TagError) -> Bool {
        let isSelected = try await channel.reactivate()
        guard isSelected, let known = password.withLock({ $0 }) else { return isSelected }
        do throws(TagError) {
            _ = try await Type2Authentication(password: known).run { frame throws(TagError) in
                try await channel.transceive(frame)
            }
            return true
        } catch {
            password.withLock { $0 = nil }
            guard error.code == .tagResponseError else { throw error }
            return try await channel.reactivate()
        }
    }
}
