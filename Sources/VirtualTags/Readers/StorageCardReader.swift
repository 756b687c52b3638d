import Synchronization

/// A PC/SC reader with a storage card in its field: UID, read and write as pseudo-APDUs, and where the settings say so a
/// pass-through for the tag's own commands.
///
/// It knows `FF CA` GET DATA, `FF B0` READ BINARY and `FF D6` UPDATE BINARY of PC/SC part 3, in short form. A page goes
/// into P1 P2, a read fetches 16 bytes and hands over the first Le of them, a write takes 4 bytes. Whatever the tag
/// refuses comes back as `63 00`.
public final class StorageCardReader: VirtualCard {
    /// What differs from reader to reader.
    public struct Settings: Sendable, Hashable {
        /// SS of the ATR: 03 is ISO/IEC 14443 type A part 3.
        public var standard: UInt8
        /// NN NN of the ATR: 0003 is Ultralight and what readers report for NTAG; 003D is Ultralight EV1.
        public var cardName: UInt16
        /// Whether the reader selects a tag again before the next command after a refusal; if not, the tag stays mute
        /// until reset.
        public var reactivatesAfterRefusal: Bool
        /// How frames of the tag's own command set get through.
        public var passThrough: PassThrough
        /// How many trace entries to keep, 0 for none.
        public var traceLimit: Int
        /// How the reader deals with MIFARE Classic cards.
        public var classic = ClassicSupport()
        /// How the reader deals with ISO/IEC 15693 tags.
        public var vicinity = VicinitySupport()

        /// Settings of the common reader.
        public init(
            standard: UInt8 = 0x03, cardName: UInt16 = 0x0003, reactivatesAfterRefusal: Bool = true,
            passThrough: PassThrough = .none, traceLimit: Int = 0
        ) {
            self.standard = standard
            self.cardName = cardName
            self.reactivatesAfterRefusal = reactivatesAfterRefusal
            self.passThrough = passThrough
            self.traceLimit = traceLimit
        }
    }

    /// How a reader lets frames of the tag's own command set through.
    public enum PassThrough: String, Sendable, Hashable, CaseIterable {
        /// Not at all.
        case none
        /// `FF 00 00 00 Lc D4 …`: commands to the PN532 of an ACR122U.
        case pn53x
        /// `FF 00 00 00 Lc frame`: ACR1252U and its relatives.
        case direct
        /// `FF C2`, transparent sessions: ACR1552U.
        case transparentSession
    }

    /// The settings it was made with.
    public let settings: Settings
    private let slot: Mutex<StorageCardSlot>

    /// Puts a tag into the field of a reader that is still off.
    ///
    /// - Parameter settings: nil for the common reader with the answer to reset of this tag.
    public init(tag: any VirtualTag, settings: Settings? = nil) {
        let settings = settings ?? Settings(for: tag)
        self.settings = settings
        slot = Mutex(StorageCardSlot(tag: tag, settings: settings))
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
