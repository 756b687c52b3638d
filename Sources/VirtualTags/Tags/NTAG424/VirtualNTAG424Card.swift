/// An NTAG 424 DNA or NTAG 424 DNA TagTamper: an NFC Forum Type 4 tag with three files and five AES keys, authentication and secure
/// messaging with AES or LRP, and Secure Dynamic Messaging (NT4H2421Gx and NT4H2421Tx data sheets; AN12196).
///
/// Keys, versions, counters and files survive the loss of power, as the value keeps them. Where the data sheet does not say what becomes
/// of an authentication, the model does what DESFire cards do: every error ends it.
public struct VirtualNTAG424Card: ContactlessCard {
    /// The bytes of the three files together.
    public static let memorySize = 416
    /// The largest message, in bytes.
    public static let messageCapacity = NTAG424Files.messageFileSize - 2
    /// The public key of the originality signatures of virtual tags, 57 bytes: 04, x, y on secp224r1. It is one for tests.
    public static let originalityPublicKey = NTAG424Originality.publicKey
    /// The name its maker gives it.
    static let productName = "NTAG 424 DNA"
    /// The name of the one with a tamper loop.
    static let tagTamperName = "NTAG 424 DNA TagTamper"

    /// Seven bytes; with a random identifier 08 and three bytes, others at each activation.
    public private(set) var identifier: [UInt8]
    /// 80, as DESFire cards have it.
    public var historicalBytes: [UInt8] { [0x80] }

    private var chip: NTAG424Chip
    private var pending: Pending?
    private var isActive = false
    /// Whether no command came since the activation.
    private var isFresh = false
    private let subtype: UInt8

    /// What the card expects after it answered `91 AF`.
    private enum Pending: Sendable {
        case handshake(NTAG424Handshake)
        case originality(NTAG424Handshake)
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
        var setup = VirtualNTAG424Setup()
        setup.identifier = identifier
        setup.keys = keys.mapValues { .init($0) }
        try self.init(setup, ndefMessage: ndefMessage, isWritable: isWritable)
    }

    /// A card that is personalised.
    ///
    /// - Parameters:
    ///   - setup: keys, contents, settings and options.
    ///   - ndefMessage: a raw NDEF message; contents of the setup take precedence over it.
    ///   - isWritable: whether the message may be written without a key; settings of the setup take precedence over it.
    /// - Throws: ``VirtualTagError`` for what the card cannot have.
    public init(
        _ setup: VirtualNTAG424Setup, ndefMessage: [UInt8]? = nil, isWritable: Bool = true
    ) throws(VirtualTagError) {
        chip = try setup.chip(ndefMessage ?? [], isWritable: isWritable)
        subtype = setup.subtype & 0x0F
        identifier = chip.store.identifier
        showIdentifier()
    }

    /// A card with the content of these files; where it has others, they are as delivered. Its keys are zero.
    ///
    /// The capability container, E103, defines whether the message may be written without a key.
    ///
    /// - Parameter tamperLoop: the wire of a TagTamper; nil for a chip without it.
    /// - Throws: ``VirtualTagError`` for an identifier of another length.
    public init(
        identifier: [UInt8], files contents: [UInt16: [UInt8]], tamperLoop: VirtualTamperLoop? = nil
    ) throws(VirtualTagError) {
        let access = contents[Type4Content.containerIdentifier]?.dropFirst(14).first
        var setup = tamperLoop.map { VirtualNTAG424Setup(tamperLoop: $0) } ?? VirtualNTAG424Setup()
        setup.identifier = identifier
        try self.init(setup, isWritable: access != 0xFF)
        chip.replaceContents(contents)
    }

    /// Selects the tag; nothing is selected on it, and no key is proven.
    public mutating func activate() {
        pending = nil
        chip.activate()
        isActive = true
        isFresh = true
        showIdentifier()
    }

    /// Turns the field off.
    public mutating func fieldDropped() {
        pending = nil
        chip.fieldDropped()
        isActive = false
    }

    private mutating func showIdentifier() {
        guard chip.store.configuration.isRandomIdentifier else { return }
        identifier = [0x08] + chip.random(3)
    }

    /// Answers one command.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isActive else { return .silence }
        beginCommand()
        // There are no extended lengths (§8.4).
        guard command.count <= 5 || command[4] != 0, let command = VirtualCardCommand(command) else {
            forgetAuthentication()
            return .data(VirtualStatusWord.wrongLength)
        }
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

    /// Receives the first frames of a command, then loses power. What a write in several frames brought with them is stored.
    public mutating func receive(_ command: [UInt8], frames: Int) {
        if frames * NTAG424Chip.frameSize >= command.count {
            _ = exchange(command)
        } else if isActive, frames > 0 {
            beginCommand()
            receiveBeginning(Array(command.prefix(frames * NTAG424Chip.frameSize)))
        }
        fieldDropped()
    }

    private mutating func receiveBeginning(_ command: [UInt8]) {
        guard pending == nil, command.count > 5 else { return }
        let data = Array(command.dropFirst(5))
        switch (command[0], command[1]) {
        case (0x90, 0x8D): chip.writeBeginning(data)
        case (0x00, 0xD6):
            let part = VirtualCardCommand(instructionCode: 0xD6, p1: command[2], p2: command[3], data: data)
            _ = chip.performStandard(part)
        default: break
        }
    }

    private mutating func beginCommand() {
        chip.beginCommand()
        if isFresh { chip.measureTamper() }
        isFresh = false
    }

    private mutating func forgetAuthentication() {
        chip.session = nil
        pending = nil
    }

    private mutating func performStandard(_ command: VirtualCardCommand) -> [UInt8] {
        guard pending == nil else {
            forgetAuthentication()
            return VirtualStatusWord.conditions
        }
        return chip.performStandard(command)
    }
}

// MARK: What a test can see

extension VirtualNTAG424Card {
    /// UID, seven bytes, also where the card shows a random identifier.
    public var uid: [UInt8] { chip.store.identifier }

    /// The current NDEF file.
    public var messageFile: [UInt8] { contents[Type4Content.messageIdentifier] ?? [] }

    /// The name its maker gives it.
    var productName: String { tamperLoop == nil ? Self.productName : Self.tagTamperName }

    /// The content of the files by their identifiers.
    package var contents: [UInt16: [UInt8]] { chip.files.contents }

    /// The versions of keys 0 to 4.
    public var keyVersions: [UInt8] { (0..<NTAG424Keys.count).map { chip.store.keys.version(of: UInt8($0)) } }

    /// Whether a key has this value of 16 bytes.
    public func hasKey(_ number: UInt8, _ value: [UInt8]) -> Bool { chip.store.keys[number] == value }

    /// The failed authentications with a key, less what successes took off (TotFailCtr).
    public func failures(of key: UInt8) -> Int { chip.store.failures(of: key).total }

    /// The failed authentications with a key since the last success, at most 255 (SeqFailCtr).
    public func consecutiveFailures(of key: UInt8) -> Int { chip.store.failures(of: key).consecutive }

    /// Whether so many authentications with a key failed that it is not taken any more.
    public func isLocked(_ key: UInt8) -> Bool {
        chip.store.failures(of: key).isLocked(chip.store.configuration.failures)
    }

    /// How often the EEPROM was written since the card was made: keys, settings, files, and every counter.
    public var eepromWrites: Int { chip.store.writes }

    /// SDMReadCtr, how often the message was read since Secure Dynamic Messaging was switched on.
    public var readCounter: UInt32 { chip.store.readCounter }

    /// Whether it authenticates with LRP.
    public var isLRP: Bool { chip.store.configuration.isLRP }

    /// Whether it shows a random identifier.
    public var hasRandomIdentifier: Bool { chip.store.configuration.isRandomIdentifier }

    /// The wire of a TagTamper.
    public var tamperLoop: VirtualTamperLoop? { chip.store.tamperLoop }
}

// MARK: Native commands (§10.4 to §10.10)

extension VirtualNTAG424Card {
    private mutating func perform(_ instruction: UInt8, _ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        if let unfinished = pending {
            pending = nil
            guard instruction == NativeStatus.additionalFrame.rawValue else { throw .commandAborted }
            return try proceed(unfinished, data)
        }
        switch instruction {
        case 0xF5: return try chip.fileSettings(data)
        case 0x5F: return try chip.changeFileSettings(data)
        case 0xF6: return try chip.fileCounters(data)
        case 0xAD: return try chip.readData(data)
        case 0x8D: return try chip.writeData(data)
        default: return try performOnChip(instruction, data)
        }
    }

    private mutating func performOnChip(_ instruction: UInt8, _ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        switch instruction {
        case 0x71: try authenticateFirst(data)
        case 0x77: try authenticateNonFirst(data)
        case 0x64: try keyVersion(data)
        case 0xC4: try changeKey(data)
        case 0x5C: try setConfiguration(data)
        case 0x60: try version(data)
        case 0x51: try cardIdentifier(data)
        case 0x3C: try readSignature(data)
        case 0xF7 where chip.store.tamperLoop != nil: try tamperStatus(data)
        case NativeStatus.additionalFrame.rawValue: throw .commandAborted
        default: throw .illegalCommand
        }
    }

    private mutating func proceed(_ unfinished: Pending, _ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        switch unfinished {
        case .handshake(let handshake): return try finish(handshake, data)
        case .originality(let handshake):
            // A proof of originality does not begin a session (§9.2.6).
            return try handshake.finished(data, transaction: chip.random(4)).answer + NativeStatus.done.answer
        case .version(let sent, let rest):
            guard data.isEmpty, let next = rest.first else { throw .wrongLength }
            return sendVersion(next, after: sent, rest: Array(rest.dropFirst()))
        }
    }
}

// MARK: Authentication (§10.4)

extension VirtualNTAG424Card {
    private mutating func authenticateFirst(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard data.count >= 2, data.count == 2 + Int(data[1]), data[1] <= 6 else { throw .wrongLength }
        let reader = Array(data.dropFirst(2))
        // Bit 1 of PCDcap2.1 asks for LRP. A chip with AES answers with AES all the same.
        let asksForLRP = reader.first.map { $0 & 0x02 != 0 } ?? false
        guard asksForLRP || !chip.store.configuration.isLRP else { throw .permissionDenied }
        return try challenge(data[0], continued: nil, reader: reader)
    }

    private mutating func authenticateNonFirst(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard data.count == 1 else { throw .wrongLength }
        guard let session = chip.session else {
            guard !chip.isInApplication, chip.store.configuration.isLRP else { throw .permissionDenied }
            let none = NTAG424Session(key: data[0], cipher: .lrp(master: []), transaction: [], counter: 0)
            return try challenge(data[0], continued: none)
        }
        return try challenge(data[0], continued: session)
    }

    private mutating func challenge(
        _ key: UInt8, continued: NTAG424Session?, reader: [UInt8] = []
    ) throws(NativeStatus) -> [UInt8] {
        let value = try keyValue(key)
        if chip.isInApplication { try chip.store.beginAuthentication(key) }
        let capabilities = NTAG424Handshake.Capabilities(
            card: chip.store.configuration.capabilities,
            reader: reader + [UInt8](repeating: 0, count: 6 - reader.count))
        let handshake = NTAG424Handshake(
            key: key, value: value, continued: continued, randomB: chip.random(AES128.blockSize),
            isLRP: chip.store.configuration.isLRP, capabilities: capabilities)
        chip.session = nil
        pending = chip.isInApplication ? .handshake(handshake) : .originality(handshake)
        return handshake.challenge + NativeStatus.additionalFrame.answer
    }

    /// The keys of the application, or those of originality above it, which are for LRP only.
    private func keyValue(_ number: UInt8) throws(NativeStatus) -> [UInt8] {
        let isOriginality = !chip.isInApplication && chip.store.configuration.isLRP
        let value =
            isOriginality ? NTAG424Originality.keys[number] : chip.isInApplication ? chip.store.keys[number] : nil
        guard let value else { throw .noSuchKey }
        return value
    }

    private mutating func finish(_ handshake: NTAG424Handshake, _ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        do throws(NativeStatus) {
            let (session, answer) = try handshake.finished(data, transaction: chip.random(4))
            chip.store.endAuthentication(handshake.key, isRight: true)
            chip.session = session
            return answer + NativeStatus.done.answer
        } catch {
            if error == .authenticationError { chip.store.endAuthentication(handshake.key, isRight: false) }
            throw error
        }
    }

    private mutating func keyVersion(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (header, rest) = try chip.opened(0x64, data, headerSize: 1, .authenticated)
        guard rest.isEmpty else { throw .wrongLength }
        guard chip.isInApplication, chip.store.keys[header[0]] != nil else { throw .noSuchKey }
        return try chip.sealed([chip.store.keys.version(of: header[0])], .authenticated)
    }

    /// With key 0. A new key 0 ends the authentication, and its response has no MAC (AN12196, §5.16.2).
    private mutating func changeKey(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard chip.session?.key == 0 else { throw .authenticationError }
        let (header, content) = try chip.opened(0xC4, data, headerSize: 1, .full)
        try chip.store.changeKey(header[0], content)
        guard header[0] == 0 else { return try chip.sealed([], .full) }
        chip.session = nil
        return NativeStatus.done.answer
    }
}

// MARK: The chip (§10.5, §10.10)

extension VirtualNTAG424Card {
    private static let software: [UInt8] = [0x04, 0x04, 0x02, 0x01, 0x02, 0x11, 0x05]
    /// Made up: batch, week and year.
    private static let production: [UInt8] = [0xBA, 0x5E, 0xBA, 0x11, 0x00, 0x26, 0x24]

    private var hardware: [UInt8] {
        let modulation: UInt8 = chip.store.configuration.isBackModulationStrong ? 0x00 : 0x80
        return [0x04, 0x04, modulation | subtype, 0x30, 0x00, 0x11, 0x05]
    }

    private mutating func version(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (_, rest) = try chip.opened(0x60, data, headerSize: 0, .authenticated)
        guard rest.isEmpty else { throw .wrongLength }
        let shown = hasRandomIdentifier ? [UInt8](repeating: 0, count: uid.count) : uid
        return sendVersion(hardware, after: [], rest: [Self.software, shown + Self.production])
    }

    /// The MAC in the last frame is that of all of them.
    private mutating func sendVersion(_ frame: [UInt8], after sent: [UInt8], rest: [[UInt8]]) -> [UInt8] {
        guard rest.isEmpty else {
            pending = .version(sent: sent + frame, rest: rest)
            return frame + NativeStatus.additionalFrame.answer
        }
        let whole = chip.session?.sealed(sent + frame, .authenticated) ?? sent + frame
        return Array(whole.dropFirst(sent.count)) + NativeStatus.done.answer
    }

    private mutating func cardIdentifier(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard chip.session != nil else { throw .authenticationError }
        guard try chip.opened(0x51, data, headerSize: 0, .full).data.isEmpty else { throw .wrongLength }
        return try chip.sealed(uid, .full)
    }

    /// Read_Sig. Its status is 9190, also in the MAC.
    private mutating func readSignature(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let (header, rest) = try chip.opened(0x3C, data, headerSize: 1, .full)
        guard rest.isEmpty else { throw .wrongLength }
        guard header[0] == 0x00 else { throw .wrongParameter }
        let signature = NTAG424Originality.signature(over: uid)
        let done = NativeStatus.signature
        return (chip.session?.sealed(signature, .full, status: done.rawValue) ?? signature) + done.answer
    }

    /// With key 0, in the application. The answer to the switch to LRP has no MAC, because the session ends with it.
    private mutating func setConfiguration(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        guard chip.isInApplication else { throw .permissionDenied }
        guard chip.session?.key == 0 else { throw .authenticationError }
        let (header, content) = try chip.opened(0x5C, data, headerSize: 1, .full)
        let wasLRP = isLRP
        try chip.store.configure(header[0], content)
        guard wasLRP == isLRP else {
            chip.session = nil
            return NativeStatus.done.answer
        }
        return try chip.sealed([], .full)
    }

    /// GetTTStatus.
    private mutating func tamperStatus(_ data: [UInt8]) throws(NativeStatus) -> [UInt8] {
        let right = chip.store.configuration.tamperRight
        guard right != 0xF else { throw .permissionDenied }
        guard right == 0xE || chip.session?.key == right else { throw .authenticationError }
        guard try chip.opened(0xF7, data, headerSize: 0, .full).data.isEmpty else { throw .wrongLength }
        chip.measureTamper()
        return try chip.sealed(chip.store.tamperStatus.bytes, .full)
    }
}
