/// The state and the firmware of a ``VirtualReader``.
struct ReaderSlot {
    var tag: any VirtualTag
    var log: ExchangeLog
    let settings: VirtualReader.Settings
    let kind: TagKind
    /// The keys of MIFARE Classic in the reader's volatile memory, by slot.
    var keys: [UInt8: [UInt8]] = [:]
    /// Whether a transparent session is open.
    var isSessionOpen = false
    private var isPowered = false
    /// Whether the tag refused its last command and is therefore mute.
    private var isTagMute = false

    init(tag: any VirtualTag, settings: VirtualReader.Settings) {
        self.tag = tag
        log = ExchangeLog(limit: settings.traceLimit)
        self.settings = settings
        kind = TagKind(tag)
    }

    mutating func powerOn() {
        isPowered = true
        activate()
    }

    mutating func powerOff() {
        isPowered = false
        isSessionOpen = false
        tag.fieldDropped()
        log.note(.fieldOff)
    }

    mutating func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let response = isPowered ? respond(to: apdu) : StatusWord.noDiagnosis
        log.note(.apdu(command: apdu, response: response))
        return response
    }

    private mutating func respond(to bytes: [UInt8]) -> [UInt8] {
        if kind == .iso14443Part4, bytes.first != 0xFF { return passToCard(bytes) }
        if kind == .mifareClassic, let response = respondObsolete(to: bytes) { return response }
        guard let apdu = ShortAPDU(bytes) else { return StatusWord.wrongLength }
        guard apdu.instructionClass == 0xFF else { return StatusWord.classNotSupported }
        if isSessionOpen, apdu.instructionCode != 0xC2 {
            return apdu.instructionCode == 0x00 ? StatusWord.notAllowed : StatusWord.functionNotSupported
        }
        switch apdu.instructionCode {
        case 0x00 where settings.passThrough == .pn53x: return pn53x(apdu)
        case 0x00 where settings.passThrough == .direct: return direct(apdu)
        case 0xA0 where settings.passThrough == .omnikey: return omnikey(apdu)
        case 0xC2 where settings.passThrough == .transparentSession: return transparent(apdu)
        case 0xCC where settings.isIdentiv: return identivEscape(apdu)
        case 0xCA: return getData(apdu)
        default: return respondByKind(to: apdu)
        }
    }

    private mutating func respondByKind(to apdu: ShortAPDU) -> [UInt8] {
        switch kind {
        case .type2: respondPages(to: apdu)
        case .mifareClassic: respondClassic(to: apdu)
        case .iso15693: respondISO15693(to: apdu)
        case .feliCa, .topaz: respondPackets(to: apdu)
        case .iso14443Part4: StatusWord.instructionNotSupported
        }
    }

    private mutating func respondPages(to apdu: ShortAPDU) -> [UInt8] {
        switch apdu.instructionCode {
        case 0xB0: readBinary(apdu)
        case 0xD6: updateBinary(apdu)
        default: StatusWord.instructionNotSupported
        }
    }

    /// FF B0: four pages from the one in P1 P2, cut to Le, or to what the reader gives at most.
    private mutating func readBinary(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return StatusWord.wrongLength }
        let limit = min(settings.maximumRead, 16)
        guard expected <= limit else { return StatusWord.rightLength(limit) }
        guard apdu.p1 == 0 else { return StatusWord.notFound }
        guard case .data(let data) = exchange([0x30, apdu.p2]), data.count == 16 else { return StatusWord.failed }
        return data.prefix(expected == 0 ? limit : expected) + StatusWord.done
    }

    /// FF D6: four bytes to the page in P1 P2.
    private mutating func updateBinary(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body, let data = body.data, data.count == 4, body.expected == nil else {
            return StatusWord.wrongLength
        }
        guard apdu.p1 == 0 else { return StatusWord.notFound }
        return exchange([0xA2, apdu.p2] + data) == .ack ? StatusWord.done : StatusWord.failed
    }

    /// Sends a frame to the tag, which is selected again first where it became mute and the reader does such things.
    mutating func exchange(
        _ command: [UInt8], isNative: Bool = false, silenceIsConsent: Bool = false
    ) -> TagAnswer {
        if isTagMute && settings.reactivatesAfterRefusal && !isNative { activate() }
        let answer = tag.exchange(command)
        log.note(.frame(command: command, answer: answer))
        switch answer {
        case .silence where silenceIsConsent: break
        case .nak, .silence: isTagMute = true
        case .data, .ack: break
        }
        return answer
    }

    mutating func activate() {
        tag.activate()
        isTagMute = false
        log.note(.activation)
    }
}

extension ShortAPDU {
    /// Le of a case 2 command, 0 for the maximum; nil in every other case.
    var expectedLength: Int? {
        guard let body, body.data == nil, let expected = body.expected else { return nil }
        return Int(expected)
    }
}
