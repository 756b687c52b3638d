import Synchronization

/// A PC/SC reader with a tag in its field: identifier, read and write as pseudo-APDUs, and where the settings say so a
/// pass-through for the tag's own commands. Commands for an ISO/IEC 14443-4 card go to it as they are.
///
/// It knows `FF CA` GET DATA, `FF B0` READ BINARY and `FF D6` UPDATE BINARY of PC/SC part 3, in short form. A page goes
/// into P1 P2, a read fetches 16 bytes and hands over the first Le of them, a write takes 4 bytes. Whatever the tag
/// refuses comes back as `63 00`.
public final class VirtualReader: VirtualCard {
    /// What differs from reader to reader.
    public struct Settings: Sendable, Hashable {
        /// SS of the ATR: 03 is ISO/IEC 14443 type A part 3. Nil for that of the tag.
        public var standard: UInt8?
        /// NN NN of the ATR: 0003 is Ultralight and what readers report for NTAG; 003D is Ultralight EV1. Nil for that of the
        /// tag.
        public var cardName: UInt16?
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

        /// NN NN of a FeliCa card: 003B, or F011 and F012 with ACR122U.
        public var feliCaName: UInt16 = 0x003B
        /// NN NN of a Topaz tag: 0030, or F004 with readers of ACS.
        public var topazName: UInt16 = 0xF004
        /// The most `FF B0` gives of a Type 2 tag at once, in bytes.
        public var maximumRead = 16
        /// Whether frames for FeliCa cards and Topaz tags pass in InDataExchange, `FF 00 00 00 Lc D4 40 01 …`, where there is
        /// no other pass-through.
        public var exchangesData = true
        /// Whether it has the pseudo-APDUs of Identiv readers for FeliCa cards, Topaz tags and escape commands.
        public var isIdentiv = false
        /// Whether commands with extended length pass to an ISO/IEC 14443-4 card.
        public var allowsExtendedLength: Bool

        /// Settings of the common reader.
        public init(
            standard: UInt8? = nil, cardName: UInt16? = nil, reactivatesAfterRefusal: Bool = true,
            passThrough: PassThrough = .none, allowsExtendedLength: Bool = true, traceLimit: Int = 0
        ) {
            self.standard = standard
            self.cardName = cardName
            self.reactivatesAfterRefusal = reactivatesAfterRefusal
            self.passThrough = passThrough
            self.allowsExtendedLength = allowsExtendedLength
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
        /// `FF A0 00 05 Lc 01 00 nn frame`: OMNIKEY 5321.
        case omnikey
    }

    /// The settings it was made with.
    public let settings: Settings
    private let slot: Mutex<ReaderSlot>

    /// Puts a tag into the field of a reader that is still off.
    ///
    /// - Parameter settings: those of the common reader by default.
    public init(tag: any VirtualTag, settings: Settings = Settings()) {
        self.settings = settings
        slot = Mutex(ReaderSlot(tag: tag, settings: settings))
    }

    /// The twenty bytes of a storage card, or what the historical bytes of an ISO/IEC 14443-4 card come to.
    public var answerToReset: [UInt8] {
        let tag = tag
        if let card = tag as? any ContactlessCard { return AnswerToReset.contactless(historical: card.historicalBytes) }
        let usual = settings.names(for: tag)
        return AnswerToReset.storageCard(
            standard: settings.standard ?? usual.standard, cardName: settings.cardName ?? usual.cardName)
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
