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
        ("1.5", .fraction(1.5)),
        ("-0.25", .fraction(-0.25)),
        ("1e300", .fraction(1e300)),
        ("null", .null),
    ])
    func `text, a number and null are ids`(text: String, id: RequestID) throws {
        #expect(try value([RequestID].self, "[\(text)]") == [id])
    }

    @Test(arguments: ["true", "false", "[]", "[1]", "{}", #"{"id":1}"#, "1e999"])
    func `nothing else is an id`(text: String) {
        #expect(throws: DecodingError.self) { try value([RequestID].self, "[\(text)]") }
    }

    @Test(arguments: [
        (RequestID.string(""), #""""#),
        (.string("a/\"b"), #""a/\"b""#),
        (.integer(0), "0"),
        (.integer(-12), "-12"),
        (.integer(.max), "9223372036854775807"),
        (.fraction(1.5), "1.5"),
        (.null, "null"),
    ])
    func `an id is written as it was read`(id: RequestID, text: String) throws {
        #expect(try json([id]) == "[\(text)]")
        #expect(try value([RequestID].self, "[\(text)]") == [id])
    }

    @Test func `the text of a number is not the number`() throws {
        #expect(try value([RequestID].self, #"["7"]"#) != value([RequestID].self, "[7]"))
    }
}

@Suite struct RequestIDScannerTests {
    @Test(
        arguments: [
            (#"{"id":18446744073709551616}"#, ["18446744073709551616"]),
            (#" { "method" : "id", "params":{"id":7,"x":["id",{"id":8}]} , "id" : -1.50e+2 }"#, ["-1.50e+2"]),
            (#"{"a":"\"id\":5","b":"\\","id":6}"#, ["6"]),
            (#"{"id":"7"}"#, [nil]), (#"{"id":null}"#, [nil]), ("{}", [nil]), ("7", [nil]), ("[]", []),
            (#"["id",{"id":1},7,[{"id":2}],{"x":{"id":3}},{"id":4.0},null]"#, [nil, "1", nil, nil, nil, "4.0", nil]),
            (#"[ {"id":1} , {"id":2} ]"#, ["1", "2"]),
            // Nothing is valid here, and nothing is out of bounds.
            (#"{"id":"#, [nil]), (#"{"id"#, [nil]), (#"{"id\"#, [nil]), ("", [nil]), ("[", []),
        ] as [(String, [String?])])
    func `a number is found as it is written`(line: String, numbers: [String?]) {
        #expect(RequestIDScanner.numbers(in: line.utf8) == numbers)
    }
}
