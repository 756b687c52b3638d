/// A MIFARE DESFire EV1, EV2 or EV3, with native commands wrapped into class 90 next to those of ISO/IEC 7816-4: applications,
/// keys, all kinds of files, authentication with DES, triple DES and AES, and the secure messaging of D40, EV1 and EV2.
///
/// A card with an NDEF application has the card master key as delivered, DES of zeros, and an AES key of zeros in the application.
/// Not modelled, and therefore refused: key sets, delegated applications, virtual cards, proximity check, CommitReaderID, further
/// access rights, Secure Dynamic Messaging, records and authentication by ISO/IEC 7816-4 commands, and frames that are not wrapped.
/// Where the data sheets do not say what an error does, it ends the session and forgets pending changes.
public struct VirtualDESFireCard: ContactlessCard {
    /// The card.
    public let product: VirtualDESFireProduct
    /// Seven bytes, or four random ones, 08 first, on a card that hides its serial number; new with each activation.
    public var identifier: [UInt8] { shownIdentifier ?? system.serialNumber }
    /// The seven bytes that identify the card permanently.
    public var serialNumber: [UInt8] { system.serialNumber }
    /// 80 as delivered: no more is said.
    public var historicalBytes: [UInt8] { system.memory.configuration.historicalBytes }

    private var system: DESFireSystem
    private var standard: DESFireStandardCommands
    private var pending: Pending?
    private var shownIdentifier: [UInt8]?
    private var isActive = false

    /// What the card expects after it answered `91 AF`.
    private enum Pending: Sendable {
        /// These frames are to be fetched, the last one with a status.
        case frames([[UInt8]], NativeStatus)
        /// More of a command that is complete with a number of bytes.
        case command(UInt8, received: [UInt8], total: Int)
        /// An answer to its challenge.
        case handshake
    }

    /// A card with an NDEF application.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one made up for the product.
    ///   - ndefMessage: a raw NDEF message; nil and empty both mean no message.
    ///   - isWritable: whether the message may be written without a key.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: VirtualDESFireProduct, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil, isWritable: Bool = true
    ) throws(VirtualTagError) {
        try self.init(
            product: product, identifier: identifier,
            applications: [try product.application(message: ndefMessage ?? [], isWritable: isWritable)])
    }

    /// A card as delivered: no applications, and DES of zeros as the card master key.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one made up for the product.
    ///   - signature: the 56 bytes that Read_Sig answers, nil for zeros.
    /// - Throws: ``VirtualTagError`` for another length.
    public init(
        blank product: VirtualDESFireProduct, identifier: [UInt8]? = nil, signature: [UInt8]? = nil
    ) throws(VirtualTagError) {
        try self.init(product: product, identifier: identifier, applications: [], signature: signature)
    }

    /// A card with the content of these files; where the product has others, they are as delivered.
    ///
    /// The capability container, E103, defines whether the message may be written without a key.
    ///
    /// - Throws: ``VirtualTagError`` for an identifier of another length.
    public init(
        product: VirtualDESFireProduct, identifier: [UInt8], files contents: [UInt16: [UInt8]]
    ) throws(VirtualTagError) {
        let access = contents[Type4Content.containerIdentifier]?.dropFirst(14).first
        var application = try product.application(message: [], isWritable: access != 0xFF)
        for var file in application.files {
            guard let bytes = file.isoIdentifier.flatMap({ contents[$0] }) else { continue }
            file.content = .standard(bytes)
            application.store(file)
        }
        try self.init(product: product, identifier: identifier, applications: [application])
    }

    /// A card with applications, whose random numbers are those of a function.
    init(
        product: VirtualDESFireProduct, identifier: [UInt8]? = nil, applications: [DESFireApplication],
        signature: [UInt8]? = nil, level: VirtualDESFireLevel = VirtualDESFireLevel(),
        random: @escaping @Sendable (_ count: Int) -> [UInt8] = { count in
            (0..<count).map { _ in UInt8.random(in: 0...255) }
        }
    ) throws(VirtualTagError) {
        let signature = signature ?? [UInt8](repeating: 0, count: 56)
        guard signature.count == 56 else { throw .wrongSignatureSize(size: signature.count, expected: 56) }
        var memory = product.memory.personalised(level.keyring, flags: level.flags)
        for application in applications {
            do { try memory.add(application) } catch {
                throw .messageTooLarge(size: application.memorySize, capacity: memory.free)
            }
        }
        self.product = product
        system = DESFireSystem(
            product, memory: memory,
            serialNumber: try Type4Content.identifier(
                identifier, default: [0x04, 0x44, 0x45] + product.identifierMark + [0x5A, 0x80]),
            signature: signature, random: random)
        standard = DESFireStandardCommands(product)
    }

    /// Selects the tag; nothing is selected on it.
    public mutating func activate() {
        forget()
        shownIdentifier = system.memory.configuration.hidesIdentifier ? [0x08] + system.randomBytes(3) : nil
        isActive = true
    }

    /// Turns the field off.
    public mutating func fieldDropped() {
        forget()
        isActive = false
    }

    private mutating func forget() {
        system.select(DESFireMemory.cardLevel)
        standard.reset()
        pending = nil
    }

    /// Answers one command.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard isActive else { return .silence }
        guard let command = VirtualCardCommand(command) else { return .data(VirtualStatusWord.wrongLength) }
        if command.instructionClass == 0x90 { return .data(performNative(command)) }
        pending = nil
        return .data(standard.perform(command, on: &system))
    }
}

// MARK: Native commands

extension VirtualDESFireCard {
    /// Answers a wrapped native command. An error ends the session.
    private mutating func performNative(_ command: VirtualCardCommand) -> [UInt8] {
        do throws(NativeStatus) {
            guard let room = command.expectedLength else { throw .wrongLength }
            guard command.parameter == 0 else { throw .wrongParameter }
            guard command.data.count <= product.commandSize else { throw .wrongLength }
            return answer(try perform(command.instructionCode, command.data, room: room))
        } catch {
            pending = nil
            system.endSession()
            return error.answer
        }
    }

    private mutating func perform(
        _ instruction: UInt8, _ data: [UInt8], room: Int
    ) throws(NativeStatus) -> DESFireOutcome {
        guard let unfinished = pending else { return try execute(instruction, data, room: room) }
        pending = nil
        guard instruction == NativeStatus.additionalFrame.rawValue else { throw .commandAborted }
        switch unfinished {
        case .handshake: return try system.finish(data)
        case .frames(let frames, let status):
            guard data.isEmpty else { throw .wrongLength }
            return .answer(frames, status)
        case .command(let instruction, let received, let total):
            guard !data.isEmpty, received.count + data.count <= total else { throw .wrongLength }
            return try execute(instruction, received + data, room: room)
        }
    }

    private mutating func execute(
        _ instruction: UInt8, _ payload: [UInt8], room: Int
    ) throws(NativeStatus) -> DESFireOutcome {
        let outcome = try system.execute(instruction, payload, room: room)
        standard.follow(system, after: instruction)
        if case .incomplete(let total) = outcome { pending = .command(instruction, received: payload, total: total) }
        return outcome
    }

    /// The first frame of an answer; the rest is kept.
    private mutating func answer(_ outcome: DESFireOutcome) -> [UInt8] {
        switch outcome {
        case .incomplete: return NativeStatus.additionalFrame.answer
        case .challenge(let bytes):
            pending = .handshake
            return bytes + NativeStatus.additionalFrame.answer
        case .answer(let frames, let status):
            let rest = Array(frames.dropFirst())
            if !rest.isEmpty { pending = .frames(rest, status) }
            return (frames.first ?? []) + (rest.isEmpty ? status : .additionalFrame).answer
        }
    }
}

// MARK: What a test can see

extension VirtualDESFireCard {
    /// The content of the files of the first application by their identifiers for SELECT.
    var contents: [UInt16: [UInt8]] {
        let files = system.memory.applications.first?.files ?? []
        return Dictionary(files.compactMap { file in file.isoIdentifier.map { ($0, file.bytes ?? []) } }) { first, _ in
            first
        }
    }

    /// The current NDEF file; empty on a card without one.
    public var messageFile: [UInt8] { contents[Type4Content.messageIdentifier] ?? [] }

    /// The numbers of the applications, three bytes each with the least significant first.
    public var applications: [[UInt8]] { system.memory.applications.map(\.identifier) }

    /// Whether a key has a value: 16 bytes, or 24 of triple DES with three keys. The parity bits of DES keys do not count.
    ///
    /// - Parameter application: three bytes with the least significant first, 000000 for the card master key.
    public func hasKey(application: [UInt8], number: UInt8, value: [UInt8]) -> Bool {
        guard let key = try? system.memory.keyring(application).key(number) else { return false }
        return key.effective == DESFireKey(key.kind, value).effective
    }

    /// The version of a key; nil if there is no such key.
    public func keyVersion(application: [UInt8], number: UInt8) -> UInt8? {
        try? system.memory.keyring(application).key(number).version
    }

    /// The committed content of a standard or backup file, or TMC and TMV of a transaction MAC file; nil if there is none.
    public func fileContent(application: [UInt8], number: UInt8) -> [UInt8]? {
        try? system.memory.application(application)?.file(number).bytes
    }

    /// How many times a host gave a wrong answer to a challenge. The card does not act on it.
    public var failedAuthentications: Int { system.failedAuthentications }

    /// How many commands changed the memory.
    public var memoryWrites: Int { system.memory.writes }
}
