import FoundationEssentials
import NFCTypes
import TestSupport
import Testing

@testable import NFCProtocol

/// Requests in their usual form, which are decoded without `JSONDecoder`, and have to mean the same.
@Suite struct FlatRequestTests {
    /// The request as `JSONDecoder` decodes it.
    private struct Decoded<M: Method>: Decodable {
        private enum CodingKeys: CodingKey { case jsonrpc, id, method, params }

        let id: RequestID?
        let parameters: M.Parameters

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            #expect(try object.decode(String.self, forKey: .jsonrpc) == "2.0")
            #expect(try object.decode(String.self, forKey: .method) == M.name)
            id = object.contains(.id) ? try object.decode(RequestID.self, forKey: .id) : nil
            if object.contains(.params) {
                try ParameterNames(of: M.Parameters.self).check(object.superDecoder(forKey: .params))
                parameters = try object.decode(M.Parameters.self, forKey: .params)
            } else {
                parameters = try JSONLine.decode(M.Parameters.self, from: Data("{}".utf8))
            }
        }
    }

    /// The parameters as JSON, where the line is decoded without `JSONDecoder`; nil where that is left to it. Both have to agree.
    private static func parameters<M: Method>(_ method: M.Type, _ request: FlatRequest, _ line: Data) throws -> String?
    {
        guard (try? ParameterNames(of: M.Parameters.self).check(request.parameters)) != nil,
            let parameters = try? request.parameters.decode(M.Parameters.self)
        else { return nil }
        let decoded = try JSONLine.decode(Decoded<M>.self, from: line)
        #expect(decoded.id == request.id)
        #expect(try json(decoded.parameters) == json(parameters))
        return try json(parameters)
    }

    @discardableResult
    private static func parameters(_ line: String) throws -> String? {
        let line = Data(line.utf8)
        guard let request = FlatRequest(line),
            let method = Interface.methods.first(where: { $0.name == request.method })
        else { return nil }
        return try parameters(method, request, line)
    }

    private static let usual =
        #"{"jsonrpc":"2.0","id":3,"method":"iso7816.sendCommand","params":{"session":"s","tag":"t","apdu":"00A4"}}"#

    @Test(arguments: [
        (usual, #"{"apdu":"00A4","session":"s","tag":"t"}"#),
        (
            #"{"id":"a b","params":{"tag":"t","timeout":2,"apdu":"","session":"/"},"method":"iso7816.sendCommand","jsonrpc":"2.0"}"#,
            #"{"apdu":"","session":"/","tag":"t","timeout":2}"#
        ),
        (
            " { \"jsonrpc\" :\t\"2.0\" , \"method\":\"iso7816.sendCommand\",\n\"params\" : { \"session\":\"s\",\"tag\":\"t\","
                + "\"apdu\": \"00a4\" , \"timeout\" : null } } \r",
            #"{"apdu":"00A4","session":"s","tag":"t"}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":999999999999999,"method":"iso15693.sendRequest","params":{"session":"s","tag":"t","#
                + #""requestFlags":255,"commandCode":0,"data":"00"}}"#,
            #"{"commandCode":0,"data":"00","requestFlags":255,"session":"s","tag":"t"}"#
        ),
        (#"{"jsonrpc":"2.0","id":0,"method":"server.info"}"#, "{}"),
        (#"{"jsonrpc":"2.0","id":0,"method":"server.info","params":{}}"#, "{}"),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tag.dump","params":{"session":"s","tag":"t","progress":true}}"#,
            #"{"progress":true,"session":"s","tag":"t"}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"miFareClassic.readBlock","params":{"session":"s","tag":"t","block":4}}"#,
            #"{"block":4,"session":"s","tag":"t"}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"session.begin","params":{"kind":"tag","whenBusy":"queue","timeout":5}}"#,
            #"{"kind":"tag","timeout":5,"whenBusy":"queue"}"#
        ),
    ])
    func `a request in the usual form is decoded in one pass`(line: String, parameters: String) throws {
        #expect(try Self.parameters(line) == parameters)
    }

    @Test(arguments: [
        // The envelope.
        "", "{}", "[]", "1", "\u{FEFF}\(usual)", "\(usual),", "\(usual)}", "\(usual)\(usual)", "[\(usual)]",
        "\0\(usual)",
        #"{"jsonrpc":"2.0","id":1}"#, #"{"id":1,"method":"server.info"}"#,
        #"{"jsonrpc":"1.0","id":1,"method":"server.info"}"#,
        #"{"jsonrpc":2.0,"id":1,"method":"server.info"}"#, #"{"jsonrpc":"2.0","id":1,"method":"server.info","more":1}"#,
        #"{"jsonrpc":"2.0","id":1,"id":2,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":null,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":null}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info",}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":[]}"#,
        #"{'jsonrpc':"2.0","id":1,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":7}"#, #"{"jsonrpc":"2.0","id":true,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0" "id":1,"method":"server.info"}"#, #"{"jsonrpc":"2.0","id":1,"method":"server.info"/**/}"#,
        // Numbers that JSON does not have, and those that only a decoder keeps exactly.
        #"{"jsonrpc":"2.0","id":-1,"method":"server.info"}"#, #"{"jsonrpc":"2.0","id":1.0,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":1e0,"method":"server.info"}"#, #"{"jsonrpc":"2.0","id":01,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":00,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":1000000000000000,"method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":+1,"method":"server.info"}"#, #"{"jsonrpc":"2.0","id":0x1,"method":"server.info"}"#,
        // Texts.
        #"{"jsonrpc":"2.0","id":"\u0061","method":"server.info"}"#,
        #"{"jsonrpc":"2.0","id":"é","method":"server.info"}"#,
        "{\"jsonrpc\":\"2.0\",\"id\":\"\u{7F}\",\"method\":\"server.info\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"\t\",\"method\":\"server.info\"}",
        #"{"jsonrpc":"2.0","id":"a","method":"server\/info"}"#,
        // Parameters.
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":1,"a":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":[]}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":{}}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":tru}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":True}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":nulll}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{a:1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{"a":1 2}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"server.info","params":{\#((0..<17).map { "\"\($0)\":1" }.joined(separator: ","))}}"#,
    ])
    func `a line in any other form is left to the decoder`(line: String) {
        #expect(FlatRequest(Data(line.utf8)) == nil)
    }

    @Test func `a request that is cut at any place is left to the decoder`() {
        let line = Data(Self.usual.utf8)
        for length in 0..<line.count { #expect(FlatRequest(line.prefix(length)) == nil) }
    }

    @Test func `UTF-16 is left to the decoder`() {
        let line = Data(Self.usual.utf8.flatMap { [$0, 0] })
        #expect(FlatRequest(line) == nil)
    }

    @Test(arguments: [
        #""session":"s","tag":"t""#, #""session":"s","tag":"t","apdu":7"#, #""session":"s","tag":"t","apdu":null"#,
        #""session":"s","tag":"t","apdu":"0""#, #""session":"s","tag":"t","apdu":"0G""#,
        #""session":1,"tag":"t","apdu":"00""#,
        #""session":"s","tag":"t","apdu":"00","timeout":"1""#, #""session":"s","tag":"t","apdu":"00","timeout":true"#,
        #""session":"s","tag":"t","apdu":"00","timout":1"#,
        #""session":"\#(String(repeating: "s", count: 1_025))","tag":"t","apdu":"00""#,
    ])
    func `parameters that are refused are left to the decoder`(members: String) throws {
        let line = #"{"jsonrpc":"2.0","id":1,"method":"iso7816.sendCommand","params":{\#(members)}}"#
        #expect(FlatRequest(Data(line.utf8)) != nil)
        #expect(try Self.parameters(line) == nil)
    }

    @Test func `a request with any byte changed means what the decoder says, or is left to it`() throws {
        let line = Array(Self.usual.utf8)
        for index in line.indices {
            for byte in Array(#""\{}[]:,.-0 9aAeE/"#.utf8) + [0x00, 0x0A, 0x7F, 0x80, 0xC3] {
                var changed = line
                changed[index] = byte
                if let text = String(validating: changed, as: UTF8.self) { try Self.parameters(text) }
            }
        }
    }

    @Test func `flat parameters of every method mean what the decoder says`() throws {
        let values = [
            "null", "true", "false", "0", "1", "7", "255", "256", "65535", "65536", "999999999999999", #""""#, #""00""#,
            #""tag""#,
            #""ndef""#, #""A""#, #""B""#, #""FFFFFFFFFFFF""#, #""https://example.com""#, #""x y""#,
        ]
        var random = SplitMix(seed: 36)
        var decoded: Set<String> = []
        for method in Interface.methods {
            guard case .object(let object) = try method.methodObject(), case .array(let parameters)? = object["params"]
            else { continue }
            let names = parameters.compactMap { parameter -> String? in
                guard case .object(let parameter) = parameter, case .string(let name)? = parameter["name"] else {
                    return nil
                }
                return name
            }
            for _ in 0..<200 {
                let chosen = names.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
                let members = chosen.map { "\"\($0)\":\(values.randomElement(using: &random) ?? "0")" }.joined(
                    separator: ",")
                let line = #"{"jsonrpc":"2.0","id":1,"method":"\#(method.name)","params":{\#(members)}}"#
                if try Self.parameters(line) != nil { decoded.insert(method.name) }
            }
        }
        #expect(decoded.isSuperset(of: ["server.info", "session.connect", "tag.readNDEF", "miFare.sendCommand"]))
    }

    @Test(arguments: [
        ISO7816SendCommand.Result(data: [], sw1: 0x90, sw2: 0) as any FlatResult & Sendable,
        ISO7816SendCommand.Result(data: [0x00, 0xAB], sw1: 255, sw2: 9),
        ISO15693SendRequest.Result(responseFlag: 1, data: [0x0F]), RawAnswer(data: []), RawAnswer(data: [0xFF, 0x0A]),
    ])
    func `a flat result is encoded as by the encoder`(result: any FlatResult & Sendable) throws {
        for id in [RequestID.integer(3), .integer(-1), .string("a"), .string("\"é\\/\n"), .decimal(0.5), .null] {
            let response = Response.success(id, result)
            #expect(try String(decoding: response.json(), as: UTF8.self) == line(response))
        }
    }
}
