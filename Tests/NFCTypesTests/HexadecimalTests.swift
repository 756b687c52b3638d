import NFCTypes
import Testing

@Suite struct HexadecimalTests {
    @Test(arguments: [
        ([], ""), ([0x00], "00"), ([0x0A, 0xF0, 0xFF], "0AF0FF"), ([0x12, 0x34, 0x56, 0x78], "12345678"),
    ])
    func `bytes are written as upper-case digits and read back`(bytes: [UInt8], text: String) {
        #expect(Hexadecimal.string(bytes) == text)
        #expect(Hexadecimal.string(bytes[...]) == text)
        #expect(Hexadecimal.bytes(text) == bytes)
        #expect(Hexadecimal.bytes(text.lowercased()) == bytes)
    }

    @Test func `a number is written with all its digits`() {
        #expect(Hexadecimal.string(UInt8(0x0F)) == "0F")
        #expect(Hexadecimal.string(UInt16(0x12FC)) == "12FC")
        #expect(Hexadecimal.string(UInt32(0x8010_0069)) == "80100069")
    }

    @Test func `every byte is read back`() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.bytes(Hexadecimal.string(all)) == all)
    }

    @Test(arguments: ["0", "012", "0G", " 00", "00 ", "0x00", "00:11", "é", "０0"])
    func `a text that is not pairs of digits is rejected`(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test func `only digits have a value`() {
        let digits = (UInt8.min...UInt8.max).filter { Hexadecimal.value(ofDigit: $0) != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
        #expect(digits.compactMap { Hexadecimal.value(ofDigit: $0) } == Array(0...15) + Array(10...15))
    }
}
