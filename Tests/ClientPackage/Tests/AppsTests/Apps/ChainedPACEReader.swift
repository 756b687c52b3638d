import CoreNFC

/// Opens the chip of an identity card with PACE (ICAO Doc 9303-11, §4.4): MSE:SET AT and four GENERAL AUTHENTICATE, of which all but
/// the last are chained, each with an answer.
///
/// The numbers that it sends have the form of the protocol; real ones are points on a curve.
nonisolated struct ChainedPACEReader {
    /// What a card refused.
    struct Refusal: Error, Equatable {
        let step: Int
        let status: UInt16
    }

    let accessNumber: String

    /// Runs the protocol on the card of a session that polls for cards with PACE.
    ///
    /// - Returns: the card's token.
    func open() async throws -> [UInt8] {
        let found = try await TagFinder().find(NFCTagReaderSession.Configuration(pollingOption: .pace))
        defer { found.session.invalidate() }
        guard case .iso7816(let card) = found.tag else { throw NFCReaderError(.readerErrorUnsupportedFeature) }
        _ = try await Self.send(0, 0x00, 0x22, 0xC1A4, Self.mechanism, to: card)
        let nonce = try await Self.authenticate(1, [], answer: 0x80, to: card)
        let mapping = Self.object(0x81, Self.mapping(nonce, accessNumber))
        let mapped = try await Self.authenticate(2, mapping, answer: 0x82, to: card)
        let key = Self.key(mapped)
        let cardKey = try await Self.authenticate(3, Self.object(0x83, key), answer: 0x84, to: card)
        let token = Self.object(0x85, Self.token(key, cardKey))
        return try await Self.authenticate(4, token, answer: 0x86, to: card)
    }

    /// PACE-ECDH-GM-AES-CBC-CMAC-128 with the card access number.
    static let mechanism: [UInt8] = [
        0x80, 0x0A, 0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x02, 0x02, 0x83, 0x01, 0x02,
    ]

    static func mapping(_ nonce: [UInt8], _ accessNumber: String) -> [UInt8] {
        [0x04] + zip(nonce, accessNumber.utf8).map { $0 ^ $1 }
    }

    static func key(_ mapped: [UInt8]) -> [UInt8] { [0x04] + mapped.dropFirst().reversed() }

    /// Eight bytes that depend on both keys.
    static func token(_ key: [UInt8], _ other: [UInt8]) -> [UInt8] {
        let sum = (key + other).reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
        return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    static func object(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] { [tag, UInt8(value.count)] + value }

    /// GENERAL AUTHENTICATE with a data object in a template 7C; all but the fourth are chained.
    private static func authenticate(
        _ step: Int, _ data: [UInt8], answer tag: UInt8, to card: any NFCISO7816Tag
    ) async throws -> [UInt8] {
        let response = try await send(
            step, step < 4 ? 0x10 : 0x00, 0x86, 0, object(0x7C, data), expecting: 256, to: card)
        guard response.count >= 4, response[0] == 0x7C, response[2] == tag, Int(response[3]) == response.count - 4
        else {
            throw NFCReaderError(.readerTransceiveErrorTagResponseError)
        }
        return Array(response.dropFirst(4))
    }

    private static func send(
        _ step: Int, _ instructionClass: UInt8, _ instruction: UInt8, _ parameters: Int, _ data: [UInt8],
        expecting length: Int = -1, to card: any NFCISO7816Tag
    ) async throws -> [UInt8] {
        let apdu = NFCISO7816APDU(
            instructionClass: instructionClass, instructionCode: instruction, p1Parameter: UInt8(parameters >> 8),
            p2Parameter: UInt8(parameters & 0xFF), data: Data(data), expectedResponseLength: length)
        let (response, sw1, sw2): (Data, UInt8, UInt8) = try await card.sendCommand(apdu: apdu)
        guard sw1 == 0x90, sw2 == 0 else { throw Refusal(step: step, status: UInt16(sw1) << 8 | UInt16(sw2)) }
        return Array(response)
    }
}
