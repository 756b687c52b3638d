/// An NTAG 424 DNA: an NFC Forum Type 4 tag with three files and five AES keys, AuthenticateEV2First and EV2NonFirst, and secure
/// messaging (NT4H2421Gx data sheet; AN12196).
///
/// What is not modelled is refused: LRP, Secure Dynamic Messaging, SetConfiguration, and the originality signature. Where the
/// data sheet does not say what becomes of an authentication, the model does what DESFire cards do: every error ends it.
public struct VirtualNTAG424Card: ContactlessCard {
    /// The bytes of the three files together.
    public static let memorySize = 416
    /// The largest message, in bytes.
    public static let messageCapacity = NTAG424Files.messageFileSize - 2
    /// The name its maker gives it.
    static let productName = "NTAG 424 DNA"

    /// Seven bytes.
    public let identifier: [UInt8]
    /// 80, as DESFire cards have it.
    public var historicalBytes: [UInt8] { [0x80] }

    private var files: CardFileSystem
    private var keys: NTAG424Keys
    private var session: NTAG424Session?
    private var pending: Pending?
    private var isActive = false
    private let random: @Sendable (_ count: Int) -> [UInt8]

    /// What the card expects after it answered `91 AF`.
    private enum Pending: Sendable {
        case handshake(NTAG424Handshake)
        case version(sent: [UInt8], rest: [[UInt8]])
    }

    /// A card with a message.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for made-up ones.
    ///   - ndefMessage: a raw NDEF message; nil and empty both mean no message.
    ///   - keys: keys 0 to 4 of 16 bytes each, as far as they are not zero, as delivered.
    ///   - isWritable: whether the message may be written without a key.
    /// - Throws: ``VirtualTagError`` for an identifier, a key or a message that the card cannot have.
    public init(
        identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil, keys: [UInt8: [UInt8]] = [:], isWritable: Bool = true
    ) throws(VirtualTagError) {
        try self.init(identifier: identifier, ndefMessage: ndefMessage, keys: keys, isWritable: isWritable) { count in
            (0..<count).map { _ in UInt8.random(in: 0...255) }
        }
    }

    /// A card with the content of these files; where it has others, they are as delivered. Its keys are zero.
    ///
    /// The capability container, E103, defines whether the message may be written without a key.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length.
    public init(identifier: [UInt8], files contents: [UInt16: [UInt8]]) throws(VirtualTagError) {
        let access = contents[Type4Content.containerIdentifier]?.dropFirst(14).first
        try self.init(identifier: identifier, isWritable: access != 0xFF)
        files.replaceContents(contents)
    }

    /// A card whose random numbers, RndB and TI, are those of a function.
    init(
        identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil, keys: [UInt8: [UInt8]] = [:], isWritable: Bool = true,
        random: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) throws(VirtualTagError) {
        self.identifier = try Type4Content.identifier(identifier, default: [0x04, 0x44, 0x45, 0x30, 0x11, 0x5A, 0x80])
        self.keys = try NTAG424Keys(keys)
        self.random = random
        files = CardFileSystem(
            applications: [try NTAG424Files.application(ndefMessage ?? [], isWritable: isWritable)],
            rules: CardFileSystem.Rules(
                readSize: 256, writeSize: 255, reportsEnd: false, withoutFile: VirtualStatusWord.conditions))
    }

    /// The content of the files by their identifiers.
    var contents: [UInt16: [UInt8]] { files.contents }

    /// The current NDEF file.
    public var messageFile: [UInt8] { files.contents[Type4Content.messageIdentifier] ?? [] }

    /// Selects the tag; nothing is selected on it, and no key is proven.
    public mutating func activate() {
        forget()
        isActive = true
    }

    /// Turns the field off.
    public mutating func fieldDropped() {
        forget()
        isActive = false
    }

    private mutating func forget() {
        files.reset()
        forgetAuthentication()
    }

    /// Answers one command.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isActive else { return .silence }
        guard let command = VirtualCardCommand(command) else { return .data(VirtualStatusWord.wrongLength) }
        guard command.instructionClass == 0x90 else { return .data(performStandard(command)) }
        do throws(NativeStatus) {
            guard command.expectedLength != nil else { throw .wrongLength }
            guard command.parameter == 0 else { throw .wrongParameter }
            return .data(try perform(command.instructionCode, command.data))
        } catch {
            forgetAuthentication()
            return .data(error.answer)
        }
    }
}

// MARK: Commands of ISO/IEC 7816-4 (§10.9)

extension VirtualNTAG424Card {
    /// The name that selects the level above the application.
    private static let cardLevel: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00]

    private mutating func performStandard(_ command: VirtualCardCommand) -> [UInt8] {
        guard pending == nil else {
            forgetAuthentication()
            return VirtualStatusWord.conditions
        }
        guard command.instructionClass == 0x00 else { return files.perform(command) }
        switch command.instructionCode {
        case 0xA4 where selectsCardLevel(command):
            forgetAuthentication()
            files.enter(nil)
            return VirtualStatusWord.done
        // These commands are for free files, without an authentication.
        case 0xB0 where session != nil, 0xD6 where session != nil: return VirtualStatusWord.securityStatus
        default: return files.perform(command)
        }
    }

    private func selectsCardLevel(_ command: VirtualCardCommand) -> Bool {
        switch command.p1 {
        case 0x00: command.data.isEmpty || command.data == [0x3F, 0x00]
        case 0x03: command.data.isEmpty
        case 0x04: command.data == Self.cardLevel
        default: false
        }
    }

    private mutating func forgetAuthentication() {
        session = nil
        pending = nil
    }
}

// MARK: Native commands (§10.4 to §10.8)

extension VirtualNTAG424Card {
    private mutating func perform(_ instruction: UInt8, _ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        if let unfinished = pending {
            pending = nil
            guard instruction == NativeStatus.additionalFrame.rawValue else { throw .commandAborted }
            return try proceed(unfinished, data)
        }
        switch instruction {
        case 0x71: return try authenticateFirst(data)
        case 0x77: return try authenticateNonFirst(data)
        case 0x60: return try version(data)
        case 0x64: return try keyVersion(data)
        case 0xC4: return try changeKey(data)
        case 0x51: return try cardIdentifier(data)
        case 0xF5: return try fileSettings(data)
        case 0x5F: return try changeFileSettings(data)
        case 0xAD: return try readData(data)
        case 0x8D: return try writeData(data)
        case 0xF6:
            // Counters exist with Secure Dynamic Messaging only.
            _ = try file(data.first)
            throw .permissionDenied
        case 0x5C: throw session?.key == 0 ? .permissionDenied : .authenticationError
        default: throw .illegalCommand
        }
    }

    private mutating func proceed(_ unfinished: Pending, _ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        switch unfinished {
        case .handshake(let handshake):
            let (session, answer) = try handshake.finished(data, transaction: random(4))
            self.session = session
            return answer + NativeStatus.done.answer
        case .version(let sent, let rest):
            guard data.isEmpty, let next = rest.first else { throw .wrongLength }
            return sendVersion(next, after: sent, rest: Array(rest.dropFirst()))
        }
    }

    /// Checks and decrypts a command's data. Without an authentication everything is plain.
    private func opened(
        _ instruction: UInt8, _ data: [UInt8], headerSize: Int, _ mode: NTAG424Session.Mode
    ) throws(NativeStatus) -> (header: [UInt8], data: [UInt8]) {
        if let session { return try session.opened(instruction, data, headerSize: headerSize, mode) }
        guard data.count >= headerSize else { throw .wrongLength }
        return (Array(data.prefix(headerSize)), Array(data.dropFirst(headerSize)))
    }

    /// The answer to a command that was carried out. A response has at most 256 bytes.
    private mutating func sealed(_ data: [UInt8], _ mode: NTAG424Session.Mode) throws(NativeStatus) -> [UInt8] {
        guard session == nil || NTAG424Session.sealedSize(data.count, mode) <= 256 else { throw .wrongLength }
        return (session?.sealed(data, mode) ?? data) + NativeStatus.done.answer
    }
}

// MARK: Authentication (§10.4)

extension VirtualNTAG424Card {
    private mutating func authenticateFirst(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard data.count >= 2, data.count == 2 + Int(data[1]), data[1] <= 6 else { throw .wrongLength }
        // Bit 1 of PCDcap2.1 asks for LRP.
        guard data.count < 3 || data[2] & 0x02 == 0 else { throw .permissionDenied }
        return try challenge(data[0], continued: nil)
    }

    private mutating func authenticateNonFirst(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard data.count == 1 else { throw .wrongLength }
        guard let session else { throw .permissionDenied }
        return try challenge(data[0], continued: session)
    }

    private mutating func challenge(_ key: UInt8, continued: NTAG424Session?) throws(NativeStatus) -> [UInt8] {
        let handshake = NTAG424Handshake(
            key: key, value: try keyValue(key), continued: continued, randomB: random(AES128.blockSize))
        session = nil
        pending = .handshake(handshake)
        return handshake.challenge + NativeStatus.additionalFrame.answer
    }

    /// The keys are those of the application; the level above it has none.
    private func keyValue(_ number: UInt8) throws(NativeStatus) -> [UInt8] {
        guard files.currentApplication != nil, let value = keys[number] else { throw .noSuchKey }
        return value
    }

    private mutating func keyVersion(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (header, rest) = try opened(0x64, data, headerSize: 1, .authenticated)
        guard rest.isEmpty else { throw .wrongLength }
        _ = try keyValue(header[0])
        return try sealed([keys.version(of: header[0])], .authenticated)
    }

    /// With key 0. A new key 0 ends the authentication, and its response has no MAC (AN12196, §5.16.2).
    private mutating func changeKey(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard session?.key == 0 else { throw .authenticationError }
        let (header, content) = try opened(0xC4, data, headerSize: 1, .full)
        _ = try keyValue(header[0])
        try keys.change(header[0], content)
        guard header[0] == 0 else { return try sealed([], .full) }
        session = nil
        return NativeStatus.done.answer
    }
}

// MARK: The chip (§10.5)

extension VirtualNTAG424Card {
    /// Hardware, software, and the identifier with made-up production data: batch, week and year.
    private static let hardware: [UInt8] = [0x04, 0x04, 0x02, 0x30, 0x00, 0x11, 0x05]
    private static let software: [UInt8] = [0x04, 0x04, 0x02, 0x01, 0x02, 0x11, 0x05]
    private static let production: [UInt8] = [0xBA, 0x5E, 0xBA, 0x11, 0x00, 0x26, 0x24]

    private mutating func version(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, rest) = try opened(0x60, data, headerSize: 0, .authenticated)
        guard rest.isEmpty else { throw .wrongLength }
        return sendVersion(Self.hardware, after: [], rest: [Self.software, identifier + Self.production])
    }

    /// The MAC in the last frame is that of all of them.
    private mutating func sendVersion(_ frame: [UInt8], after sent: [UInt8], rest: [[UInt8]]) -> [UInt8] {
        guard rest.isEmpty else {
            pending = .version(sent: sent + frame, rest: rest)
            return frame + NativeStatus.additionalFrame.answer
        }
        let whole = session?.sealed(sent + frame, .authenticated) ?? sent + frame
        return Array(whole.dropFirst(sent.count)) + NativeStatus.done.answer
    }

    private mutating func cardIdentifier(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard session != nil else { throw .authenticationError }
        guard try opened(0x51, data, headerSize: 0, .full).data.isEmpty else { throw .wrongLength }
        return try sealed(identifier, .full)
    }
}

// MARK: Files (§10.7 and §10.8)

extension VirtualNTAG424Card {
    private func file(_ number: UInt8?) throws(NativeStatus) -> (index: Int, file: CardFile) {
        guard let number else { throw .wrongLength }
        guard let current = files.currentApplication else { throw .permissionDenied }
        let list = files.applications[current].files
        guard let index = list.firstIndex(where: { $0.number == number }) else { throw .fileNotFound }
        return (index, list[index])
    }

    /// How an access is protected: as the file says where the key that was proven permits it, in plain where it is free.
    private func mode(_ rights: [UInt8], of file: CardFile) throws(NativeStatus) -> NTAG424Session.Mode {
        if let session, rights.contains(session.key) { return .init(fileOption: file.communication) }
        if rights.contains(0xE) { return .plain }
        throw rights.allSatisfy { $0 == 0xF } ? .permissionDenied : .authenticationError
    }

    private mutating func fileSettings(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, file) = try file(data.first)
        guard try opened(0xF5, data, headerSize: 1, .authenticated).data.isEmpty else { throw .wrongLength }
        let size = Type4Content.bigEndian(file.bytes.count, count: 3).reversed()
        return try sealed([0x00, file.communication] + file.accessRights + size, .authenticated)
    }

    /// In plain where the right to change is free, otherwise enciphered.
    private mutating func changeFileSettings(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (index, file) = try file(data.first)
        _ = try mode([file.changeRight], of: file)
        let mode = file.changeRight == 0xE ? NTAG424Session.Mode.plain : .full
        let (_, content) = try opened(0x5F, data, headerSize: 1, mode)
        guard content.count >= 3 else { throw .wrongLength }
        guard content[0] & 0x40 == 0 else { throw .permissionDenied }
        guard content.count == 3 else { throw .wrongLength }
        let rights = Array(content[1...2])
        let conditions = rights.flatMap { [$0 >> 4, $0 & 0x0F] }
        guard content[0] & 0xFC == 0, conditions.allSatisfy({ $0 <= 4 || $0 >= 0xE }) else { throw .wrongParameter }
        files.applications[0].files[index].communication = content[0]
        files.applications[0].files[index].accessRights = rights
        return try sealed([], mode)
    }

    /// File number, offset, length; a length of 0 means to the end.
    private mutating func readData(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, file) = try file(data.first)
        let mode = try mode(file.readRights, of: file)
        let (header, rest) = try opened(0xAD, data, headerSize: 7, mode)
        guard rest.isEmpty else { throw .wrongLength }
        let (offset, length) = Self.range(header)
        let end = length == 0 ? file.bytes.count : offset + length
        guard offset < file.bytes.count, end <= file.bytes.count else { throw .boundary }
        return try sealed(Array(file.bytes[offset..<end]), mode)
    }

    /// File number, offset, length, data.
    private mutating func writeData(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (index, file) = try file(data.first)
        let mode = try mode(file.writeRights, of: file)
        let (header, content) = try opened(0x8D, data, headerSize: 7, mode)
        let (offset, length) = Self.range(header)
        guard length > 0, content.count == length else { throw .wrongLength }
        guard offset + length <= file.bytes.count else { throw .boundary }
        files.applications[0].files[index].bytes.overwrite(at: offset, with: content)
        return try sealed([], mode)
    }

    /// Offset and length, least significant byte first.
    private static func range(_ header: [UInt8]) -> (offset: Int, length: Int) {
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
        return (number(header[1..<4]), number(header[4..<7]))
    }
}
