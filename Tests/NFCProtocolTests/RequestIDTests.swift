import FoundationEssentials
import NFCProtocol
import Testing

@Suite struct RequestIDTests {
    @Test(arguments: [
        (#""""#, RequestID.string("")),
        (#""abc""#, .string("abc")),
        (#""7""#, .string("7")),
        (#""\"\\\u00e9\n""#, .string("\"\\é\n")),
        ("0", .integer(0)),
        ("-1", .integer(-1)),
        ("7", .integer(7)),
        ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("1.0", .integer(1)),
        ("1e2", .integer(100)),
        ("1.5", .decimal(Decimal(sign: .plus, exponent: -1, significand: 15))),
        ("-0.25", .decimal(Decimal(sign: .minus, exponent: -2, significand: 25))),
        ("null", .null),
    ])
    func `text, a number and null are valid ids`(text: String, id: RequestID) throws {
        #expect(try value([RequestID].self, "[\(text)]") == [id])
    }

    @Test(arguments: [
        "true", "false", "[]", "[1]", "{}", #"{"id":1}"#, "1e999", "1e300", "1234567890123456789012345678901234567",
        "0.1234567890123456789012345678901234567",
    ])
    func `other values and numbers that would be rounded are refused`(text: String) {
        #expect(throws: DecodingError.self) { try value([RequestID].self, "[\(text)]") }
    }

    @Test(arguments: [
        (RequestID.string(""), #""""#),
        (.string("a/\"b"), #""a/\"b""#),
        (.integer(0), "0"),
        (.integer(-12), "-12"),
        (.integer(.max), "9223372036854775807"),
        (.null, "null"),
    ])
    func `an id is encoded as it was decoded`(id: RequestID, text: String) throws {
        #expect(try json([id]) == "[\(text)]")
        #expect(try value([RequestID].self, "[\(text)]") == [id])
    }

    @Test(arguments: [
        "1.5", "-0.001", "0.1", "9223372036854775808", "18446744073709551616", "9007199254740993.5",
        "1.000000000000000000001",
        "123456789012345678901234567890123456", "-0.12345678901234567890123456789012345",
    ])
    func `a number is encoded with its exact value`(text: String) throws {
        #expect(try json(try value([RequestID].self, "[\(text)]")) == "[\(text)]")
    }

    @Test func `a number and its text are different ids`() throws {
        #expect(try value([RequestID].self, #"["7"]"#) != value([RequestID].self, "[7]"))
    }
}
