import ISO7816
import NFCTags
import Testing

@Suite struct `A tag error` {
    static let names: [(code: NFCErrorCode, number: Int, name: String, text: String)] = [
        (.unsupportedFeature, 1, "UnsupportedFeature", "Feature not supported"),
        (.tagConnectionLost, 100, "TagConnectionLost", "Tag connection lost"),
        (.retryExceeded, 101, "RetryExceeded", "Retry limit exceeded"),
        (.tagResponseError, 102, "TagResponseError", "Tag response error / no response"),
        (.tagNotConnected, 104, "TagNotConnected", "Tag is not connected"),
        (.packetTooLong, 105, "PacketTooLong", "Packet too long"),
        (.sessionTerminatedUnexpectedly, 202, "SessionTerminatedUnexpectedly", "Session invalidated unexpectedly"),
        (.systemIsBusy, 203, "SystemIsBusy", "System resource unavailable"),
        (.tagNotWritable, 400, "TagNotWritable", "NDEF tag is not writable"),
        (.tagUpdateFailure, 401, "TagUpdateFailure", "NDEF write failed"),
        (.tagSizeTooSmall, 402, "TagSizeTooSmall", "NDEF tag is too small"),
        (.zeroLengthMessage, 403, "ZeroLengthMessage", "NDEF tag contains no message"),
        (NFCErrorCode(rawValue: 999), 999, "Code999", "Error 999"),
    ]

    @Test(arguments: names)
    func `has CoreNFC's number, name and text`(code: NFCErrorCode, number: Int, name: String, text: String) {
        #expect(code.rawValue == number)
        #expect(code.name == name)
        #expect(code.description == text)
    }

    static let outcomes: [(failure: CardChannelError, code: NFCErrorCode, words: String)] = [
        (.tagLost, .tagConnectionLost, "the tag left the field"),
        (.timedOut, .tagResponseError, "the tag did not answer in time"),
        (.readerFailed, .sessionTerminatedUnexpectedly, "the reader stopped working"),
        (.busy, .systemIsBusy, "another program holds the reader; 'sudo nfcctl doctor' shows which"),
        (.transport(code: 0x8010_0016, message: "not transacted"), .tagResponseError, "not transacted (0x80100016)"),
        (.transport(code: 0x1F, message: "odd"), .tagResponseError, "odd (0x0000001F)"),
    ]

    @Test(arguments: outcomes)
    func `describes the failed exchange`(
        failure: CardChannelError, code: NFCErrorCode, words: String
    ) async {
        let tag = FakeTag(Images.ntag213([]), .init(failures: [1: failure]))
        let error = await #expect(throws: TagError.self) { try await Type2Tag(channel: tag).readNDEF() }
        #expect(error?.code == code)
        #expect(error?.detail == "no answer to FFB0000010: \(words)")
        #expect(error?.description == "\(code): no answer to FFB0000010: \(words)")
        #expect(error?.response == nil)
        #expect(error?.statusWord == nil)
    }
}
