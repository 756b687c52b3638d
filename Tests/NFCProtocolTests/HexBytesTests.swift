import NFCProtocol
import Testing

@Suite struct HexBytesTests {
    @Test(arguments: [
        ("", [UInt8]()),
        ("00", [0]),
        ("ff", [255]),
        ("FF", [255]),
        ("aBcDeF", [0xAB, 0xCD, 0xEF]),
        ("0123456789", [0x01, 0x23, 0x45, 0x67, 0x89]),
    ])
    func `digits of either case are decoded`(text: String, bytes: [UInt8]) throws {
        #expect(HexBytes(text)?.bytes == bytes)
        #expect(try value([HexBytes].self, #"["\#(text)"]"#) == [HexBytes(bytes)])
    }

    @Test(arguments: [
        "0", "000", "0g", "G0", "0x00", " 00", "00 ", "00 11", "0\u{0}", "/0", ":0", "@0", "`0", "é", "٠٠", "00\n",
    ])
    func `an odd number of digits and other characters are refused`(text: String) throws {
        #expect(HexBytes(text) == nil)
        let quoted = try json([text])
        #expect(throws: DecodingError.self) { try value([HexBytes].self, quoted) }
    }

    @Test(arguments: ["1", "true", "null", "[]", "{}"])
    func `a value other than text is refused`(text: String) {
        #expect(throws: DecodingError.self) { try value([HexBytes].self, "[\(text)]") }
    }

    @Test func `every byte is decoded from its two upper-case digits`() throws {
        for byte in UInt8.min...UInt8.max {
            let text = HexBytes([byte]).description
            #expect(text.utf8.count == 2 && text == text.uppercased())
            #expect(HexBytes(text)?.bytes == [byte])
            #expect(HexBytes(text.lowercased())?.bytes == [byte])
        }
        let all = HexBytes(Array(UInt8.min...UInt8.max))
        #expect(HexBytes(all.description) == all)
        #expect(try value([HexBytes].self, json([all])) == [all])
    }

    @Test(arguments: [([UInt8](), #"[""]"#), ([0x0A, 0xF0], #"["0AF0"]"#)])
    func `bytes are encoded in upper case`(bytes: [UInt8], text: String) throws {
        #expect(try json([HexBytes(bytes)]) == text)
    }
}
