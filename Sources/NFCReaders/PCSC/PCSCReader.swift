import NFCTags
import PCSC

/// A PC/SC reader: a context of its own, a shared connection, and a transaction for as long as it is held.
final class PCSCReader: BlockingReader {
    private let name: ReaderName
    private var context: Context?
    private var card: Card?
    private var buffer: [UInt8] = []
    private var recovery = CardRecovery(answerToReset: [], cardCounter: nil)

    init(name: ReaderName) {
        self.name = name
    }

    func connect() throws(CardChannelError) -> [UInt8] {
        do throws(PCSCError) {
            return try connectOnce()
        } catch {
            // A context from before a restart of pcscd is dead; a new one may work.
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
        card = nil
        if context == nil { context = try Context() }
        guard var connected = try context?.connect(to: name) else { return [] }
        try connected.beginTransaction()
        let atr = try connected.answerToReset()
        card = consume connected
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

    func disconnect() {
        try? card?.endTransaction()
        card = nil
        buffer = []
    }

    private func translate(_ error: PCSCError) -> CardChannelError {
        if error.code.kind == .serviceLost {
            card = nil
            context = nil
        }
        return CardChannelError(error)
    }
}

extension PCSCReader: CardLink {
    func send(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
        // 64 KiB, kept while there is a connection to fill it.
        if buffer.isEmpty { buffer = Card.makeBuffer() }
        let response = try card?.transmit(command, buffer: &buffer) ?? []
        // Some drivers report a card pulled during the exchange as success with nothing in it.
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

/// A connection to a card, as far as recovery needs it.
protocol CardLink: AnyObject {
    /// One exchange, tried once.
    func send(_ command: [UInt8]) throws(PCSCError) -> [UInt8]

    /// Connects anew, with or without a reset.
    func reconnect(_ disposition: Disposition) throws(PCSCError)

    /// The count of insertions and removals, if there is a card on the reader; nil without one.
    var cardCounter: UInt16? { get }
}

/// Exchanges with a card, and what is done when one fails: a read that can do no harm is sent once more.
struct CardRecovery {
    private var memory: CardMemory
    private let cardCounter: UInt16?

    /// For a fresh connection, with the count at that time.
    init(answerToReset: [UInt8], cardCounter: UInt16?) {
        memory = CardMemory(answerToReset: answerToReset)
        self.cardCounter = cardCounter
    }

    /// One exchange, at most two.
    mutating func transmit(_ command: [UInt8], over link: some CardLink) throws(PCSCError) -> [UInt8] {
        do throws(PCSCError) {
            return try send(command, link)
        } catch {
            try bringBack(after: command, error, link)
            return try send(command, link)
        }
    }

    /// Resets the card on purpose.
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

    /// Throws where the command is not to be sent once more.
    private mutating func bringBack(
        after command: [UInt8], _ error: PCSCError, _ link: some CardLink
    ) throws(PCSCError) {
        // pcscd gives this code for every failure of a driver, a pulled tag among them.
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

/// What went over a connection so far, as far as it tells whether a command that failed may be sent once more. A value: no
/// I/O.
struct CardMemory {
    /// How a failed command may be sent once more.
    enum Remedy: Equatable {
        /// Not at all.
        case none
        /// After a reset of the card.
        case reset
        /// After joining in again, if the card still answers as it did to the command that asks for its identifier.
        case rejoin(identifying: [UInt8], identifier: [UInt8])
    }

    private let technology: TagTechnology
    /// Whether a reset takes nothing away: no key, no selected application, no selected sector.
    private var isStateless = true
    private var identifying: (command: [UInt8], answer: [UInt8])?

    /// A fresh connection to the card with this answer to reset.
    init(answerToReset: [UInt8]) {
        let answer = try? AnswerToReset(answerToReset)
        technology = answer.map { TagTechnology($0) } ?? .unknown
    }

    /// A command is about to go out.
    mutating func willSend(_ command: [UInt8]) {
        guard isRead(command) || command.starts(with: [0xFF, 0xD6]) else {
            isStateless = false
            return
        }
    }

    /// A command was answered.
    mutating func answered(_ command: [UInt8], with response: [UInt8]) {
        guard command.starts(with: [0xFF, 0xCA]), response.suffix(2) == [0x90, 0x00] else { return }
        identifying = (command, response)
    }

    /// The card was reset on purpose.
    mutating func cardWasReset() {
        isStateless = true
    }

    /// What to do about a failure. Only reads are ever repeated, and only where the card had nothing to lose.
    func remedy(for code: PCSCCode, after command: [UInt8]) -> Remedy {
        guard isStateless, isRead(command) else { return .none }
        switch code {
        case .notTransacted: return .reset
        case .resetCard:
            return identifying.map { .rejoin(identifying: $0.command, identifier: $0.answer) } ?? .none
        default: return .none
        }
    }

    /// `FF CA`, and `FF B0` where no key comes before it (PC/SC Part 3, Get Data and Read Binary).
    private func isRead(_ command: [UInt8]) -> Bool {
        if command.starts(with: [0xFF, 0xCA]) { return true }
        return command.starts(with: [0xFF, 0xB0]) && (technology == .type2 || technology == .iso15693)
    }
}
