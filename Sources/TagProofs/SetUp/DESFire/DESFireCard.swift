import Cryptography
import NFCTags
import SecureTags

/// The commands that set up a DESFire EV1 to EV3, at the level of the card and in an application.
///
/// Without a session they are sent in plain; a selection ends the session.
struct DESFireCard: Sendable {
    /// How a key is proven.
    enum Method: Sendable {
        /// AuthenticateISO with the key of a card as delivered: DES, all zeros.
        case factory
        /// AuthenticateAES.
        case ev1
        /// AuthenticateEV2First.
        case ev2
    }

    /// The number of the level of the card.
    static let level: [UInt8] = [0x00, 0x00, 0x00]

    private let card: SecureCard
    private var session: (any SecureMessaging)?

    /// A card behind a channel.
    init(_ channel: any CardChannel) { card = SecureCard(channel, .native) }

    // MARK: Without a key

    /// Selects an application, or the level of the card: 3 bytes, the lowest first.
    mutating func select(_ application: [UInt8]) async throws(CardFailure) -> DESFireStatus {
        session = nil
        return try await card.send(0x5A, application).status
    }

    /// The answer to a command without a session; nil if the card shows it only to the holder of a key.
    func ask(_ instruction: UInt8, _ data: [UInt8] = []) async throws(CardFailure) -> [UInt8]? {
        let answer = try await card.send(instruction, data)
        switch answer.status {
        case .operationOK: return answer.data
        case .authenticationError, .permissionDenied: return nil
        default: throw .refused(answer.status, by: .command(instruction))
        }
    }

    /// The answer to a command of which later cards have more, with its status.
    func send(_ instruction: UInt8, _ data: [UInt8] = []) async throws(CardFailure) -> DESFireResponse {
        try await card.send(instruction, data)
    }

    /// The version of a key; nil if the card does not show it.
    func keyVersion(_ number: UInt8) async throws(CardFailure) -> UInt8? {
        guard let answer = try await ask(0x64, [number]) else { return nil }
        guard answer.count == 1 else {
            throw .wrong("the version of key \(number) is not one byte")
        }
        return answer[0]
    }

    // MARK: With a key

    /// Proves a key of the selected level, once.
    mutating func authenticate(
        _ key: SecretBytes, number: UInt8, _ method: Method
    ) async throws(CardFailure) {
        session = nil
        switch method {
        case .factory:
            session = try await card.authenticate(
                attempt { () throws(SecureTagError) in try EV1Authentication(.tripleDES, key: key, keyNumber: number) })
        case .ev1:
            session = try await card.authenticate(
                attempt { () throws(SecureTagError) in try EV1Authentication(.aes, key: key, keyNumber: number) })
        case .ev2:
            session = try await card.authenticate(
                attempt { () throws(SecureTagError) in try EV2Authentication(key: key, keyNumber: number) })
        }
    }

    private func attempt<Attempt>(_ make: () throws(SecureTagError) -> Attempt) throws(CardFailure) -> Attempt {
        do throws(SecureTagError) { return try make() } catch { throw .session(error) }
    }

    /// The UID, and the versions of the first keys of the level, with codes.
    mutating func provenState(keys count: UInt8) async throws(CardFailure) -> (uid: [UInt8], versions: [UInt8]) {
        let uid = try await run(SecureCommand(0x51, mode: .full, answerLength: 7))
        var versions: [UInt8] = []
        for number in 0..<count {
            versions += try await run(SecureCommand(0x64, header: [number], mode: .mac, answerLength: 1))
        }
        return (uid, versions)
    }

    /// Runs a command that has parameters only, in the session if there is one.
    mutating func perform(_ instruction: UInt8, _ parameters: [UInt8]) async throws(CardFailure) {
        guard session == nil else {
            _ = try await run(SecureCommand(instruction, header: parameters, mode: .mac))
            return
        }
        let answer = try await card.send(instruction, parameters)
        guard answer.status == .operationOK else { throw .refused(answer.status, by: .command(instruction)) }
    }

    /// Deletes the selected application with its own master key: the session ends, and whether the answer has a code is not specified.
    mutating func deleteSelected(_ application: [UInt8]) async throws(CardFailure) {
        _ = try await run(SecureCommand(0xDA, header: application, mode: .mac, answerMode: nil))
        session = nil
    }

    /// Reads the first bytes of a file in full mode.
    mutating func read(_ file: UInt8, count: Int) async throws(CardFailure) -> [UInt8] {
        try await run(SecureCommand(0xBD, header: Self.place(file, count), mode: .full, answerLength: count))
    }

    /// Writes the first bytes of a file in full mode.
    mutating func write(_ file: UInt8, _ data: [UInt8]) async throws(CardFailure) {
        _ = try await run(SecureCommand(0x3D, header: Self.place(file, data.count), data: data, mode: .full))
    }

    private static func place(_ file: UInt8, _ count: Int) -> [UInt8] {
        [file, 0x00, 0x00, 0x00] + [UInt8](littleEndian: count, count: 3)
    }

    /// Changes a key. The session ends with a new value of the key that opened it, whose answer has no code.
    mutating func change(_ key: KeyChange) async throws(CardFailure) {
        try await card.change(key, inOpen: &session)
    }

    private mutating func run(_ command: SecureCommand) async throws(CardFailure) -> [UInt8] {
        try await card.run(command, inOpen: &session)
    }
}
