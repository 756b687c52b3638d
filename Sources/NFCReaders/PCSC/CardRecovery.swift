import PCSC

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
