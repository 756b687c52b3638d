import NIOCore
import Testing

@testable import NFCServer

/// What came out: the text of a line, or nil for `tooLong`.
private func decode(_ pieces: [String], limit: Int) throws -> [String?] {
    var decoder = LineDecoder(limit: limit)
    var buffer = ByteBuffer()
    var lines: [String?] = []
    for piece in pieces {
        buffer.writeString(piece)
        while let next = try decoder.decode(buffer: &buffer) {
            switch next {
            case .line(let bytes): lines.append(String(buffer: bytes))
            case .tooLong: lines.append(nil)
            }
        }
    }
    return lines
}

@Suite struct LineDecoderTests {
    @Test(
        arguments: [
            ([], []),
            ([""], []),
            (["abc"], []),
            (["\n"], [""]),
            (["\n\n\n"], ["", "", ""]),
            (["abc\n"], ["abc"]),
            (["abc\ndef\n"], ["abc", "def"]),
            (["abc\ndef"], ["abc"]),
            (["abc", "\n"], ["abc"]),
            (["a", "b", "c\nd", "", "e\n"], ["abc", "de"]),
            (["abc\r\n\r\n"], ["abc\r", "\r"]),
            (["a\rb\n"], ["a\rb"]),
            (["\u{0}\n"], ["\u{0}"]),
            (["é\n"], ["é"]),
        ] as [([String], [String])])
    func `the stream is cut at newlines and nowhere else`(pieces: [String], lines: [String]) throws {
        #expect(try decode(pieces, limit: 16) == lines)
    }

    @Test(arguments: 1...24)
    func `the size of the pieces does not matter`(size: Int) throws {
        let stream = "first\n\nthe third one\r\nx\nrest"
        var rest = stream[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            let piece = rest.unicodeScalars.prefix(size)
            pieces.append(String(piece))
            rest = Substring(rest.unicodeScalars.dropFirst(size))
        }
        #expect(try decode(pieces, limit: 16) == ["first", "", "the third one\r", "x"])
    }

    @Test(
        arguments: [
            (["1234\n"], ["1234"]),
            (["1234", "\n"], ["1234"]),
            (["1234"], []),
            (["12345\n"], [nil]),
            (["12345"], [nil]),
            (["1234", "5"], [nil]),
            (["1234\n1234\n12345\n"], ["1234", "1234", nil]),
            (["1234\r\n"], [nil]),
        ] as [([String], [String?])])
    func `a line may be as long as the limit and not a byte longer`(pieces: [String], lines: [String?]) throws {
        #expect(try decode(pieces, limit: 4) == lines)
    }

    @Test(arguments: [
        ["12345", "\n1\n2\n"], ["12345\n1\n2\n"], ["1234", "5\n", "1\n", "2\n"], ["12345", "6789012345", "12345\n"],
    ])
    func `nothing behind a line that is too long is looked at`(pieces: [String]) throws {
        #expect(try decode(pieces, limit: 4) == [nil])
    }

    @Test func `a line that never ends costs no more than the limit and a piece`() throws {
        var decoder = LineDecoder(limit: 4096)
        var buffer = ByteBuffer()
        var answers: [IncomingLine] = []
        for _ in 0..<1000 {
            buffer.writeRepeatingByte(UInt8(ascii: "x"), count: 1024)
            while let next = try decoder.decode(buffer: &buffer) { answers.append(next) }
            #expect(buffer.readableBytes <= 4096)
            #expect(buffer.capacity <= 2 * (4096 + 1024))
        }
        #expect(answers == [.tooLong])
        #expect(buffer.readableBytes == 0)
    }

    @Test(arguments: [("", []), ("abc", []), ("abc\n", ["abc"]), ("abc\nd", ["abc"])] as [(String, [String])])
    func `half a line at the end of the connection is no line`(rest: String, lines: [String]) throws {
        var decoder = LineDecoder(limit: 16)
        var buffer = ByteBuffer(string: rest)
        var found: [IncomingLine] = []
        while let next = try decoder.decodeLast(buffer: &buffer, seenEOF: true) { found.append(next) }
        #expect(found == lines.map { .line(ByteBuffer(string: $0)) })
    }
}
