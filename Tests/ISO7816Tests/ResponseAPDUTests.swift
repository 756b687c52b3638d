import ISO7816
import Testing
import TestSupport

@Suite struct `A response APDU` {
    static let rows: [(bytes: String, data: String, statusWord: UInt16)] = [
        ("9000", "", 0x9000),
        ("6A82", "", 0x6A82),
        ("04A1B2C3D4E5F69000", "04A1B2C3D4E5F6", 0x9000),
        ("90009000", "9000", 0x9000),
        ("009000 6282", "009000", 0x6282),
    ]

    @Test(arguments: rows)
    func `the last two bytes are the status word`(bytes: String, data: String, statusWord: UInt16) throws {
        let response = try ResponseAPDU(bytes: hex(bytes))
        #expect(response.data == hex(data))
        #expect(response.statusWord.rawValue == statusWord)
        #expect(response.bytes == hex(bytes))
    }

    @Test(arguments: ["", "90", "00"])
    func `fewer than two bytes are an error that keeps them`(bytes: String) {
        let error = ResponseAPDUError.statusWordMissing(hex(bytes))
        #expect(throws: error) { try ResponseAPDU(bytes: hex(bytes)) }
        #expect(error.description.contains(bytes.isEmpty ? "empty" : bytes))
    }

    @Test func `it can be created from its parts`() {
        let response = ResponseAPDU(data: [1, 2], statusWord: .success)
        #expect(response.bytes == [1, 2, 0x90, 0x00])
        #expect(ResponseAPDU(statusWord: .wrongLength).data.isEmpty)
    }
}

@Suite struct `A status word` {
    @Test func `every value is carried and described`() {
        for rawValue in UInt16.min...UInt16.max {
            let statusWord = StatusWord(rawValue: rawValue)
            #expect(StatusWord(sw1: statusWord.sw1, sw2: statusWord.sw2) == statusWord)
            #expect(statusWord.description.count >= 4)
        }
    }

    static let described: [(rawValue: UInt16, words: String)] = [
        (0x9000, "9000 (done)"),
        (0x6282, "6282 (data ended before the expected length)"),
        (0x6300, "6300 (operation failed: refused, no answer or not authenticated)"),
        (0x6310, "6310 (warning)"),
        (0x63C2, "63C2 (verification failed, 2 tries left)"),
        (0x6581, "6581 (memory failure)"),
        (0x6700, "6700 (wrong length)"),
        (0x6900, "6900 (command not allowed now)"),
        (0x6982, "6982 (security status not satisfied)"),
        (0x69F0, "69F0 (command not allowed)"),
        (0x6A81, "6A81 (function not supported)"),
        (0x6A82, "6A82 (file, application or block not found)"),
        (0x6B00, "6B00 (offset outside the file)"),
        (0x6110, "6110 (16 more bytes, fetch them with GET RESPONSE)"),
        (0x6100, "6100 (256 more bytes, fetch them with GET RESPONSE)"),
        (0x6C04, "6C04 (wrong expected length, 4 is right)"),
        (0x91AE, "91AE (native DESFire status: authentication error)"),
        (0x91BE, "91BE (native DESFire status BE)"),
        (0x1234, "1234"),
    ]

    @Test(arguments: described)
    func `known values are described in words`(rawValue: UInt16, words: String) {
        #expect(StatusWord(rawValue: rawValue).description == words)
    }

    static let named: [(statusWord: StatusWord, rawValue: UInt16)] = [
        (.success, 0x9000), (.endOfData, 0x6282), (.operationFailed, 0x6300), (.wrongLength, 0x6700),
        (.functionNotSupported, 0x6A81), (.instructionNotSupported, 0x6D00),
    ]

    @Test(arguments: named)
    func `named values have their numbers and a meaning`(statusWord: StatusWord, rawValue: UInt16) {
        #expect(statusWord.rawValue == rawValue)
        #expect(statusWord.meaning != nil)
        #expect(statusWord.isSuccess == (rawValue == 0x9000))
    }

    @Test func `counts are read from the second byte only if it holds one`() {
        #expect(StatusWord(rawValue: 0x6105).remainingLength == 5)
        #expect(StatusWord(rawValue: 0x6100).remainingLength == 256)
        #expect(StatusWord(rawValue: 0x6C10).correctLength == 16)
        #expect(StatusWord(rawValue: 0x6C00).correctLength == 256)
        #expect(StatusWord(rawValue: 0x63C0).remainingTries == 0)
        #expect(StatusWord.success.remainingLength == nil)
        #expect(StatusWord.success.correctLength == nil)
        #expect(StatusWord.operationFailed.remainingTries == nil)
    }
}
