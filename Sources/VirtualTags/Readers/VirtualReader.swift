import Synchronization

/// A PC/SC reader with a tag in its field: identifier, read and write as pseudo-APDUs, and, where configured, a
/// pass-through for the tag's own commands. Commands for an ISO/IEC 14443-4 card go to it unchanged.
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
        /// Whether frames for FeliCa cards and Topaz tags pass in InDataExchange, `FF 00 00 00 Lc D4 40 01 …`, if there is
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
        if tag.technology.takesAPDUs {
            return VirtualAnswerToReset.contactless(historical: Self.historicalBytes(of: tag))
        }
        let usual = settings.names(for: tag)
        return VirtualAnswerToReset.storageCard(
            standard: settings.standard ?? usual.standard, cardName: settings.cardName ?? usual.cardName)
    }

    /// Those of a type A card, or what a reader makes of a type B card's answer.
    private static func historicalBytes(of tag: any VirtualTag) -> [UInt8] {
        if let card = tag as? any TypeBCard { return card.answerToRequest.historicalBytes }
        return (tag as? any ContactlessCard)?.historicalBytes ?? []
    }

    /// Whether the reader finds its tag. It does not lose one, see ``FaultInjectingCard`` for that.
    public var isPresent: Bool { tag.isDetectable }

    /// The current state of the tag.
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

    /// Answers a command APDU with data and status word; with nothing where a card of ISO/IEC 14443-4 stays silent. Without power the
    /// answer is `6F 00`.
    public func transmit(_ apdu: [UInt8]) -> [UInt8] {
        slot.withLock { $0.transmit(apdu) }
    }

    /// Sends the first frames of a command to an ISO/IEC 14443-4 card, then switches the field off.
    public func transmit(_ apdu: [UInt8], frames: Int) {
        slot.withLock { $0.transmit(apdu, frames: frames) }
    }
}

extension VirtualReader {
    /// How a reader deals with MIFARE Classic cards.
    public struct ClassicSupport: Sendable, Hashable {
        /// The commands for value blocks.
        public enum ValueCommands: Sendable, Hashable {
            /// `FF D7` and `FF B1`, as ACS readers have them.
            case acs
            /// `FF D4` and `FF D8`, as HID Omnikey readers have them.
            case hid
            /// None.
            case none
        }

        /// Whether it knows `FF 86`.
        public var hasGeneralAuthenticate: Bool
        /// Whether it knows the obsolete `FF 88`.
        public var hasObsoleteAuthenticate: Bool
        /// The most `FF B0` gives at once, in bytes.
        public var maximumRead: Int
        /// The commands for value blocks.
        public var valueCommands: ValueCommands

        /// The common reader: both ways to authenticate, one block at a time, value commands of ACS.
        public init(
            hasGeneralAuthenticate: Bool = true, hasObsoleteAuthenticate: Bool = true, maximumRead: Int = 16,
            valueCommands: ValueCommands = .acs
        ) {
            self.hasGeneralAuthenticate = hasGeneralAuthenticate
            self.hasObsoleteAuthenticate = hasObsoleteAuthenticate
            self.maximumRead = maximumRead
            self.valueCommands = valueCommands
        }
    }
}

extension VirtualReader {
    /// How a reader deals with ISO/IEC 15693 tags.
    public struct VicinitySupport: Sendable, Hashable {
        /// Whether `FF FD` lets frames pass, as uTrust readers do.
        public var passesFrames: Bool
        /// Whether `FF CA` gives the UID least significant byte first, as the ACR1552U does.
        public var reversesIdentifier: Bool
        /// Whether `FF B0` is refused with `63 00` unless Le is the size of a block.
        public var needsLength: Bool

        /// The common reader: block access only, E0 first, any length.
        public init(passesFrames: Bool = false, reversesIdentifier: Bool = false, needsLength: Bool = false) {
            self.passesFrames = passesFrames
            self.reversesIdentifier = reversesIdentifier
            self.needsLength = needsLength
        }
    }
}

extension VirtualReader.Settings {
    /// SS and NN NN of the answer to reset that the reader makes up for a tag.
    func names(for tag: any VirtualTag) -> (standard: UInt8, cardName: UInt16) {
        switch tag.technology {
        case .mifareClassic: (0x03, tag.cardName ?? 0x0001)
        case .iso15693: (0x0B, tag.cardName ?? 0x0000)
        case .feliCa: (feliCaName & 0xFF00 == 0xF000 ? 0x03 : 0x11, feliCaName)
        case .topaz: (0x03, topazName)
        case .type2, .iso14443Part4A, .iso14443Part4B: (0x03, tag.cardName ?? 0x0003)
        }
    }
}

/// The answers to reset that PC/SC readers make up (PC/SC part 3).
enum VirtualAnswerToReset {
    /// For a tag that has none, twenty bytes: 15 historical bytes with the RID of the PC/SC workgroup, `SS`,
    /// `NN NN`, and a valid TCK.
    static func storageCard(standard: UInt8, cardName: UInt16) -> [UInt8] {
        let head: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]
        let name = [UInt8(truncatingIfNeeded: cardName >> 8), UInt8(truncatingIfNeeded: cardName)]
        return contactless(historical: head + [standard] + name + [0, 0, 0, 0])
    }

    /// For a card of ISO/IEC 14443-4: `3B 8n 80 01`, up to 15 historical bytes, and TCK.
    static func contactless(historical: [UInt8]) -> [UInt8] {
        let historical = historical.prefix(15)
        let bytes = [0x3B, 0x80 | UInt8(truncatingIfNeeded: historical.count), 0x80, 0x01] + historical
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }
}

/// How much was exchanged with a card and the tag behind it.
public struct ExchangeCount: Sendable, Hashable {
    /// The APDUs the host sent to the reader.
    public var apdus = 0
    /// The command frames the reader sent to the tag; activations are not counted.
    public var frames = 0

    /// Counts from zero.
    public init() {}
}

/// One step in the trace of a reader model.
public enum TraceEntry: Sendable, Hashable {
    /// The field came on and the tag was selected.
    case activation
    /// The field went off.
    case fieldOff
    /// A command APDU and the response the host got.
    case apdu(command: [UInt8], response: [UInt8])
    /// A command frame and the tag's answer. It precedes the APDU that caused it.
    case frame(command: [UInt8], answer: VirtualTagAnswer)
}

/// Counts exchanges and keeps the latest of them.
struct ExchangeLog {
    private(set) var count = ExchangeCount()
    private(set) var trace: [TraceEntry] = []
    /// How many trace entries are kept, the oldest being dropped.
    let limit: Int

    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    mutating func note(_ entry: TraceEntry) {
        switch entry {
        case .apdu: count.apdus += 1
        case .frame: count.frames += 1
        case .activation, .fieldOff: break
        }
        guard limit > 0 else { return }
        if trace.count >= limit { trace.removeFirst(trace.count - limit + 1) }
        trace.append(entry)
    }
}
