import Cryptography
import NFCTags
import SecureTags

/// The commands that set up an NTAG 424 DNA (NT4H2421Gx, §10), in its application.
struct NTAG424Card: Sendable {
    /// The most data bytes of one write: the command fits one frame, which the tag stores whole or not at all (§8.5).
    static let writeSize = 100
    /// The most data bytes of one encrypted write for the same to hold.
    private static let encryptedWriteSize = 64
    private static let readSize = 128

    private let channel: any CardChannel
    private let card: SecureCard
    /// Whether a tag in LRP mode is authenticated.
    let allowsLRP: Bool
    private var session: (any SecureMessaging)?

    /// A card behind a channel.
    init(_ channel: any CardChannel, allowsLRP: Bool) {
        self.channel = channel
        self.allowsLRP = allowsLRP
        card = SecureCard(channel, .single)
    }

    /// Whether a session is on.
    var isAuthenticated: Bool { session != nil }
    /// Whether the tag of the session is in LRP mode.
    var isLRP: Bool { (session as? AESOrLRPSession)?.isLRP ?? false }

    // MARK: Without a key

    /// Selects the application; a session ends.
    mutating func select() async throws(CardFailure) {
        session = nil
        _ = try await standard([0x00, 0xA4, 0x04, 0x0C, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01])
    }

    /// The answer of GetVersion, its frames joined.
    func version() async throws(CardFailure) -> [UInt8] {
        var answer = try await card.send(0x60)
        var bytes = answer.data
        for _ in 0..<2 where answer.status == .additionalFrame {
            answer = try await card.send(DESFireStatus.additionalFrame.rawValue)
            bytes += answer.data
        }
        guard answer.status == .operationOK else { throw .refused(answer.status, by: .command(0x60)) }
        return bytes
    }

    /// The signature of the maker; empty if the tag does not give one.
    func signature() async throws(CardFailure) -> [UInt8] {
        let answer = try await card.send(0x3C, [0x00])
        return answer.status.rawValue == 0x90 ? answer.data : []
    }

    /// The answer of GetFileSettings.
    func settings(of file: UInt8) async throws(CardFailure) -> [UInt8] { try await plain(0xF5, [file]) }

    /// The version of a key.
    func keyVersion(_ number: UInt8) async throws(CardFailure) -> UInt8 {
        try await plain(0x64, [number]).first ?? 0xFF
    }

    /// Reads the beginning of a file that everyone may read.
    func read(_ file: UInt8, count: Int) async throws(CardFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = Self.place(file, bytes.count, min(Self.readSize, count - bytes.count))
            let answer = try await plain(0xAD, part)
            guard !answer.isEmpty else { throw .wrong("the tag read nothing") }
            bytes += answer
        }
        return bytes
    }

    private func plain(_ instruction: UInt8, _ data: [UInt8]) async throws(CardFailure) -> [UInt8] {
        let answer = try await card.send(instruction, data)
        guard answer.status == .operationOK else { throw .refused(answer.status, by: .command(instruction)) }
        return answer.data
    }

    private static func place(_ file: UInt8, _ offset: Int, _ count: Int) -> [UInt8] {
        [file] + [UInt8](littleEndian: offset, count: 3) + [UInt8](littleEndian: count, count: 3)
    }

    // MARK: As a phone

    /// The message file as a phone reads it, up to a number of bytes: this counts as a tap.
    func readAsPhone(count: Int) async throws(CardFailure) -> [UInt8] {
        _ = try await standard([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04])
        var bytes: [UInt8] = []
        while bytes.count < count {
            let length = min(Self.readSize, count - bytes.count)
            bytes += try await standard([0x00, 0xB0, 0x00, UInt8(bytes.count & 0xFF), UInt8(length)])
        }
        return bytes
    }

    private func standard(_ command: [UInt8]) async throws(CardFailure) -> [UInt8] {
        let answer: [UInt8]
        do throws(CardChannelError) { answer = try await channel.transmit(command) } catch {
            throw .lost(TagError(.tagConnectionLost, "\(error)"))
        }
        guard answer.suffix(2) == [0x90, 0x00], answer.count > 2 || command[1] != 0xB0 else {
            throw .wrong("the tag refused to select or to read")
        }
        return Array(answer.dropLast(2))
    }

    // MARK: With key 0

    /// Authenticates with another key than key 0, once, and with nothing else: the session ends.
    mutating func prove(_ key: SecretBytes, number: UInt8) async throws(CardFailure) {
        try await authenticate(key, number: number)
        session = nil
    }

    /// Authenticates with key 0, once.
    mutating func authenticate(_ key: SecretBytes) async throws(CardFailure) {
        try await authenticate(key, number: 0)
    }

    private mutating func authenticate(_ key: SecretBytes, number: UInt8) async throws(CardFailure) {
        session = nil
        let attempt: AESOrLRPAuthentication
        do throws(SecureTagError) {
            attempt = try AESOrLRPAuthentication(key: key, keyNumber: number, allowsLRP: allowsLRP)
        } catch {
            throw .session(error)
        }
        session = try await card.authenticate(attempt)
    }

    /// The UID, and the versions of all keys, with codes.
    mutating func provenState() async throws(CardFailure) -> (uid: [UInt8], versions: [UInt8]) {
        let uid = try await run(SecureCommand(0x51, mode: .full, answerLength: 7))
        var versions: [UInt8] = []
        for number in 0..<NTAG424SetUp.keyCount {
            versions += try await run(SecureCommand(0x64, header: [number], mode: .mac, answerLength: 1))
        }
        return (uid, versions)
    }

    /// Writes a part of a file whose bytes are not protected in a session.
    mutating func write(_ file: UInt8, _ data: [UInt8], at start: Int = 0) async throws(CardFailure) {
        try await write(file, data, at: start, by: Self.writeSize, .plain)
    }

    /// Writes the beginning of a file whose bytes are encrypted in a session.
    mutating func writeEncrypted(_ file: UInt8, _ data: [UInt8]) async throws(CardFailure) {
        try await write(file, data, at: 0, by: Self.encryptedWriteSize, .full)
    }

    private mutating func write(
        _ file: UInt8, _ data: [UInt8], at start: Int, by size: Int, _ mode: CommunicationMode
    ) async throws(CardFailure) {
        for offset in stride(from: 0, to: data.count, by: size) {
            let part = Array(data[offset..<min(offset + size, data.count)])
            let place = Self.place(file, start + offset, part.count)
            _ = try await run(SecureCommand(0x8D, header: place, data: part, mode: mode))
        }
    }

    /// Changes the settings of a file.
    mutating func change(_ file: UInt8, _ settings: [UInt8]) async throws(CardFailure) {
        _ = try await run(SecureCommand(0x5F, header: [file], data: settings, mode: .full))
    }

    /// Sets an option of the chip.
    mutating func configure(_ option: UInt8, _ data: [UInt8]) async throws(CardFailure) {
        _ = try await run(SecureCommand(0x5C, header: [option], data: data, mode: .full))
    }

    /// Switches the tag to LRP (§9.2). The session ends; the answer has no code.
    mutating func switchToLRP() async throws(CardFailure) {
        _ = try await run(
            SecureCommand(
                0x5C, header: [0x05], secret: SecretBytes([0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]), mode: .full,
                answerMode: nil))
        session = nil
    }

    /// Changes a key. The session ends with a new key 0, whose answer has no code.
    mutating func change(_ key: KeyChange) async throws(CardFailure) {
        try await card.change(key, inOpen: &session)
    }

    private mutating func run(_ command: SecureCommand) async throws(CardFailure) -> [UInt8] {
        try await card.run(command, inOpen: &session)
    }
}
