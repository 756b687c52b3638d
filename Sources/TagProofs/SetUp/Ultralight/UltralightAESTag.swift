import Cryptography
import NFCTags
import SecureTags

/// The commands that set up a MIFARE Ultralight AES (MF0AES(H)20).
///
/// As long as no key protects the tag, pages are written with `FF D6`, which every reader reports reliably. Afterwards SEC_MSG_ACT is set,
/// and a code confirms each write.
struct UltralightAESTag: Sendable {
    /// What the tag shows without a key.
    struct State: Sendable {
        /// 7 bytes.
        let uid: [UInt8]
        let settings: UltralightSettings
    }

    private let channel: any CardChannel
    private let frames: UltralightFrames

    /// A tag behind a channel.
    ///
    /// - Throws: ``SetUpError`` if the reader does not pass on the commands of the tag.
    init(_ channel: any CardChannel, _ reader: ReaderProfile) throws(SetUpError) {
        guard let frames = UltralightFrames(reader, channel) else {
            throw SetUpError(
                .unsuitable,
                "this reader (\(reader.name)) does not pass on the commands of a MIFARE Ultralight AES; use another")
        }
        (self.channel, self.frames) = (channel, frames)
    }

    // MARK: Without a key

    /// Asks the tag what it is.
    ///
    /// - Throws: ``SetUpError`` for a tag of another product, or one that hides its settings or its UID; ``UltralightFailure``.
    func state() async throws -> State {
        let answers: (header: [UInt8], settings: [UInt8])?
        do throws(UltralightFailure) {
            answers = try await frames.visit { () async throws(UltralightFailure) in
                guard Type2Version(try await frames.send([0x60], .version))?.product == .ultralightAES else {
                    return nil
                }
                let header = try await frames.send([0x30, 0x00], .command)
                return (header, try await frames.send(Self.reading(from: UltralightSettings.firstPage), .settings))
            }
        } catch {
            switch error {
            case .refused(.version): throw SetUpError(.wrongTag, "the tag is not a MIFARE Ultralight AES")
            case .refused(.settings):
                throw SetUpError(.foreign, "the tag hides its settings with a key: it is of someone else")
            default: throw error
            }
        }
        guard let answers else { throw SetUpError(.wrongTag, "the tag is not a MIFARE Ultralight AES") }
        guard answers.header.count == 16, answers.settings.count == 20,
            let settings = UltralightSettings(answers.settings)
        else { throw UltralightFailure.refused(.settings) }
        return State(uid: try Self.uid(answers.header), settings: settings)
    }

    private static func uid(_ header: [UInt8]) throws(SetUpError) -> [UInt8] {
        guard header[0] != 0, 0x88 ^ header[0] ^ header[1] ^ header[2] == header[3] else {
            throw SetUpError(.unsuitable, "the tag hides its UID, from which its keys follow")
        }
        return Array(header[..<3] + header[4..<8])
    }

    /// FAST_READ up to LOCK_KEYS.
    private static func reading(from page: UInt8) -> [UInt8] { [0x3A, page, UltralightSettings.lockPage] }

    /// Writes a page that no key protects.
    func write(_ bytes: [UInt8], page: UInt8) async throws(UltralightFailure) {
        var command = [0xFF, 0xD6, 0x00, page, UInt8(bytes.count)] + bytes
        defer { command.wipe() }
        let answer: [UInt8]
        do throws(CardChannelError) { answer = try await channel.transmit(command) } catch {
            throw .lost(TagError(error.code, "a page was not written"))
        }
        guard answer == [0x90, 0x00] else { throw .refused(.command) }
    }

    /// Writes a key, whose last byte comes first: 0 DataProtKey, 1 UIDRetrKey. Until its last page, the tag has a part of each key.
    func write(_ key: SecretBytes, number: UInt8) async throws(UltralightFailure) {
        for page in 0..<4 {
            var bytes = (0..<4).map { key[15 - 4 * page - $0] ?? 0 }
            defer { bytes.wipe() }
            try await write(bytes, page: 0x30 + 4 * number + UInt8(page))
        }
    }

    /// Whether the tag has keys, in one attempt with each, while no key protects it.
    ///
    /// - Parameter keys: by their numbers.
    func prove(_ keys: [SecretBytes]) async throws(UltralightFailure) {
        try await frames.visit { () async throws(UltralightFailure) in
            for (number, key) in keys.enumerated() {
                _ = try await frames.authenticate(try Self.attempt(key, number: UInt8(number)))
            }
        }
    }

    private static func attempt(
        _ key: SecretBytes, number: UInt8 = 0
    ) throws(UltralightFailure) -> UltralightAuthentication {
        do throws(SecureTagError) {
            return try UltralightAuthentication(.ultralightAES, key: key, keyNumber: number)
        } catch {
            throw .session(error)
        }
    }

    // MARK: With DataProtKey

    /// Writes a page of a protected tag.
    ///
    /// - Parameter beforeChange: called once the tag has proven its key.
    func write(
        _ bytes: [UInt8], page: UInt8, with key: SecretBytes, beforeChange: () -> Void
    ) async throws(UltralightFailure) {
        try await frames.visit { () async throws(UltralightFailure) in
            guard var session = try await frames.authenticate(try Self.attempt(key)) else {
                throw .session(.noSession)
            }
            beforeChange()
            let answer = try await frames.send([0xA2, page] + bytes, in: &session, .command)
            guard answer.isEmpty else { throw .refused(.command) }
        }
    }

    /// What a protected tag shows with codes.
    func state(with key: SecretBytes) async throws(UltralightFailure) -> State {
        let pages = try await frames.visit { () async throws(UltralightFailure) in
            guard var session = try await frames.authenticate(try Self.attempt(key)) else {
                throw .session(.noSession)
            }
            return try await frames.send(Self.reading(from: 0), in: &session, .command)
        }
        guard pages.count == 4 * Int(UltralightSettings.lockPage + 1),
            let settings = UltralightSettings(pages.dropFirst(4 * Int(UltralightSettings.firstPage)))
        else { throw .session(.wrongLength(pages.count)) }
        return State(uid: Array(pages[..<3] + pages[4..<8]), settings: settings)
    }
}
