import Synchronization

/// A PC/SC reader with an ISO/IEC 14443-4 card in its field: commands go to the card as they are, class FF stays here.
///
/// It knows `FF CA` GET DATA for the identifier (P1 00) and the historical bytes (P1 01), PC/SC part 3.
public final class ContactlessCardReader: VirtualCard {
    /// What differs from reader to reader.
    public struct Settings: Sendable, Hashable {
        /// Whether commands with extended length pass.
        public var allowsExtendedLength: Bool
        /// How many trace entries to keep, 0 for none.
        public var traceLimit: Int

        /// Settings of the common reader.
        public init(allowsExtendedLength: Bool = true, traceLimit: Int = 0) {
            self.allowsExtendedLength = allowsExtendedLength
            self.traceLimit = traceLimit
        }
    }

    /// The settings it was made with.
    public let settings: Settings
    private let slot: Mutex<ContactlessCardSlot>

    /// Puts a card into the field of a reader that is still off.
    public init(card: any ContactlessCard, settings: Settings = Settings()) {
        self.settings = settings
        slot = Mutex(ContactlessCardSlot(card: card, settings: settings))
    }

    /// `3B 8n 80 01`, the historical bytes and TCK (PC/SC part 3).
    public var answerToReset: [UInt8] {
        let historical = card.historicalBytes.prefix(15)
        let bytes = [0x3B, 0x80 | UInt8(truncatingIfNeeded: historical.count), 0x80, 0x01] + historical
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }

    /// Always true: a reader model does not lose its card, see ``FaultInjectingCard`` for that.
    public var isPresent: Bool { true }

    /// The card as it is now.
    public var card: any ContactlessCard { slot.withLock { $0.card } }

    /// What was exchanged since this reader was made.
    public var exchanges: ExchangeCount { slot.withLock { $0.log.count } }

    /// The latest exchanges, oldest first, as many as ``Settings/traceLimit`` allows.
    public var trace: [TraceEntry] { slot.withLock { $0.log.trace } }

    /// Switches the field on and selects the card.
    public func powerOn() {
        slot.withLock { $0.powerOn() }
    }

    /// Switches the field off.
    public func powerOff() {
        slot.withLock { $0.powerOff() }
    }

    /// Switches the field off and on.
    public func reset() {
        slot.withLock {
            $0.powerOff()
            $0.powerOn()
        }
    }

    /// Answers a command APDU with data and status word; never empty. Without power the answer is `6F 00`.
    public func transmit(_ apdu: [UInt8]) -> [UInt8] {
        slot.withLock { $0.transmit(apdu) }
    }
}
