/// The state and the firmware of a ``DataExchangeReader``.
struct DataExchangeSlot {
    var tag: any VirtualTag
    var log: ExchangeLog
    private var isPowered = false

    init(tag: any VirtualTag, log: ExchangeLog) {
        self.tag = tag
        self.log = log
    }

    mutating func powerOn() {
        isPowered = true
        tag.activate()
        log.note(.activation)
    }

    mutating func powerOff() {
        isPowered = false
        tag.fieldDropped()
        log.note(.fieldOff)
    }

    mutating func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let response = isPowered ? respond(to: apdu) : StatusWord.noDiagnosis
        log.note(.apdu(command: apdu, response: response))
        return response
    }

    private mutating func respond(to bytes: [UInt8]) -> [UInt8] {
        guard let apdu = ShortAPDU(bytes), let body = apdu.body else { return StatusWord.wrongLength }
        guard apdu.instructionClass == 0xFF else { return StatusWord.classNotSupported }
        switch apdu.instructionCode {
        case 0xCA: return getData(apdu, body)
        case 0x00: return directTransmit(apdu, body)
        default: return StatusWord.instructionNotSupported
        }
    }

    private func getData(_ apdu: ShortAPDU, _ body: ShortAPDU.Body) -> [UInt8] {
        guard body.data == nil, let expected = body.expected else { return StatusWord.wrongLength }
        guard apdu.p1 == 0, apdu.p2 == 0 else { return StatusWord.functionNotSupported }
        let identifier = tag.identifier
        guard expected == 0 || Int(expected) == identifier.count else {
            return StatusWord.rightLength(identifier.count)
        }
        return identifier + StatusWord.done
    }

    private mutating func directTransmit(_ apdu: ShortAPDU, _ body: ShortAPDU.Body) -> [UInt8] {
        guard let data = body.data, body.expected == nil else { return StatusWord.wrongLength }
        guard data.starts(with: [0xD4, 0x40, 0x01]), apdu.p1 == 0, apdu.p2 == 0 else { return StatusWord.failed }
        let frame = Array(data.dropFirst(3))
        let answer = tag.exchange(frame)
        log.note(.frame(command: frame, answer: answer))
        guard case .data(let bytes) = answer else { return [0xD5, 0x41, 0x01] + StatusWord.done }
        return [0xD5, 0x41, 0x00] + bytes + StatusWord.done
    }
}
