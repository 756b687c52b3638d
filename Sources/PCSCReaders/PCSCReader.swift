import NFCReaders
import NFCTags
import PCSC

/// A PC/SC reader with its own context. A connection to a card is shared, and holds a transaction while it is locked.
final class PCSCReader: BlockingReader {
    private let name: ReaderName
    private var context: Context?
    private var card: CardTransaction?
    /// The connection while it is not locked.
    private var unlocked: Card?
    private var buffer: [UInt8] = []
    private var recovery = CardRecovery(answerToReset: [], cardCounter: nil)

    init(name: ReaderName) {
        self.name = name
    }

    func connect() throws(CardChannelError) -> [UInt8] {
        do throws(PCSCError) {
            return try connectOnce()
        } catch {
            // A restart of pcscd invalidates the context; a new one may work.
            guard error.code.kind == .serviceLost else { throw translate(error) }
            context = nil
        }
        do throws(PCSCError) {
            return try connectOnce()
        } catch {
            throw translate(error)
        }
    }

    private func connectOnce() throws(PCSCError) -> [UInt8] {
        release()
        if context == nil { context = try Context() }
        guard let connected = try context?.connect(to: name) else { return [] }
        let transaction = try connected.beginTransaction()
        let atr = try transaction.answerToReset()
        card = consume transaction
        recovery = CardRecovery(answerToReset: atr, cardCounter: cardCounter)
        return atr
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard card != nil else { throw .tagLost }
        do throws(PCSCError) {
            return try recovery.transmit(command, over: self)
        } catch {
            throw translate(error)
        }
    }

    func reconnect() throws(CardChannelError) {
        guard card != nil else { throw .tagLost }
        do throws(PCSCError) {
            try recovery.reset(self)
        } catch {
            throw translate(error)
        }
    }

    func lock() throws(CardChannelError) {
        guard card == nil else { return }
        guard let connected = unlocked.take() else { throw .tagLost }
        do throws(PCSCError) {
            // SCardBeginTransaction would wait for another program's transaction without limit.
            try connected.checkAccess()
        } catch {
            if error.code.kind == .busy { unlocked = consume connected }
            throw translate(error)
        }
        do throws(PCSCError) {
            card = try connected.beginTransaction()
        } catch {
            throw translate(error)
        }
    }

    func unlock() {
        guard let locked = card.take() else { return }
        // Where this fails, the connection is over, and the next use fails.
        unlocked = try? locked.end(.leave)
    }

    func disconnect() {
        release()
        buffer = []
    }

    private func release() {
        card = nil
        unlocked = nil
    }

    private func translate(_ error: PCSCError) -> CardChannelError {
        if error.code.kind == .serviceLost {
            release()
            context = nil
        }
        return CardChannelError(error)
    }
}

extension PCSCReader: CardLink {
    func send(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
        // 64 KiB, kept until the connection ends.
        if buffer.isEmpty { buffer = CardTransaction.makeBuffer() }
        let response = try card?.transmit(command, buffer: &buffer) ?? []
        // Some drivers report success without data if the card was removed during the exchange.
        if response.isEmpty { throw PCSCError(code: .removedCard, operation: "SCardTransmit") }
        return response
    }

    func reconnect(_ disposition: Disposition) throws(PCSCError) {
        try card?.reconnect(disposition)
    }

    var cardCounter: UInt16? {
        var states = [ReaderState(name: name)]
        guard let changed = try? context?.waitForChange(in: &states, timeout: .zero), changed else { return nil }
        return states.first { $0.event.contains(.present) }?.event.cardCounter
    }
}

/// The operations on a card connection that recovery needs.
protocol CardLink: AnyObject {
    /// Performs one exchange, without repeating it.
    func send(_ command: [UInt8]) throws(PCSCError) -> [UInt8]

    /// Connects again, with or without a reset.
    func reconnect(_ disposition: Disposition) throws(PCSCError)

    /// The number of insertions and removals; nil if no card is on the reader.
    var cardCounter: UInt16? { get }
}

/// Exchanges with a card. A read without side effects is repeated once after a failure.
struct CardRecovery {
    private var memory: CardMemory
    private let cardCounter: UInt16?

    /// Creates the state of a new connection, with its card counter.
    init(answerToReset: [UInt8], cardCounter: UInt16?) {
        memory = CardMemory(answerToReset: answerToReset)
        self.cardCounter = cardCounter
    }

    /// Performs one exchange, repeated at most once.
    mutating func transmit(_ command: [UInt8], over link: some CardLink) throws(PCSCError) -> [UInt8] {
        do throws(PCSCError) {
            return try send(command, link)
        } catch {
            try recover(from: error, after: command, link)
            return try send(command, link)
        }
    }

    /// Resets the card on request.
    mutating func reset(_ link: some CardLink) throws(PCSCError) {
        try link.reconnect(.reset)
        memory.cardWasReset()
    }

    private mutating func send(_ command: [UInt8], _ link: some CardLink) throws(PCSCError) -> [UInt8] {
        memory.willSend(command)
        let response = try link.send(command)
        memory.answered(command, with: response)
        return response
    }

    /// Throws if the command must not be repeated.
    private mutating func recover(
        from error: PCSCError, after command: [UInt8], _ link: some CardLink
    ) throws(PCSCError) {
        // pcscd reports this code for every driver failure, a removed tag included.
        if error.code == .notTransacted, cardCounter == nil || link.cardCounter != cardCounter {
            throw PCSCError(code: .removedCard, operation: error.operation)
        }
        switch memory.remedy(for: error.code, after: command) {
        case .none: throw error
        case .reset: try reset(link)
        case .rejoin(let identifying, let identifier):
            try link.reconnect(.leave)
            guard try send(identifying, link) == identifier else { throw error }
        }
    }
}

/// The state that the commands of a connection left in the card and the reader; it decides whether a failed command may be
/// repeated. A value: no I/O.
struct CardMemory {
    /// How a failed command may be repeated.
    enum Remedy: Equatable {
        /// Not at all.
        case none
        /// After a reset of the card.
        case reset
        /// After a reconnection without reset, if the card answers the command for its identifier as before.
        case rejoin(identifying: [UInt8], identifier: [UInt8])
    }

    private let technology: TagTechnology
    /// Whether a reset loses nothing: no key, no selected application, no selected sector.
    private var isStateless = true
    private var identifying: (command: [UInt8], answer: [UInt8])?

    /// Creates the state of a new connection.
    init(answerToReset: [UInt8]) {
        let answer = try? AnswerToReset(answerToReset)
        technology = answer.map { TagTechnology($0) } ?? .unknown
    }

    /// Takes a command that is about to be sent.
    mutating func willSend(_ command: [UInt8]) {
        guard isRead(command) || command.starts(with: [0xFF, 0xD6]) else {
            isStateless = false
            return
        }
    }

    /// Takes the response to a command.
    mutating func answered(_ command: [UInt8], with response: [UInt8]) {
        guard command.starts(with: [0xFF, 0xCA]), response.suffix(2) == [0x90, 0x00] else { return }
        identifying = (command, response)
    }

    /// Takes a reset of the card on request.
    mutating func cardWasReset() {
        isStateless = true
    }

    /// The remedy for a failure. Only reads are repeated, and only if a reset loses nothing.
    func remedy(for code: PCSCCode, after command: [UInt8]) -> Remedy {
        guard isStateless, isRead(command) else { return .none }
        switch code {
        case .notTransacted: return .reset
        case .resetCard:
            return identifying.map { .rejoin(identifying: $0.command, identifier: $0.answer) } ?? .none
        default: return .none
        }
    }

    /// `FF CA`, and `FF B0` on cards that need no key (PC/SC Part 3, Get Data and Read Binary).
    private func isRead(_ command: [UInt8]) -> Bool {
        if command.starts(with: [0xFF, 0xCA]) { return true }
        return command.starts(with: [0xFF, 0xB0]) && (technology == .type2 || technology == .iso15693)
    }
}
