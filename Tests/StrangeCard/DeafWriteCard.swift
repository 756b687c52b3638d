import VirtualTags

/// An NTAG213 that says yes to every write and keeps what it has.
struct DeafWriteCard: VirtualCard {
    private let card: VirtualReader

    init() throws { card = try .helloCard() }

    var answerToReset: [UInt8] { card.answerToReset }
    var isPresent: Bool { true }

    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }
    func reset() { card.reset() }

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        apdu.starts(with: [0xFF, 0xD6]) ? [0x90, 0x00] : card.transmit(apdu)
    }
}

extension VirtualReader {
    /// One with an NTAG213 that holds the text "Hello".
    static func helloCard() throws -> VirtualReader {
        let message: [UInt8] = [0xD1, 0x01, 0x08, 0x54, 0x02, 0x65, 0x6E] + Array("Hello".utf8)
        return VirtualReader(tag: try VirtualTagModel.named("ntag213").makeTag(ndefMessage: message))
    }
}
