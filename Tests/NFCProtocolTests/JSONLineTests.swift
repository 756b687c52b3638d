import FoundationEssentials
import NFCProtocol
import Testing

@Suite struct JSONLineTests {
    @Test func `a value is one line with sorted keys`() throws {
        let line = try JSONLine.encode(["b": "https://a/b", "a": "two\nlines\r"])
        #expect(String(decoding: line, as: UTF8.self) == #"{"a":"two\nlines\r","b":"https://a/b"}"# + "\n")
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test func `a line may have a mebibyte`() {
        #expect(JSONLine.maximumLength == 1 << 20)
    }

    @Test(arguments: [" {} ", "{}\r", "\t{}"])
    func `blanks around a value do not matter`(text: String) throws {
        #expect(try value(Empty.self, text) == Empty())
    }

    @Test(arguments: ["", " ", "{", "{}}", "{} {}", "{'a':1}", "{a:1}", "[1 2]", "nul", "\u{0}"])
    func `what is no JSON is refused`(text: String) {
        #expect(throws: DecodingError.self) { try value([String: Int].self, text) }
        #expect(throws: DecodingError.self) { try value([Int].self, text) }
    }

    @Test func `what is wrong is named`() throws {
        let error = try #require(throws: DecodingError.self) {
            try value(SessionBegin.Parameters.self, #"{"kind":"ndef","readers":["a",2]}"#)
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue } == ["readers", "1"])
    }
}
