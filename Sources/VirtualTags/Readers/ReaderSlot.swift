/// The state and the firmware of a ``VirtualReader``.
struct ReaderSlot {
    var tag: any VirtualTag
    var log: ExchangeLog
    let settings: VirtualReader.Settings
    let kind: VirtualTagTechnology
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
        kind = tag.technology
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
        let response = isPowered ? respond(to: apdu) : VirtualStatusWord.noDiagnosis
        log.note(.apdu(command: apdu, response: response))
        return response
    }

    /// Passes the first frames of a command to a card, then switches the field off.
    mutating func transmit(_ apdu: [UInt8], frames: Int) {
        if isPowered, kind.takesAPDUs, apdu.first != 0xFF { tag.receive(apdu, frames: frames) }
        log.note(.apdu(command: apdu, response: []))
        powerOff()
    }

    private mutating func respond(to bytes: [UInt8]) -> [UInt8] {
        if kind.takesAPDUs, bytes.first != 0xFF { return passToCard(bytes) }
        if kind == .mifareClassic, let response = respondObsolete(to: bytes) { return response }
        guard let apdu = ShortAPDU(bytes) else { return VirtualStatusWord.wrongLength }
        guard apdu.instructionClass == 0xFF else { return VirtualStatusWord.classNotSupported }
        if isSessionOpen, apdu.instructionCode != 0xC2 {
            return apdu.instructionCode == 0x00 ? VirtualStatusWord.notAllowed : VirtualStatusWord.functionNotSupported
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
        case .iso14443Part4A, .iso14443Part4B: VirtualStatusWord.instructionNotSupported
        }
    }

    private mutating func respondPages(to apdu: ShortAPDU) -> [UInt8] {
        switch apdu.instructionCode {
        case 0xB0: readBinary(apdu)
        case 0xD6: updateBinary(apdu)
        default: VirtualStatusWord.instructionNotSupported
        }
    }

    /// FF B0: four pages from the one in P1 P2, cut to Le, or to what the reader gives at most.
    private mutating func readBinary(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return VirtualStatusWord.wrongLength }
        let limit = min(settings.maximumRead, 16)
        guard expected <= limit else { return VirtualStatusWord.rightLength(limit) }
        guard apdu.p1 == 0 else { return VirtualStatusWord.notFound }
        guard case .data(let data) = exchange([0x30, apdu.p2]), data.count == 16 else {
            return VirtualStatusWord.failed
        }
        return data.prefix(expected == 0 ? limit : expected) + VirtualStatusWord.done
    }

    /// FF D6: four bytes to the page in P1 P2.
    private mutating func updateBinary(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body, let data = body.data, data.count == 4, body.expected == nil else {
            return VirtualStatusWord.wrongLength
        }
        guard apdu.p1 == 0 else { return VirtualStatusWord.notFound }
        return exchange([0xA2, apdu.p2] + data) == .ack ? VirtualStatusWord.done : VirtualStatusWord.failed
    }

    /// Sends a frame to the tag, which is selected again first where it became mute and the reader does such things.
    mutating func exchange(
        _ command: [UInt8], isNative: Bool = false, silenceIsConsent: Bool = false
    ) -> VirtualTagAnswer {
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

extension ReaderSlot {
    /// Commands of ISO/IEC 7816-4 go to an ISO/IEC 14443-4 card unchanged.
    mutating func passToCard(_ apdu: [UInt8]) -> [UInt8] {
        let isExtended = apdu.count > 5 && apdu[4] == 0
        guard apdu.count >= 4, settings.allowsExtendedLength || !isExtended else {
            return VirtualStatusWord.wrongLength
        }
        // A card that stays silent gives the host no response; any status word would be one of the card.
        guard case .data(let response) = pass(apdu) else { return [] }
        return response
    }

    /// `FF CA`: P1 00 is the identifier; P1 01 the historical bytes, which a storage card does not have.
    func getData(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return VirtualStatusWord.wrongLength }
        let data: [UInt8] =
            switch apdu.p1 {
            case 0: identifier
            case 1: (tag as? any ContactlessCard)?.historicalBytes ?? []
            default: []
            }
        guard apdu.p2 == 0, !data.isEmpty else { return VirtualStatusWord.functionNotSupported }
        guard expected == 0 || expected == data.count else { return VirtualStatusWord.rightLength(data.count) }
        return data + VirtualStatusWord.done
    }

    private var identifier: [UInt8] {
        let isReversed = kind == .iso15693 && settings.vicinity.reversesIdentifier
        return isReversed ? tag.identifier.reversed() : tag.identifier
    }
}

extension ReaderSlot {
    /// `FF B0` and `FF D6` by block (PC/SC part 3), and raw frames where the reader lets them pass.
    mutating func respondISO15693(to apdu: ShortAPDU) -> [UInt8] {
        switch apdu.instructionCode {
        case 0xB0: return readVicinity(apdu)
        case 0xD6: return writeVicinity(apdu)
        case 0xFD where settings.vicinity.passesFrames: return passFrame(apdu)
        default: return VirtualStatusWord.instructionNotSupported
        }
    }

    /// P1 P2 is the block; Le 00 asks for one.
    private mutating func readVicinity(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return VirtualStatusWord.wrongLength }
        let block = readCommand(0x20, apdu.p1, apdu.p2)
        guard case .data(let answer) = exchange(block), answer.first == 0 else { return VirtualStatusWord.failed }
        let size = answer.count - 1
        guard expected == size || !settings.vicinity.needsLength else { return VirtualStatusWord.failed }
        guard expected == 0 || expected == size else { return VirtualStatusWord.rightLength(size) }
        return answer.dropFirst() + VirtualStatusWord.done
    }

    private mutating func writeVicinity(_ apdu: ShortAPDU) -> [UInt8] {
        guard let data = apdu.commandData else { return VirtualStatusWord.wrongLength }
        let command = readCommand(0x21, apdu.p1, apdu.p2) + data
        guard case .data(let answer) = exchange(command) else { return VirtualStatusWord.failed }
        return answer.first == 0 ? VirtualStatusWord.done : VirtualStatusWord.failed
    }

    /// The short command for blocks up to 255, the extended one above.
    private func readCommand(_ code: UInt8, _ high: UInt8, _ low: UInt8) -> [UInt8] {
        high == 0 ? [0x02, code, low] : [0x02, code + 0x10, low, high]
    }

    /// `FF FD FWT type Lc frame 00`: the frame unchanged, the answer with its flags.
    private mutating func passFrame(_ apdu: ShortAPDU) -> [UInt8] {
        guard let body = apdu.body, let frame = body.data, body.expected == 0 else {
            return VirtualStatusWord.wrongLength
        }
        guard case .data(let answer) = exchange(frame) else { return VirtualStatusWord.failed }
        return answer + VirtualStatusWord.done
    }
}
