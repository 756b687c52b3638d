import NFCProtocol
import Testing

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
