@testable import CoreNFC
import Testing

@Suite struct APDUTests {
    /// Data size, expected length, and the bytes around the data.
    @Test(arguments: [
        (0, -1, "00A40400", ""), (0, 1, "00A40400 01", ""), (0, 255, "00A40400 FF", ""), (0, 256, "00A40400 00", ""),
        (0, 257, "00A40400 00 0101", ""), (0, 65_535, "00A40400 00 FFFF", ""), (0, 65_536, "00A40400 00 0000", ""),
        (1, -1, "00A40400 01", ""), (255, -1, "00A40400 FF", ""), (255, 256, "00A40400 FF", "00"),
        (255, 257, "00A40400 00 00FF", "0101"), (256, -1, "00A40400 00 0100", ""),
        (256, 256, "00A40400 00 0100", "0100"),
        // Computed from SW2 of 6100, as Le itself counts.
        (0, 0, "00A40400 00", ""), (255, 0, "00A40400 FF", "00"), (256, 0, "00A40400 00 0100", "0100"),
        (0, -2, "00A40400", ""), (1, .min, "00A40400 01", ""),
        (65_535, 65_536, "00A40400 00 FFFF", "0000"),
    ])
    func `Lc and Le take the shortest form that carries both`(count: Int, le: Int, head: String, tail: String) throws {
        let data = Data(repeating: 0xD5, count: count)
        #expect(try Self.select(data, le).encoded() == Array(Data(hex: head) + data + Data(hex: tail)))
    }

    @Test(arguments: [65_537, Int.max])
    func `an expected length outside its range is not sent`(le: Int) {
        #expect(throws: NFCReaderError.self) { try Self.select(Data(), le).encoded() }
        #expect(Self.code(of: Self.select(Data(), le)) == .readerErrorParameterOutOfBound)
    }

    @Test func `data that no Lc can count is not sent`() {
        #expect(Self.code(of: Self.select(Data(count: 65_536), -1)) == .readerErrorInvalidParameterLength)
    }

    /// Bytes, data size, expected length: the seven forms.
    @Test(arguments: [
        ("00B00102", nil, -1), ("00B00102 10", nil, 16), ("00B00102 00", nil, 256), ("00B00102 01 AA", 1, -1),
        ("00B00102 01 AA 00", 1, 256), ("00B00102 00 0010", nil, 16), ("00B00102 00 0000", nil, 65_536),
        ("00B00102 00 0001 AA", 1, -1), ("00B00102 00 0001 AA 0100", 1, 256),
    ])
    func `all seven forms are parsed, and sent as they came`(bytes: String, count: Int?, le: Int) throws {
        let command = try #require(NFCISO7816APDU(data: Data(hex: bytes)))
        #expect((command.instructionClass, command.instructionCode) == (0x00, 0xB0))
        #expect((command.p1Parameter, command.p2Parameter) == (0x01, 0x02))
        #expect(command.data?.count == count)
        #expect(command.expectedResponseLength == le)
        #expect(try command.encoded() == Array(Data(hex: bytes)))
    }

    @Test(arguments: ["", "00B001", "00B00102 02 AA", "00B00102 01 AA 00 00", "00B00102 00 00", "00B00102 00 0000 00"])
    func `bytes whose lengths do not add up are not a command`(bytes: String) {
        #expect(NFCISO7816APDU(data: Data(hex: bytes)) == nil)
    }

    @Test func `empty data reads nil, and a copy has all fields`() throws {
        let command = Self.select(Data(), 256)
        #expect(command.data == nil)
        let copy = try #require(Self.select(Data([1]), 3).copy() as? NFCISO7816APDU)
        #expect((copy.instructionClass, copy.instructionCode, copy.p1Parameter) == (0x00, 0xA4, 0x04))
        #expect((copy.data, copy.expectedResponseLength) == (Data([1]), 3))
    }

    @Test func `data that is a slice counts from 0`() {
        #expect(Self.select(Data([9, 1, 2]).dropFirst(), -1).data?.startIndex == 0)
        #expect(Self.select(Data([9, 1, 2]).dropFirst(), -1).data == Data([1, 2]))
    }

    @Test func `a response is made by either spelling`() {
        let misspelt = NFCISO7816ResponseAPDU(statusWord1: 0x6A, statusWord2: 0x82, paylaod: Data([1]))
        let right = NFCISO7816ResponseAPDU(statusWord1: 0x6A, statusWord2: 0x82, payload: Data([1]))
        #expect((misspelt.statusWord1, misspelt.statusWord2, misspelt.payload) == (0x6A, 0x82, Data([1])))
        #expect((right.statusWord1, right.statusWord2, right.payload) == (0x6A, 0x82, Data([1])))
    }

    private static func select(_ data: Data, _ le: Int) -> NFCISO7816APDU {
        NFCISO7816APDU(
            instructionClass: 0x00, instructionCode: 0xA4, p1Parameter: 0x04, p2Parameter: 0x00, data: data,
            expectedResponseLength: le)
    }

    private static func code(of command: NFCISO7816APDU) -> NFCReaderError.Code? {
        do throws(NFCReaderError) {
            _ = try command.encoded()
            return nil
        } catch {
            return error.code
        }
    }
}
