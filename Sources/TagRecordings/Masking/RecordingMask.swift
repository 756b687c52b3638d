/// Removes secrets and contents from the exchanges of one connection before they are recorded.
///
/// Whatever is not known to be harmless is masked. The tables are written from ISO/IEC 7816-4, PC/SC part 3 with its supplement 2, the
/// data sheets of NXP and ST, JIS X 6319-4, the CTAP specification and the manuals of the readers. A value: no I/O.
public struct RecordingMask: Sendable {
    /// An exchange as it may be recorded.
    public struct Exchange: Sendable, Hashable {
        /// The command.
        public let command: MaskedBytes
        /// The response; nil if there was none.
        public let answer: MaskedBytes?

        /// Whether bytes are masked.
        public var isMasked: Bool { command.isMasked || answer?.isMasked == true }
    }

    /// What the commands so far have shown.
    private var context: MaskContext

    /// A mask for a connection.
    ///
    /// - Parameters:
    ///   - answerToReset: shows the kind of tag.
    ///   - isNew: whether every command since the tag was powered is passed to the mask. If not, what depends on earlier commands
    ///     is masked.
    public init(answerToReset: [UInt8], isNew: Bool) {
        context = MaskContext(answerToReset: answerToReset, isNew: isNew)
    }

    /// The tag was reset.
    public mutating func wasReset() { context.wasReset() }

    /// Takes an exchange.
    ///
    /// - Returns: the exchange as it may be recorded, without and with contents.
    public mutating func take(
        _ command: [UInt8], _ answer: [UInt8]?
    ) -> (withoutContent: Exchange, withContent: Exchange) {
        let secrecy = context.judge(command, answer ?? [])
        func exchange(_ withContent: Bool) -> Exchange {
            Exchange(
                command: ExchangeSecrecy.masked(command, secrecy.command, withContent: withContent),
                answer: answer.map { ExchangeSecrecy.masked($0, secrecy.answer, withContent: withContent) })
        }
        return (exchange(false), exchange(true))
    }
}

/// The kind of tag, as far as it matters for what is secret.
enum MaskedTechnology: Sendable, Hashable {
    case type2
    case classic
    case iso15693
    case feliCa
    case topaz
    case card
    case unknown

    /// By the card name that readers put into the ATR (PC/SC part 3 supplement); cards of ISO/IEC 14443-4 have their own bytes there.
    init(answerToReset bytes: [UInt8]) {
        guard bytes.count > 4 else {
            self = .unknown
            return
        }
        let historical = bytes.dropFirst(4)
        guard historical.starts(with: [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]), historical.count >= 11 else {
            self = bytes[2] == 0x80 && bytes[3] == 0x01 ? .card : .unknown
            return
        }
        let fields = Array(historical.dropFirst(8))
        self = Self.named(UInt16(fields[1]) << 8 | UInt16(fields[2]), standard: fields[0])
    }

    private static func named(_ name: UInt16, standard: UInt8) -> MaskedTechnology {
        switch (name, standard) {
        case (0x0001, _), (0x0002, _), (0x0026, _), (0x0036...0x0039, _): .classic
        case (0x0003, _), (0x003A, _), (0x003D, _), (0x003E, _), (0x003F, _): .type2
        case (0x0004, _), (0x002F, _), (0x0030, _), (0xF004, _), (0xFF40, _): .topaz
        case (0xF011, _), (0x003B, _), (_, 0x11): .feliCa
        case (_, 0x09...0x0C): .iso15693
        case (0x0000, 0x03): .type2
        default: .unknown
        }
    }
}

/// What the commands of a connection have shown so far.
struct MaskContext: Sendable {
    /// What the frames that continue a DESFire command hold.
    enum Continuation: Sendable, Hashable {
        case open
        case content
        case secret
    }

    let technology: MaskedTechnology
    /// What a DESFire frame AF continues.
    var continuation: Continuation
    /// Whether the application is one for security keys, or not known.
    var selected: Selection
    /// The answer to GET_VERSION of a Type 2 tag.
    var version: [UInt8]?
    /// Whether a Type 2 tag expects the second packet of SECTOR_SELECT.
    var expectsSector = false
    /// The sector of a Type 2 tag that frames address; nil if it is not known.
    var sector: UInt8?

    /// The selected application or file.
    enum Selection: Sendable, Hashable {
        case unknown
        case none
        case securityKey
        /// The capability container of a Type 4 tag, or the elementary file of versions: nothing that people put there.
        case capabilityContainer
        case other
    }

    init(answerToReset: [UInt8], isNew: Bool) {
        technology = MaskedTechnology(answerToReset: answerToReset)
        continuation = .secret
        selected = isNew ? .none : .unknown
        sector = isNew ? 0 : nil
    }

    mutating func wasReset() {
        self = MaskContext(of: self)
    }

    private init(of former: MaskContext) {
        technology = former.technology
        version = former.version
        continuation = .secret
        selected = .none
        sector = 0
    }

    /// How secret the bytes of an exchange are.
    mutating func judge(_ command: [UInt8], _ answer: [UInt8]) -> ExchangeSecrecy {
        var secrecy = ExchangeSecrecy(commandCount: command.count, answerCount: answer.count)
        // The obsolete AUTHENTICATE of readers, which names a key by its number, is not a well-formed APDU.
        if command.starts(with: [0xFF, 0x88, 0x00]), command.count == 6 { return secrecy }
        guard let apdu = APDULayout(command) else {
            secrecy.mark(command: 2..<command.count.atLeast(2), .secret)
            secrecy.mark(answer: answer.withoutStatus, .secret)
            return secrecy
        }
        switch apdu.instructionClass {
        case 0xFF: judgeReader(apdu, command, answer, &secrecy)
        case 0x90: judgeDESFire(apdu, command, answer, &secrecy)
        default: judgeCard(apdu, command, answer, &secrecy)
        }
        return secrecy
    }
}

extension Int {
    func atLeast(_ bound: Int) -> Int { Swift.max(self, bound) }
}

extension [UInt8] {
    /// The data of a response: all but its status word.
    var withoutStatus: Range<Int> { 0..<(count - 2).atLeast(0) }
    /// Whether the response reports success.
    var isSuccess: Bool { suffix(2).elementsEqual([0x90, 0x00]) }
}
