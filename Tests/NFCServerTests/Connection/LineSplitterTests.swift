import FoundationEssentials
import NIOCore
import Testing

@testable import NFCServer
@testable import NFCSocketServer

/// The lines in a stream: the text of a line, or nil for `tooLong`.
private func split(_ pieces: [String], limit: Int) -> [String?] {
    var splitter = LineSplitter(limit: limit)
    var lines: [String?] = []
    for piece in pieces {
        splitter.add(ByteBuffer(string: piece))
        while let next = splitter.next() {
            switch next {
            case .line(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
            case .tooLong, .tooSlow: lines.append(nil)
            }
        }
    }
    return lines
}

@Suite struct LineSplitterTests {
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
    func `the stream is split at newlines only`(pieces: [String], lines: [String]) {
        #expect(split(pieces, limit: 16) == lines)
    }

    @Test(arguments: 1...24)
    func `the size of the pieces has no effect`(size: Int) {
        let stream = "first\n\nthe third one\r\nx\nrest"
        var rest = stream[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            let piece = rest.unicodeScalars.prefix(size)
            pieces.append(String(piece))
            rest = Substring(rest.unicodeScalars.dropFirst(size))
        }
        #expect(split(pieces, limit: 16) == ["first", "", "the third one\r", "x"])
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
    func `a line may be as long as the limit`(pieces: [String], lines: [String?]) {
        #expect(split(pieces, limit: 4) == lines)
    }

    @Test(arguments: [
        ["12345", "\n1\n2\n"], ["12345\n1\n2\n"], ["1234", "5\n", "1\n", "2\n"], ["12345", "6789012345", "12345\n"],
    ])
    func `everything after a line over the limit is ignored`(pieces: [String]) {
        #expect(split(pieces, limit: 4) == [nil])
    }

    @Test func `a line without an end takes the memory of its bytes, and none once it is over the limit`() {
        var splitter = LineSplitter(limit: 4096)
        for count in 1...4 {
            splitter.add(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1024))
            #expect(splitter.count == count * 1024 && !splitter.hasLine)
        }
        splitter.add(ByteBuffer(string: "x"))
        #expect(splitter.next() == .tooLong)
        for _ in 0..<1000 {
            splitter.add(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1024))
            #expect(splitter.count == 0 && splitter.next() == nil)
        }
    }

    @Test(arguments: [1, 100, 16_383, 16_384, 16_385, 100_000])
    func `a line over several blocks is put together`(size: Int) {
        let line = String(repeating: "0123456789", count: 10_000)
        var splitter = LineSplitter(limit: 1_048_576)
        var rest = Array("\(line)\nnext\n".utf8)[...]
        while !rest.isEmpty {
            splitter.add(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        #expect(splitter.next() == .line(Data(line.utf8)))
        #expect(splitter.next() == .line(Data("next".utf8)) && splitter.count == 0)
    }
}
