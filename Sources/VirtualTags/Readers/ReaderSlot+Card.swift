extension ReaderSlot {
    /// Commands of ISO/IEC 7816-4 go to an ISO/IEC 14443-4 card as they are.
    mutating func passToCard(_ apdu: [UInt8]) -> [UInt8] {
        let isExtended = apdu.count > 5 && apdu[4] == 0
        guard apdu.count >= 4, settings.allowsExtendedLength || !isExtended else { return StatusWord.wrongLength }
        guard case .data(let response) = pass(apdu) else { return StatusWord.failed }
        return response
    }

    /// `FF CA`: P1 00 is the identifier; P1 01 the historical bytes, which a storage card does not have.
    func getData(_ apdu: ShortAPDU) -> [UInt8] {
        guard let expected = apdu.expectedLength else { return StatusWord.wrongLength }
        let data: [UInt8] =
            switch apdu.p1 {
            case 0: identifier
            case 1: (tag as? any ContactlessCard)?.historicalBytes ?? []
            default: []
            }
        guard apdu.p2 == 0, !data.isEmpty else { return StatusWord.functionNotSupported }
        guard expected == 0 || expected == data.count else { return StatusWord.rightLength(data.count) }
        return data + StatusWord.done
    }

    private var identifier: [UInt8] {
        let isReversed = kind == .iso15693 && settings.vicinity.reversesIdentifier
        return isReversed ? tag.identifier.reversed() : tag.identifier
    }
}
