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
