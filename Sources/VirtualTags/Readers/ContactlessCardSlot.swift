/// The state and the firmware of a ``ContactlessCardReader``.
struct ContactlessCardSlot {
    private(set) var card: any ContactlessCard
    private(set) var log: ExchangeLog
    private let allowsExtendedLength: Bool
    private var isPowered = false

    init(card: any ContactlessCard, settings: ContactlessCardReader.Settings) {
        self.card = card
        log = ExchangeLog(limit: settings.traceLimit)
        allowsExtendedLength = settings.allowsExtendedLength
    }

    mutating func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let response = isPowered ? respond(to: apdu) : StatusWord.noDiagnosis
        log.note(.apdu(command: apdu, response: response))
        return response
    }

    mutating func powerOn() {
        isPowered = true
        card.activate()
        log.note(.activation)
    }

    mutating func powerOff() {
        isPowered = false
        card.fieldDropped()
        log.note(.fieldOff)
    }

    private mutating func respond(to apdu: [UInt8]) -> [UInt8] {
        if apdu.first == 0xFF { return getData(apdu) }
        let isExtended = apdu.count > 5 && apdu[4] == 0
        guard apdu.count >= 4, allowsExtendedLength || !isExtended else { return StatusWord.wrongLength }
        let answer = card.exchange(apdu)
        log.note(.frame(command: apdu, answer: answer))
        guard case .data(let response) = answer else { return StatusWord.failed }
        return response
    }

    private func getData(_ bytes: [UInt8]) -> [UInt8] {
        guard let apdu = ShortAPDU(bytes) else { return StatusWord.wrongLength }
        guard apdu.instructionCode == 0xCA else { return StatusWord.instructionNotSupported }
        guard let body = apdu.body, body.data == nil, let expected = body.expected else {
            return StatusWord.wrongLength
        }
        let data = apdu.p1 == 0 ? card.identifier : card.historicalBytes
        guard apdu.p1 <= 1, apdu.p2 == 0, !data.isEmpty else { return StatusWord.functionNotSupported }
        guard expected == 0 || Int(expected) == data.count else { return StatusWord.rightLength(data.count) }
        return data + StatusWord.done
    }
}
