import Synchronization

/// A PC/SC reader like the ACR122U: the identifier as a pseudo-APDU, and a tag's own frames in InDataExchange of its
/// PN53x.
///
/// It knows `FF CA` GET DATA and `FF 00 00 00 Lc D4 40 01 …`, in short form. The answer is `D5 41 00` and the tag's
/// frame, or `D5 41 01` where the tag is silent.
public final class DataExchangeReader: VirtualCard {
    /// What differs from tag to tag.
    public struct Settings: Sendable, Hashable {
        /// SS of the ATR.
        public var standard: UInt8
        /// NN NN of the ATR.
        public var cardName: UInt16
        /// How many trace entries to keep, 0 for none.
        public var traceLimit: Int

        /// Settings for a Topaz, as ACS readers report it.
        public static let topaz = Settings(standard: 0x03, cardName: 0xF004)

        /// Settings for a tag; by default for FeliCa, SS 11 and NN 003B.
        public init(standard: UInt8 = 0x11, cardName: UInt16 = 0x003B, traceLimit: Int = 0) {
            self.standard = standard
            self.cardName = cardName
            self.traceLimit = traceLimit
        }
    }

    /// The settings it was made with.
    public let settings: Settings
    private let slot: Mutex<DataExchangeSlot>

    /// Puts a tag into the field of a reader that is still off.
    public init(tag: any VirtualTag, settings: Settings = Settings()) {
        self.settings = settings
        slot = Mutex(DataExchangeSlot(tag: tag, log: ExchangeLog(limit: settings.traceLimit)))
    }

    /// The twenty-byte storage card ATR.
    public var answerToReset: [UInt8] {
        StorageCardATR.bytes(standard: settings.standard, cardName: settings.cardName)
    }

    /// Always true: a reader model does not lose its tag, see ``FaultInjectingCard`` for that.
    public var isPresent: Bool { true }

    /// The tag as it is now.
    public var tag: any VirtualTag { slot.withLock { $0.tag } }

    /// What was exchanged since this reader was made.
    public var exchanges: ExchangeCount { slot.withLock { $0.log.count } }

    /// The latest exchanges, oldest first, as many as ``Settings/traceLimit`` allows.
    public var trace: [TraceEntry] { slot.withLock { $0.log.trace } }

    /// Switches the field on and selects the tag.
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
