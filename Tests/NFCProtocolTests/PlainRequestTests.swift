import FoundationEssentials
import TestSupport
import Testing

@testable import NFCProtocol

/// Any JSON of the kinds that plain requests have.
private enum Scalar: Decodable, Hashable {
    case text(String)
    case number(Int64)
    case truth(Bool)
    case null

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }
}

/// A request as the general coder sees it.
private struct Coded: Decodable, Hashable {
    let jsonrpc: String
    let id: RequestID?
    let method: String
    let params: [String: Scalar]?

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        jsonrpc = try object.decode(String.self, forKey: .jsonrpc)
        id = object.contains(.id) ? try object.decode(RequestID.self, forKey: .id) : nil
        method = try object.decode(String.self, forKey: .method)
        params = try object.decodeIfPresent([String: Scalar].self, forKey: .params)
    }

    private enum Keys: String, CodingKey { case jsonrpc, id, method, params }
}

/// The members of any names, as a dictionary's own decoding asks for them.
private struct Members: Decodable {
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var values: [String: Scalar] = [:]

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Name.self)
        for name in object.allKeys { values[name.stringValue] = try object.decode(Scalar.self, forKey: name) }
    }
}

@Suite struct PlainRequestTests {
    private static let command =
        #"{"jsonrpc":"2.0","id":3,"method":"iso7816.sendCommand","params":{"session":"s1","tag":"t1","apdu":"00a4"}}"#

    @Test(arguments: [
        command, #" { "method" : "m" , "jsonrpc" : "2.0" } "#, "{\"jsonrpc\":\"2.0\",\t\"method\":\"\"}\r",
        #"{"jsonrpc":"2.0","method":"m","id":"a b","params":{}}"#, #"{"jsonrpc":"2.0","method":"m","id":0}"#,
        #"{"jsonrpc":"2.0","method":"m","id":-999999999999999,"params":{"a":true,"b":false,"c":null,"d":-1,"e":""}}"#,
    ])
    func `a plain line is read as the general coder reads it`(line: String) throws {
        let plain = try #require(PlainRequest(Array(line.utf8)))
        let coded = try JSONLine.decode(Coded.self, from: Data(line.utf8))
        #expect(plain.id == coded.id)
        #expect(plain.method == coded.method)
        #expect(try plain.decode(Members.self).values == coded.params ?? [:])
    }

    @Test(arguments: [
        "", "{", "[]", "[\(command)]", "\(command)}", "\(command),", #"{"method":"m"}"#, #"{"jsonrpc":"2.0"}"#,
        #"{"jsonrpc":"1.0","method":"m"}"#, #"{"jsonrpc":"2.0","method":7}"#, #"{"jsonrpc":"2.0","method":"m","x":1}"#,
        #"{"jsonrpc":"2.0","method":"m","method":"n"}"#, #"{"jsonrpc":"2.0","method":"m","params":[]}"#,
        #"{"jsonrpc":"2.0","method":"m","params":null}"#, #"{"jsonrpc":"2.0","method":"m","params":{"a":[]}}"#,
        #"{"jsonrpc":"2.0","method":"m","params":{"a":{}}}"#, #"{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":1}}"#,
        #"{"jsonrpc":"2.0","method":"m","id":null}"#, #"{"jsonrpc":"2.0","method":"m","id":1.0}"#,
        #"{"jsonrpc":"2.0","method":"m","id":-0}"#, #"{"jsonrpc":"2.0","method":"m","id":01}"#,
        #"{"jsonrpc":"2.0","method":"m","id":1e3}"#, #"{"jsonrpc":"2.0","method":"m","id":1234567890123456}"#,
        #"{"jsonrpc":"2.0","method":"m","id":-}"#, #"{"jsonrpc":"2.0","method":"a\n"}"#,
        #"{"jsonrpc":"2.0","method":"ä"}"#,
        #"{"jsonrpc":"2.0","method":"m",}"#, #"{"jsonrpc":"2.0" "method":"m"}"#,
        #"{"jsonrpc":"2.0","method":"m","id":tru}"#,
        "{\"jsonrpc\":\"2.0\",\"method\":\"\u{7F}\"}", "{\"jsonrpc\":\"2.0\",\"method\":\"\u{1}\"}",
    ])
    func `anything else is left to the general coder`(line: String) {
        #expect(PlainRequest(Array(line.utf8)) == nil)
    }

    @Test func `no change of a few bytes makes the two differ`() {
        var random = SplitMix(seed: 20_260_301)
        var plainOnes = 0
        for _ in 0..<20_000 {
            var line = Array(Self.command.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<line.count, using: &random)
                line[place] =
                    Bool.random(using: &random)
                    ? .random(in: 0...255, using: &random) : line.randomElement(using: &random) ?? 0
            }
            guard let plain = PlainRequest(line) else { continue }
            plainOnes += 1
            let coded = try? JSONLine.decode(Coded.self, from: Data(line))
            #expect(coded?.jsonrpc == "2.0" && coded?.id == plain.id && coded?.method == plain.method, "\(line)")
            #expect((try? plain.decode(Members.self).values) == coded?.params ?? [:], "\(line)")
        }
        #expect(plainOnes > 1000)
    }

    @Test func `parameters of another type are refused, numbers out of range as well`() throws {
        struct Numbers: Decodable, Equatable {
            let small: UInt8
            let real: Double
            let missing: Int?
        }
        func numbers(_ text: String) -> Numbers? {
            let line = #"{"jsonrpc":"2.0","method":"m","params":\#(text)}"#
            return PlainRequest(Array(line.utf8)).flatMap { try? $0.decode(Numbers.self) }
        }
        #expect(numbers(#"{"small":255,"real":-7}"#) == Numbers(small: 255, real: -7, missing: nil))
        #expect(numbers(#"{"small":255,"real":0,"missing":null}"#) == Numbers(small: 255, real: 0, missing: nil))
        #expect(numbers(#"{"small":256,"real":0}"#) == nil)
        #expect(numbers(#"{"small":-1,"real":0}"#) == nil)
        #expect(numbers(#"{"small":"1","real":0}"#) == nil)
        #expect(numbers(#"{"small":true,"real":0}"#) == nil)
        #expect(numbers(#"{"real":0}"#) == nil)
    }
}

@Suite struct PlainlyWrittenTests {
    private func coded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// What an answer says between its envelope and its end.
    private func line(_ value: any PlainlyWritten) throws -> String {
        let line = String(decoding: try Response.success(.integer(7), value).line(), as: UTF8.self)
        let envelope = #"{"id":7,"jsonrpc":"2.0","result":"#
        try #require(line.hasPrefix(envelope + value.json))
        return line.dropFirst(envelope.count).dropLast(2) + "\n"
    }

    @Test(arguments: [[], [0x00], [0x0A, 0xFF, 0x90]] as [[UInt8]])
    func `an answer is written as a coder writes it`(bytes: [UInt8]) throws {
        let response = ISO7816SendCommand.Result(data: HexBytes(bytes), sw1: 0x6A, sw2: 0x82)
        #expect(try line(response) == coded(response))
        let answer = RawAnswer(data: HexBytes(bytes))
        #expect(try line(answer) == coded(answer))
        let flagged = ISO15693SendRequest.Result(responseFlag: 1, data: HexBytes(bytes))
        #expect(try line(flagged) == coded(flagged))
    }
}
