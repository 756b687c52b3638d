/// A Type 2 tag, byte for byte: NTAG203, NTAG21x and MIFARE Ultralight, Ultralight C and Ultralight EV1 after their data
/// sheets.
///
/// The tag is idle until ``activate()``. Every refused command makes it idle again:
/// it stays silent until the next activation. Lock bits, one-time programmable bits, counters and the count of wrong
/// passwords outlive the field; authentication does not.
public struct VirtualType2Tag: VirtualTag {
    /// An authentication that has begun.
    enum Challenge: Hashable {
        case tripleDES(UltralightCKeys.Challenge)
        case aes(Type2Keys.Challenge, number: Int)
    }

    /// The communication state, as far as commands reveal it.
    enum State: Hashable {
        case idle
        case active
        case authenticated
    }

    /// The chip.
    public let product: VirtualType2Product
    /// The whole memory as stored, 4 bytes a page, password and PACK in clear.
    public internal(set) var memory: [UInt8]
    /// The 32 bytes READ_SIG answers. Those of a default tag are zeros, as NXP's private key is not available.
    public let signature: [UInt8]
    /// The 24-bit counters 0, 1 and 2. On NTAG21x only number 2, the NFC counter, exists.
    public internal(set) var counters: [UInt32]
    /// How many wrong passwords or keys AUTHLIM has counted.
    public internal(set) var failedAttempts = 0
    /// How many answers to a challenge were wrong, whether the chip counts them or not.
    public internal(set) var wrongAnswers = 0

    var state = State.idle
    /// The page of a COMPATIBILITY_WRITE whose second part is due.
    var pendingPage: Int?
    /// The first step of AUTHENTICATE that was answered, so that the next frame is its second.
    var openChallenge: Challenge?
    /// The codes of frames after an authentication, where the chip is set to them.
    var codes: Type2Keys.Codes?
    /// Whether a READ or FAST_READ was answered since power-on.
    var hasRead = false
    /// CFGLCK as latched at power-on.
    var isConfigurationLocked: Bool

    /// The serial number, seven bytes, from pages 0 and 1.
    public var identifier: [UInt8] { Array(memory.prefix(3) + memory.dropFirst(4).prefix(4)) }

    var configuration: Type2Configuration {
        Type2Configuration(
            product.configurationPage.map { memory.dropFirst($0 * VirtualType2Product.pageSize) } ?? [],
            hasLongLimit: product.features.contains(.aes))
    }

    /// A tag as delivered, with a message where one is given.
    ///
    /// - Parameters:
    ///   - identifier: seven bytes, nil for one derived from the product.
    ///   - ndefMessage: a raw NDEF message, put into an NDEF Message TLV; empty for a formatted tag without content;
    ///     nil for the factory content, which is formatted on NTAG21x and blank on Ultralight EV1.
    /// - Throws: ``VirtualTagError`` for an identifier of another length or a message that does not fit.
    public init(
        product: VirtualType2Product, identifier: [UInt8]? = nil, ndefMessage: [UInt8]? = nil
    ) throws(VirtualTagError) {
        let identifier = identifier ?? product.defaultIdentifier
        guard identifier.count == VirtualType2Product.identifierSize else {
            throw .wrongIdentifierSize(size: identifier.count, expected: VirtualType2Product.identifierSize)
        }
        let image = try product.image(identifier: identifier, message: ndefMessage)
        try self.init(product: product, memory: image)
    }

    /// A tag with a whole memory image, stored unchanged: pages 0 to the last, PWD and PACK included.
    ///
    /// - Parameters:
    ///   - memory: exactly ``VirtualType2Product/memorySize`` bytes.
    ///   - signature: 32 bytes, nil for zeros.
    ///   - counters: up to three 24-bit values for the counters 0, 1 and 2; missing ones are 0.
    /// - Throws: ``VirtualTagError`` when a length is wrong.
    public init(
        product: VirtualType2Product, memory: [UInt8], signature: [UInt8]? = nil, counters: [UInt32] = []
    ) throws(VirtualTagError) {
        guard memory.count == product.memorySize else {
            throw .wrongMemorySize(size: memory.count, expected: product.memorySize)
        }
        let signature = signature ?? [UInt8](repeating: 0, count: product.signatureSize)
        guard signature.count == product.signatureSize else {
            throw .wrongSignatureSize(size: signature.count, expected: product.signatureSize)
        }
        guard counters.count <= 3, counters.allSatisfy({ $0 <= Self.counterLimit }) else {
            throw .wrongCounters(count: counters.count, expected: 3)
        }
        self.product = product
        self.memory = memory
        self.signature = signature
        self.counters = counters + [UInt32](repeating: 0, count: 3 - counters.count)
        isConfigurationLocked = false
        fieldDropped()
    }

    /// Selects the tag; an authentication is lost.
    public mutating func activate() {
        state = .active
        pendingPage = nil
        openChallenge = nil
        codes = nil
    }

    /// Turns the field off: authentication and a half-done COMPATIBILITY_WRITE are lost, CFGLCK takes effect.
    public mutating func fieldDropped() {
        state = .idle
        pendingPage = nil
        openChallenge = nil
        codes = nil
        hasRead = false
        isConfigurationLocked = configuration.isLocked
    }
}

extension VirtualType2Tag {
    /// The refusal of a command that is unknown, malformed or not permitted: NAK 0.
    static let refusal = VirtualTagAnswer.nak(0x0)
    /// The refusal because a limit is reached, of password attempts or of a counter: NAK 4.
    static let limitReached = VirtualTagAnswer.nak(0x4)

    /// Answers one frame. A refused command leaves the tag idle and therefore mute.
    public mutating func exchange(_ command: [UInt8]) -> VirtualTagAnswer {
        guard state != .idle, let code = command.first else { return .silence }
        let answer: VirtualTagAnswer
        if let page = pendingPage {
            pendingPage = nil
            answer = completeWrite(page: page, frame: command)
        } else if let challenge = openChallenge {
            openChallenge = nil
            answer = finish(challenge, frame: command)
        } else if codes != nil, code != Type2Command.authentication.rawValue {
            answer = performCoded(command)
        } else {
            answer = perform(code, Array(command.dropFirst()))
        }
        if case .nak = answer { state = .idle }
        return answer
    }

    /// Answers a frame with a code. One without, or with a wrong one, is refused.
    private mutating func performCoded(_ frame: [UInt8]) -> VirtualTagAnswer {
        guard let command = codes?.opened(frame), let code = command.first else { return Self.refusal }
        let answer = perform(code, Array(command.dropFirst()))
        return codes?.sealed(answer) ?? answer
    }

    private mutating func perform(_ code: UInt8, _ arguments: [UInt8]) -> VirtualTagAnswer {
        guard let command = Type2Command(rawValue: code), arguments.count == command.argumentCount,
            command.requirement.isEmpty || !product.features.isDisjoint(with: command.requirement)
        else { return Self.refusal }
        let first = Int(arguments.first ?? 0)
        let rest = Array(arguments.dropFirst())
        return switch command {
        case .getVersion: .data(product.version)
        case .read: read(from: first)
        case .fastRead: fastRead(from: first, through: Int(rest.first ?? 0))
        case .write: write(page: first, rest)
        case .compatibilityWrite: beginWrite(page: first)
        case .readSignature: first == 0 ? .data(signature) : Self.refusal
        case .readCounter: readCounter(first)
        case .incrementCounter: incrementCounter(first, by: rest)
        case .checkTearingEvent: checkTearingEvent(first)
        case .virtualCardSelectLast: .data([configuration.virtualCardTypeIdentifier])
        case .authentication: challenge(number: first)
        case .passwordAuthentication: authenticate(password: arguments)
        case .halt: halt(first)
        }
    }

    private mutating func halt(_ argument: Int) -> VirtualTagAnswer {
        guard argument == 0 else { return Self.refusal }
        state = .idle
        return .silence
    }
}

extension VirtualType2Tag {
    /// READ: four pages from `page`, rolling over to page 0 at the end of what may be read
    /// (NTAG213/215/216 data sheet, §10.2).
    mutating func read(from page: Int) -> VirtualTagAnswer {
        let end = readableEnd
        guard page < end else { return Self.refusal }
        countRead()
        return .data(shown((page..<page + 4).map { $0 % end }))
    }

    /// FAST_READ: the pages from `first` through `last`, all of which must be readable (§10.3).
    mutating func fastRead(from first: Int, through last: Int) -> VirtualTagAnswer {
        guard first <= last, last < readableEnd else { return Self.refusal }
        countRead()
        return .data(shown(Array(first...last)))
    }

    /// The stored bytes of a page.
    func stored(page: Int) -> ArraySlice<UInt8> {
        memory.dropFirst(page * VirtualType2Product.pageSize).prefix(VirtualType2Product.pageSize)
    }

    /// What a read shows of pages: PWD and PACK as zeros, always, and the mirror.
    private func shown(_ pages: [Int]) -> [UInt8] {
        let mirror = mirror
        return pages.flatMap { page in
            let bytes = product.secretPages.contains(page) ? [0, 0, 0, 0] : Array(stored(page: page))
            return mirror?.showing(bytes, page: page) ?? bytes
        }
    }

    /// The ASCII mirror, where the chip has one and it is on.
    private var mirror: Type2Mirror? {
        guard product.features.contains(.mirror), let page = product.configurationPage else { return nil }
        return Type2Mirror(
            configuration: stored(page: page), isUIDOnly: !product.features.contains(.nfcCounter),
            identifier: identifier, counter: isCounterReadable ? counter(2) : nil)
    }

    /// One past the last page that may be read now; with PROT set and no password given, AUTH0 ends the memory.
    private var readableEnd: Int {
        guard protectsReading, state != .authenticated else { return product.readablePageCount }
        return min(firstProtectedPage, product.readablePageCount)
    }

    /// AUTH0: the first page that needs authentication to be written. On MIFARE Ultralight C byte 0 of page 42.
    var firstProtectedPage: Int {
        guard product.features.contains(.tripleDES) else { return configuration.firstProtectedPage }
        return Int(stored(page: 42).first ?? 0x30)
    }

    /// Whether reading needs it as well. On MIFARE Ultralight C unless bit 0 of page 43, AUTH1, is set.
    private var protectsReading: Bool {
        guard product.features.contains(.tripleDES) else { return configuration.protectsReading }
        return stored(page: 43).first.map { $0 & 1 == 0 } ?? false
    }

    /// The NFC counter goes up with the first read after power-on and stays at its limit (§8.6).
    private mutating func countRead() {
        guard !hasRead else { return }
        hasRead = true
        guard product.features.contains(.nfcCounter), configuration.countsReads else { return }
        setCounter(2, to: min((counter(2) ?? 0) + 1, Self.counterLimit))
    }
}

extension VirtualType2Tag {
    /// WRITE: four bytes to one page (NTAG213/215/216 data sheet, §10.4).
    mutating func write(page: Int, _ data: [UInt8]) -> VirtualTagAnswer {
        guard isWritable(page: page), data.count == VirtualType2Product.pageSize,
            let result = result(of: data, page: page)
        else { return Self.refusal }
        memory.overwrite(at: page * VirtualType2Product.pageSize, with: result)
        return .ack
    }

    /// COMPATIBILITY_WRITE, first part: the page is checked and remembered (§10.5).
    ///
    /// The data sheets do not specify which part of the command a locked page refuses; here it is the first.
    mutating func beginWrite(page: Int) -> VirtualTagAnswer {
        guard isWritable(page: page) else { return Self.refusal }
        pendingPage = page
        return .ack
    }

    /// COMPATIBILITY_WRITE, second part: sixteen bytes, of which the first four are written.
    mutating func completeWrite(page: Int, frame: [UInt8]) -> VirtualTagAnswer {
        guard frame.count == 16 else { return Self.refusal }
        return write(page: page, Array(frame.prefix(VirtualType2Product.pageSize)))
    }

    /// What a page holds after a write; nil for a counter that cannot count so far. Bits of lock bytes and of the capability
    /// container can only be set.
    private func result(of data: [UInt8], page: Int) -> [UInt8]? {
        let old = Array(stored(page: page))
        switch page {
        case 2:
            var lock = StaticLock(old.suffix(2))
            lock.set(StaticLock(data.suffix(2)))
            return old.prefix(2) + lock.bytes
        case 3:
            return zip(old, data).map { $0 | $1 }
        case Type2Keys.lockPage where product.features.contains(.aes):
            return Type2Keys.locking(data, into: old)
        case UltralightCKeys.counterPage where product.features.contains(.tripleDES):
            return UltralightCKeys.counting(data, from: old)
        default:
            guard let dynamicLock = product.dynamicLock, dynamicLock.page == page else { return data }
            return dynamicLock.merging(data, into: old)
        }
    }

    private func isWritable(page: Int) -> Bool {
        guard page >= 2, page <= product.lastPage else { return false }
        let needsPassword = page >= firstProtectedPage
        return !isLocked(page: page) && (!needsPassword || state == .authenticated)
    }

    private func isLocked(page: Int) -> Bool {
        if StaticLock(stored(page: 2).suffix(2)).locks(page: page) { return true }
        if let dynamicLock = product.dynamicLock,
            dynamicLock.locks(page: page, by: stored(page: dynamicLock.page))
        {
            return true
        }
        if product.features.contains(.aes) {
            let lock = stored(page: Type2Keys.lockPage).first ?? 0
            if Type2Keys.isLocked(page, by: lock) || Type2Keys.reserved.contains(page) { return true }
        }
        guard let configurationPage = product.configurationPage else { return false }
        return (configurationPage...configurationPage + 1).contains(page) && isConfigurationLocked
    }
}

extension VirtualType2Tag {
    /// PWD_AUTH: answers PACK to the right password (NTAG213/215/216 data sheet, §10.7).
    ///
    /// With AUTHLIM set, wrong passwords are counted; at the limit every further attempt fails, a right one too (§8.8).
    mutating func authenticate(password: [UInt8]) -> VirtualTagAnswer {
        let limit = configuration.attemptLimit
        guard limit == 0 || failedAttempts < limit else { return Self.limitReached }
        guard password == configuration.password else {
            if limit != 0 { failedAttempts += 1 }
            return Self.refusal
        }
        failedAttempts = 0
        state = .authenticated
        return .data(configuration.passwordAcknowledge)
    }

    /// The first step of AUTHENTICATE: AF and the encrypted random number B. What was authenticated before is not any more.
    ///
    /// - Parameter number: of the key; MIFARE Ultralight C has only 0 (MF0ICU2 data sheet).
    mutating func challenge(number: Int) -> VirtualTagAnswer {
        guard let key = storedKey(number) else { return Self.refusal }
        state = .active
        codes = nil
        guard product.features.contains(.aes) else {
            let challenge = UltralightCKeys.Challenge(key: UltralightCKeys.key(stored: key), number: Self.random(8))
            openChallenge = .tripleDES(challenge)
            return .data(challenge.frame)
        }
        let limit = configuration.attemptLimit
        guard limit == 0 || failedAttempts < limit else { return Self.limitReached }
        let challenge = Type2Keys.Challenge(stored: key, number: Self.random(16))
        openChallenge = .aes(challenge, number: number)
        return .data(challenge.frame)
    }

    /// The second step.
    mutating func finish(_ challenge: Challenge, frame: [UInt8]) -> VirtualTagAnswer {
        switch challenge {
        case .tripleDES(let challenge):
            guard let answer = challenge.answer(to: frame) else { return refuseAnswer() }
            state = .authenticated
            return .data(answer)
        case .aes(let challenge, let number):
            guard frame.count == 33, frame.first == 0xAF else { return Self.refusal }
            guard let answer = challenge.answer(to: frame) else { return refuseAnswer() }
            failedAttempts = max(failedAttempts - Type2Keys.forgivenAttempts, 0)
            // UIDRetrKey gives no access to protected pages.
            state = number == 0 ? .authenticated : .active
            codes = configuration.needsAuthenticationCodes ? challenge.codes(for: frame) : nil
            return .data(answer)
        }
    }

    /// A wrong key counts where AUTH_LIM is set.
    private mutating func refuseAnswer() -> VirtualTagAnswer {
        wrongAnswers += 1
        if configuration.attemptLimit != 0 { failedAttempts += 1 }
        return Self.refusal
    }

    /// The pages of a key as stored; nil if there is no such key.
    private func storedKey(_ number: Int) -> [UInt8]? {
        let ultralightC = number == 0 ? UltralightCKeys.pages : nil
        let pages = product.features.contains(.aes) ? Type2Keys.pages(of: number) : ultralightC
        return pages?.flatMap { stored(page: $0) }
    }

    /// Whether a key has a value: 16 bytes in the order of computation; on MIFARE Ultralight C without its parity bits.
    public func hasKey(number: Int, value: [UInt8]) -> Bool {
        guard !product.features.isDisjoint(with: [.aes, .tripleDES]), let stored = storedKey(number) else {
            return false
        }
        guard product.features.contains(.tripleDES) else { return stored.reversed() == value }
        return UltralightCKeys.key(stored: stored).map { $0 & 0xFE } == value.map { $0 & 0xFE }
    }

    private static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

extension VirtualType2Tag {
    /// The largest value of a 24-bit counter.
    static let counterLimit: UInt32 = 0xFF_FFFF

    /// READ_CNT: three bytes, least significant first (NTAG213/215/216 data sheet, §10.6).
    func readCounter(_ number: Int) -> VirtualTagAnswer {
        guard let value = counter(number), isCounterReadable else { return Self.refusal }
        return .data([0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// INCR_CNT: adds three bytes, least significant first; the fourth is ignored (MF0ULx1 data sheet).
    ///
    /// A sum beyond 24 bits is refused and changes nothing.
    mutating func incrementCounter(_ number: Int, by bytes: [UInt8]) -> VirtualTagAnswer {
        guard let value = counter(number) else { return Self.refusal }
        let sum = value + bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard sum <= Self.counterLimit else { return Self.limitReached }
        setCounter(number, to: sum)
        return .ack
    }

    /// CHECK_TEARING_EVENT: BD, as no increment was torn (MF0ULx1 data sheet).
    func checkTearingEvent(_ number: Int) -> VirtualTagAnswer {
        counter(number) == nil ? Self.refusal : .data([0xBD])
    }

    /// The value of a counter the product has.
    func counter(_ number: Int) -> UInt32? {
        product.counterNumbers.contains(number) ? counters.dropFirst(number).first : nil
    }

    mutating func setCounter(_ number: Int, to value: UInt32) {
        guard counters.indices.contains(number) else { return }
        counters[number] = value
    }

    private var isCounterReadable: Bool {
        guard product.features.contains(.nfcCounter) else { return true }
        return configuration.countsReads && (!configuration.protectsCounter || state == .authenticated)
    }
}
