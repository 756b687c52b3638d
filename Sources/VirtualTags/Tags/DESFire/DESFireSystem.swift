/// What a native command leads to.
enum DESFireOutcome: Sendable {
    /// Frames of an answer, the last one with a status.
    case answer([[UInt8]], NativeStatus)
    /// The command is complete with this many bytes of parameters.
    case incomplete(total: Int)
    /// An encrypted random number, after which the host has to prove its key.
    case challenge([UInt8])
}

/// The operating system of a DESFire card: the selected level, the session, and the commands on the memory.
///
/// It takes whole commands; ``VirtualDESFireCard`` puts them together from frames.
struct DESFireSystem: Sendable {
    private let product: VirtualDESFireProduct
    private let signature: [UInt8]
    private let random: @Sendable (_ count: Int) -> [UInt8]
    /// Seven bytes.
    let serialNumber: [UInt8]
    private(set) var memory: DESFireMemory
    /// The number of the selected application, or of the card level.
    private(set) var level = DESFireMemory.cardLevel
    private var session: DESFireSession?
    private var handshake: DESFireHandshake?
    /// How many hosts gave a wrong answer to a challenge.
    private(set) var failedAuthentications = 0

    init(
        _ product: VirtualDESFireProduct, memory: DESFireMemory, serialNumber: [UInt8], signature: [UInt8],
        random: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) {
        self.product = product
        self.memory = memory
        self.serialNumber = serialNumber
        self.signature = signature
        self.random = random
    }

    /// The number of the key that the host proved at the selected level.
    var proven: UInt8? { session?.number }
    /// Whether the card has the commands of EV2.
    var isLater: Bool { product.generation != .ev1 }
    /// The most data of an answer in one frame.
    var frameSize: Int { product.frameSize }

    /// Ends the session, and forgets pending changes: after an error, a selection or the loss of the field.
    mutating func endSession() {
        session = nil
        handshake = nil
        memory.abort()
    }

    /// Selects an application, or the card level.
    mutating func select(_ level: [UInt8]) {
        endSession()
        self.level = level
    }

    /// Random bytes.
    func randomBytes(_ count: Int) -> [UInt8] { random(count) }

    /// Carries out a command.
    ///
    /// - Parameter room: the most bytes of an answer without frames.
    /// - Throws: the status that refuses it.
    mutating func execute(
        _ instruction: UInt8, _ payload: [UInt8], room: Int
    ) throws(NativeStatus) -> DESFireOutcome {
        if let method = DESFireAuthentication(rawValue: instruction) { return try begin(method, payload) }
        if let outcome = try executeOnCard(instruction, payload) { return outcome }
        if let outcome = try executeOnKeys(instruction, payload) { return outcome }
        if let outcome = try executeOnFiles(instruction, payload) { return outcome }
        if let outcome = try executeOnData(instruction, payload, room: room) { return outcome }
        throw .illegalCommand
    }
}

// MARK: Authentication

extension DESFireSystem {
    private mutating func begin(_ method: DESFireAuthentication, _ payload: [UInt8]) throws(NativeStatus)
        -> DESFireOutcome
    {
        let isCounted = method == .first || method == .nonFirst
        guard !isCounted || isLater else { throw .illegalCommand }
        guard let number = payload.first, Self.isWellFormed(method, payload) else { throw .wrongLength }
        let key = try memory.keyring(level).key(number)
        let transaction = method == .nonFirst ? session?.messaging.transaction : nil
        guard method.takes(key.kind), method != .nonFirst || transaction != nil else { throw .authenticationError }
        if method == .nonFirst { session = nil } else { endSession() }
        let handshake = DESFireHandshake(
            method, number: number, key: key, randomB: random(method.nonceSize(key.kind)), continued: transaction)
        self.handshake = handshake
        return .challenge(handshake.challenge)
    }

    /// AuthenticateEV2First has the length of the capabilities of the reader and up to six bytes of them behind the key.
    private static func isWellFormed(_ method: DESFireAuthentication, _ payload: [UInt8]) -> Bool {
        guard method == .first else { return payload.count == 1 }
        return payload.count >= 2 && payload[1] <= 6 && payload.count == 2 + Int(payload[1])
    }

    /// Answers the second part of an authentication.
    mutating func finish(_ token: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard let handshake else { throw .commandAborted }
        self.handshake = nil
        do throws(NativeStatus) {
            let (session, answer) = try handshake.finished(token, transaction: random(4))
            self.session = session
            return .answer([answer], .done)
        } catch {
            if error == .authenticationError { failedAuthentications += 1 }
            throw error
        }
    }
}

// MARK: Messages

extension DESFireSystem {
    /// Checks the length of a command and removes its protection.
    ///
    /// - Parameters:
    ///   - header: how many parameters are never encrypted.
    ///   - count: how many bytes of data follow them.
    ///   - inner: whether the data ends with the checksum of a new key.
    mutating func receive(
        _ instruction: UInt8, _ payload: [UInt8], header: Int, count: Int = 0,
        _ protection: DESFireProtection = .ordinary, inner: Bool = false
    ) throws(NativeStatus) -> (header: [UInt8], data: [UInt8], inner: [UInt8]) {
        guard payload.count == header + size(of: count, protection, inner: inner) else { throw .wrongLength }
        let command = DESFireProtectedCommand(
            instruction: instruction, header: Array(payload.prefix(header)), body: Array(payload.dropFirst(header)))
        guard let opened = try session?.messaging.open(command, count: count, protection, inner: inner) else {
            return (command.header, command.body, [])
        }
        return (command.header, opened.data, opened.inner)
    }

    /// The parameters of a command without data, as many as the range permits.
    mutating func parameters(
        _ instruction: UInt8, _ payload: [UInt8], _ counts: ClosedRange<Int>
    ) throws(NativeStatus) -> [UInt8] {
        let count = payload.count - size(of: 0, .ordinary)
        guard counts.contains(count) else { throw .wrongLength }
        return try receive(instruction, payload, header: count).header
    }

    /// How many bytes stand for data in the session.
    func size(of count: Int, _ protection: DESFireProtection, inner: Bool = false) -> Int {
        session?.messaging.size(of: count, protection, inner: inner) ?? count
    }

    /// The data of a command whose length only the data shows: the first that is protected correctly.
    mutating func receive(
        _ instruction: UInt8, _ payload: [UInt8], header: Int, counts: ClosedRange<Int>
    ) throws(NativeStatus) -> [UInt8] {
        let command = DESFireProtectedCommand(
            instruction: instruction, header: Array(payload.prefix(header)), body: Array(payload.dropFirst(header)))
        for count in counts where command.body.count >= size(of: count, .full) {
            var attempt = session
            guard let opened = try? attempt?.messaging.open(command, count: count, .full, inner: false) else {
                continue
            }
            session = attempt
            return opened.data
        }
        throw .integrityError
    }

    /// Protects an answer and cuts it into frames.
    ///
    /// - Parameters:
    ///   - frameSize: the most bytes of a frame; nil for as many as frames of the card have.
    ///   - isOpenEnded: whether the host did not ask for a certain length.
    mutating func answer(
        _ data: [UInt8] = [], _ protection: DESFireProtection = .ordinary, status: NativeStatus = .done,
        frameSize: Int? = nil, isOpenEnded: Bool = false
    ) -> DESFireOutcome {
        let sealed =
            session?.messaging.seal(data, protection, status: status, isOpenEnded: isOpenEnded) ?? data
        let size = frameSize ?? self.frameSize
        guard sealed.count > size else { return .answer([sealed], status) }
        return .answer(
            stride(from: 0, to: sealed.count, by: size).map { Array(sealed.dropFirst($0).prefix(size)) }, status)
    }

    /// Protects an answer in certain frames: the code follows the last one.
    mutating func answer(frames: [[UInt8]]) -> DESFireOutcome {
        let data = frames.flatMap(\.self)
        let sealed = session?.messaging.seal(data, .ordinary, status: .done, isOpenEnded: false) ?? data
        return .answer(frames.dropLast() + [(frames.last ?? []) + sealed.dropFirst(data.count)], .done)
    }
}

// MARK: The card

extension DESFireSystem {
    private mutating func executeOnCard(
        _ instruction: UInt8, _ payload: [UInt8]
    ) throws(NativeStatus) -> DESFireOutcome? {
        switch instruction {
        case 0x60: return try version(payload)
        case 0x3C where isLater: return try readSignature(payload)
        case 0x51: return try cardIdentifier(payload)
        case 0x6E:
            _ = try parameters(instruction, payload, 0...0)
            return answer(NativeNumber.bytes(memory.free, count: 3))
        case 0x5A: return try selectApplication(payload)
        case 0x6A, 0x6D: return try listApplications(instruction, payload)
        case 0xCA: return try createApplication(payload)
        case 0xDA: return try deleteApplication(payload)
        case 0xFC: return try format(payload)
        case 0x5C: return try configure(payload)
        default: return nil
        }
    }

    private var isAtCardLevel: Bool { level == DESFireMemory.cardLevel }

    /// Hardware, software, and the serial number with made-up production data: batch, week and year. A card with a random identifier
    /// shows no number.
    private mutating func version(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        _ = try parameters(0x60, payload, 0...0)
        let number = memory.configuration.hidesIdentifier ? [UInt8](repeating: 0, count: 7) : serialNumber
        return answer(frames: [
            product.hardware, product.software, number + [0xBA, 0x5E, 0xBA, 0x11, 0x00, 0x26, 0x24],
        ])
    }

    private mutating func readSignature(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard try parameters(0x3C, payload, 1...1) == [0x00] else { throw .wrongParameter }
        return answer(signature, .full, status: .signature)
    }

    private mutating func cardIdentifier(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard proven != nil else { throw .authenticationError }
        _ = try parameters(0x51, payload, 0...0)
        return answer(serialNumber, .full)
    }

    private mutating func selectApplication(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard payload.count == 3 else { throw .wrongLength }
        guard payload == DESFireMemory.cardLevel || memory.application(payload) != nil else {
            throw .applicationNotFound
        }
        select(payload)
        return .answer([[]], .done)
    }

    /// Numbers, or with names one frame for each application that has one.
    private mutating func listApplications(
        _ instruction: UInt8, _ payload: [UInt8]
    ) throws(NativeStatus) -> DESFireOutcome {
        guard isAtCardLevel else { throw .permissionDenied }
        guard try memory.keyring(level).permitsListing(proven) else { throw .authenticationError }
        _ = try parameters(instruction, payload, 0...0)
        guard instruction == 0x6D else {
            return answer(memory.applications.flatMap(\.identifier), frameSize: product.frameSize / 3 * 3)
        }
        return answer(
            frames: memory.applications.compactMap { application in
                guard let isoIdentifier = application.isoIdentifier else { return nil }
                return application.identifier + NativeNumber.bytes(Int(isoIdentifier), count: 2) + application.name
            })
    }

    private mutating func createApplication(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard isAtCardLevel else { throw .permissionDenied }
        guard try memory.keyring(level).permitsCreation(proven) else { throw .authenticationError }
        try memory.createApplication(try parameters(0xCA, payload, 5...23))
        return answer()
    }

    /// Needs the card master key, or within the application its own if the card permits that.
    private mutating func deleteApplication(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        let isOwn = !isAtCardLevel && payload.prefix(3) == level[...]
        let isOwnPermitted = try memory.keyring(DESFireMemory.cardLevel).permitsCreation(nil)
        let isPermitted = isAtCardLevel || isOwn && isOwnPermitted
        guard proven == 0, isPermitted else { throw .authenticationError }
        try memory.deleteApplication(try parameters(0xDA, payload, 3...3))
        let outcome = answer()
        if isOwn { select(DESFireMemory.cardLevel) }
        return outcome
    }

    private mutating func format(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard proven == 0 else { throw .authenticationError }
        guard isAtCardLevel else { throw .permissionDenied }
        _ = try parameters(0xFC, payload, 0...0)
        try memory.format()
        return answer()
    }

    /// SetConfiguration: options 00, 01 and 02.
    private mutating func configure(_ payload: [UInt8]) throws(NativeStatus) -> DESFireOutcome {
        guard proven == 0 else { throw .authenticationError }
        guard isAtCardLevel else { throw .permissionDenied }
        switch payload.first {
        case 0x00:
            let flags = try receive(0x5C, payload, header: 1, count: 1, .full).data[0]
            guard flags & ~(isLater ? 0x0F : 0x03) == 0 else { throw .wrongParameter }
            memory.configure { $0.setFlags(flags) }
        case 0x01:
            let data = try receive(0x5C, payload, header: 1, count: 25, .full).data
            memory.configure { $0.setDefaultKey(data) }
        case 0x02:
            let data = try receive(0x5C, payload, header: 1, counts: 2...20)
            guard data[0] == data.count else { throw .wrongLength }
            memory.configure { $0.setAnswerToSelect(data) }
        case nil: throw .wrongLength
        default: throw .wrongParameter
        }
        return answer()
    }
}

// MARK: Keys

extension DESFireSystem {
    private mutating func executeOnKeys(
        _ instruction: UInt8, _ payload: [UInt8]
    ) throws(NativeStatus) -> DESFireOutcome? {
        let keyring = try memory.keyring(level)
        switch instruction {
        case 0x45:
            guard keyring.permitsListing(proven) else { throw .authenticationError }
            _ = try parameters(instruction, payload, 0...0)
            return answer(keyring.description)
        case 0x54:
            try keyring.checkSettingsChange(proven)
            let settings = try receive(instruction, payload, header: 0, count: 1, .full).data[0]
            memory.changeKeyring(level) { $0.changeSettings(settings) }
            return answer()
        case 0x64:
            guard keyring.permitsListing(proven) || proven != nil else { throw .authenticationError }
            let number = try parameters(instruction, payload, 1...1)[0]
            return answer([try keyring.key(number).version])
        case 0xC4: return try changeKey(instruction, payload, header: 1, in: keyring)
        // The only key set is number 0.
        case 0xC6 where isLater:
            guard payload.first == 0x00 else { throw payload.isEmpty ? .wrongLength : .wrongParameter }
            return try changeKey(instruction, payload, header: 2, in: keyring)
        default: return nil
        }
    }

    /// ChangeKey: the new key and the version of an AES key; for another key than the proven one, xor its old value and with the
    /// checksum of the new one. At the card level the number of the key names the kind of the new one.
    private mutating func changeKey(
        _ instruction: UInt8, _ payload: [UInt8], header: Int, in keyring: DESFireKeyring
    ) throws(NativeStatus) -> DESFireOutcome {
        guard proven != nil else { throw .authenticationError }
        guard payload.count >= header else { throw .wrongLength }
        let number = isAtCardLevel ? payload[header - 1] & 0x3F : payload[header - 1]
        guard let kind = isAtCardLevel ? DESFireKeyKind(rawValue: payload[header - 1] & 0xC0) : keyring.kind else {
            throw .wrongParameter
        }
        try keyring.checkChange(of: number, proven)
        let isOwn = number == proven
        let (_, data, inner) = try receive(
            instruction, payload, header: header, count: kind.size + (kind == .aes ? 1 : 0), .full, inner: !isOwn)
        let part = Array(data.prefix(kind.size))
        let value = isOwn ? part : xor(part, try keyring.key(number).value)
        guard isOwn || session?.messaging.checksum(value) == inner else { throw .integrityError }
        memory.changeKeyring(level) {
            $0.replace(number, by: DESFireKey(kind, value, version: data.dropFirst(kind.size).first ?? 0))
        }
        guard isOwn else { return answer() }
        endSession()
        return .answer([[]], .done)
    }
}

// MARK: Access to the selected application

extension DESFireSystem {
    /// The selected application.
    ///
    /// - Throws: that the card level has no files.
    func application() throws(NativeStatus) -> DESFireApplication {
        guard let application = memory.application(level) else { throw .permissionDenied }
        return application
    }

    /// Changes the selected application.
    mutating func change(
        _ change: (inout DESFireApplication) throws(NativeStatus) -> Void
    ) throws(NativeStatus) {
        try memory.change(level, change)
    }

    /// How an access with one of these rights is protected: as the file says if the proven key grants it, in plain if only every host
    /// may do it.
    func protection(_ rights: [UInt8], of file: DESFireFile) throws(NativeStatus) -> DESFireProtection {
        if let proven, rights.contains(proven) { return DESFireProtection(communication: file.communication) }
        if rights.contains(0xE) { return .plain }
        throw rights.allSatisfy { $0 == 0xF } ? .permissionDenied : .authenticationError
    }
}
