/// The state and the firmware of a ``StorageCardReader``.
struct StorageCardSlot {
    var tag: any VirtualTag
    var log: ExchangeLog
    let classic: StorageCardReader.ClassicSupport
    let vicinity: StorageCardReader.VicinitySupport
    /// The keys of MIFARE Classic in the reader's volatile memory, by slot.
    var keys: [UInt8: [UInt8]] = [:]
    private let reactivates: Bool
    private let passThrough: StorageCardReader.PassThrough
    /// Whether a transparent session is open.
    var isSessionOpen = false
    private var isPowered = false
    /// Whether the tag refused its last command and is therefore mute.
    private var isTagMute = false

    init(tag: any VirtualTag, settings: StorageCardReader.Settings) {
        self.tag = tag
        log = ExchangeLog(limit: settings.traceLimit)
        classic = settings.classic
        vicinity = settings.vicinity
        reactivates = settings.reactivatesAfterRefusal
        passThrough = settings.passThrough
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
        if tag is MIFAREClassicTag, let response = respondObsolete(to: bytes) { return response }
        guard let apdu = ShortAPDU(bytes) else { return StatusWord.wrongLength }
        guard apdu.instructionClass == 0xFF else { return StatusWord.classNotSupported }
        if isSessionOpen, apdu.instructionCode != 0xC2 {
            return apdu.instructionCode == 0x00 ? StatusWord.notAllowed : StatusWord.functionNotSupported
        }
        switch apdu.instructionCode {
        case 0x00 where passThrough == .pn53x: return pn53x(apdu)
        case 0x00 where passThrough == .direct: return direct(apdu)
        case 0xC2 where passThrough == .transparentSession: return transparent(apdu)
        case 0xCA: return getData(apdu)
        case _ where tag is MIFAREClassicTag: return respondClassic(to: apdu)
        case _ where tag is ISO15693Tag: return respondISO15693(to: apdu)
        case 0xB0: return readBinary(apdu)
        case 0xD6: return updateBinary(apdu)
        default: return StatusWord.instructionNotSupported
        }
    }

    /// FF CA: P1 00 is the identifier; P1 01 would be the historical bytes, which a storage card does not have.
    private func getData(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return StatusWord.wrongLength }
        guard apdu.p1 == 0, apdu.p2 == 0 else { return StatusWord.functionNotSupported }
        let isReversed = tag is ISO15693Tag && vicinity.reversesIdentifier
        let identifier = isReversed ? tag.identifier.reversed() : tag.identifier
        guard expected == 0 || expected == identifier.count else { return StatusWord.rightLength(identifier.count) }
        return identifier + StatusWord.done
    }

    /// FF B0: four pages from the one in P1 P2, cut to Le.
    private mutating func readBinary(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return StatusWord.wrongLength }
        guard expected <= 16 else { return StatusWord.rightLength(16) }
        guard apdu.p1 == 0 else { return StatusWord.notFound }
        guard case .data(let data) = exchange([0x30, apdu.p2]), data.count == 16 else { return StatusWord.failed }
        return data.prefix(expected == 0 ? 16 : expected) + StatusWord.done
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
        if isTagMute && reactivates && !isNative { activate() }
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
