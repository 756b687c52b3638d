import Testing

@testable import PCSC

@Suite struct `A PC/SC code` {
    static let kinds: [(UInt32, PCSCCode.Kind)] = [
        (0x8010_0069, .tagLost), (0x8010_000C, .tagLost), (0x8010_0067, .tagLost), (0x8010_0066, .tagLost),
        (0x8010_002F, .tagLost), (0x8010_0068, .tagReset), (0x8010_0017, .readerLost), (0x8010_0009, .readerLost),
        (0x8010_0013, .serviceLost), (0x8010_001D, .serviceLost), (0x8010_001E, .serviceLost),
        (0x8010_0003, .serviceLost), (0x8010_000B, .busy), (0x8010_006A, .refused), (0, .other), (0x8010_0002, .other),
        (0x8010_000A, .other), (0x8010_0016, .other), (0x8010_002E, .other), (0x8010_0001, .other),
        (0xFFFF_FFFF, .other),
    ]

    @Test(arguments: kinds) func `has a kind`(code: UInt32, kind: PCSCCode.Kind) {
        #expect(PCSCCode(rawValue: code).kind == kind)
    }

    static let words: [(PCSCCode, name: String, number: String)] = [
        (.success, "SCARD_S_SUCCESS", "0x0"), (.cancelled, "SCARD_E_CANCELLED", "0x80100002"),
        (.invalidHandle, "SCARD_E_INVALID_HANDLE", "0x80100003"),
        (.invalidParameter, "SCARD_E_INVALID_PARAMETER", "0x80100004"),
        (.insufficientBuffer, "SCARD_E_INSUFFICIENT_BUFFER", "0x80100008"),
        (.unknownReader, "SCARD_E_UNKNOWN_READER", "0x80100009"), (.timeout, "SCARD_E_TIMEOUT", "0x8010000A"),
        (.sharingViolation, "SCARD_E_SHARING_VIOLATION", "0x8010000B"),
        (.noSmartcard, "SCARD_E_NO_SMARTCARD", "0x8010000C"),
        (.protocolMismatch, "SCARD_E_PROTO_MISMATCH", "0x8010000F"),
        (.invalidValue, "SCARD_E_INVALID_VALUE", "0x80100011"),
        (.communicationError, "SCARD_F_COMM_ERROR", "0x80100013"),
        (.notTransacted, "SCARD_E_NOT_TRANSACTED", "0x80100016"),
        (.readerUnavailable, "SCARD_E_READER_UNAVAILABLE", "0x80100017"),
        (.noService, "SCARD_E_NO_SERVICE", "0x8010001D"), (.serviceStopped, "SCARD_E_SERVICE_STOPPED", "0x8010001E"),
        (.unsupportedFeature, "SCARD_E_UNSUPPORTED_FEATURE", "0x8010001F"),
        (.noReadersAvailable, "SCARD_E_NO_READERS_AVAILABLE", "0x8010002E"),
        (.communicationDataLost, "SCARD_E_COMM_DATA_LOST", "0x8010002F"),
        (.unresponsiveCard, "SCARD_W_UNRESPONSIVE_CARD", "0x80100066"),
        (.unpoweredCard, "SCARD_W_UNPOWERED_CARD", "0x80100067"), (.resetCard, "SCARD_W_RESET_CARD", "0x80100068"),
        (.removedCard, "SCARD_W_REMOVED_CARD", "0x80100069"),
        (.securityViolation, "SCARD_W_SECURITY_VIOLATION", "0x8010006A"),
    ]

    @Test(arguments: words)
    func `is described with a reason, PC/SC's name and its number`(code: PCSCCode, name: String, number: String) {
        #expect(code.description.hasSuffix(" (\(name), \(number))"))
        #expect(!code.description.hasPrefix(" "))
    }

    @Test(arguments: [0x8010_0001, 0x8010_0FFF, 0x1, 0xFFFF_FFFF] as [UInt32])
    func `without a name keeps its number`(code: UInt32) {
        let number = String(code, radix: 16, uppercase: true)
        #expect(PCSCCode(rawValue: code).rawValue == code)
        #expect(PCSCCode(rawValue: code).description == "PC/SC error 0x\(number)")
    }

    @Test func `is described after the function that failed`() {
        let error = PCSCError(code: .removedCard, operation: "SCardTransmit")
        #expect(error.description == "SCardTransmit: the card was removed (SCARD_W_REMOVED_CARD, 0x80100069)")
    }
}
