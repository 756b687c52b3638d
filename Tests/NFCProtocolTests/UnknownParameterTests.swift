import FoundationEssentials
import TestSupport
import Testing

@testable import NFCProtocol

/// Unknown names in the parameters of a method.
@Suite struct UnknownParameterTests {
    /// Checks and decodes parameters like the server.
    private struct Checked<M: Method>: Decodable {
        init(from decoder: any Decoder) throws {
            try ParameterNames(of: M.Parameters.self).check(decoder)
            _ = try M.Parameters(from: decoder)
        }
    }

    private struct Request<M: Method>: Decodable {
        let params: Checked<M>
    }

    /// The message and path of the error of a method; nil if its parameters are accepted.
    private static func refusal<M: Method>(_ method: M.Type, _ parameters: String) throws -> String? {
        do {
            _ = try JSONLine.decode(Request<M>.self, from: Data(#"{"params":\#(parameters)}"#.utf8))
            return nil
        } catch let error as DecodingError {
            return "\(error.path): \(error.words)"
        }
    }

    private static func refusal(_ name: String, _ parameters: String) throws -> String? {
        let method = try #require(Interface.methods.first { method in method.name == name })
        return try refusal(method, parameters)
    }

    @Test(arguments: [
        ("session.begin", #"{"kind":"ndef","timout":5}"#, "params.timout", "timout", "timeout"),
        (
            "session.begin", #"{"kind":"ndef","pollingoption":[]}"#, "params.pollingoption", "pollingoption",
            "pollingOption"
        ),
        ("session.begin", #"{"knd":"ndef"}"#, "params.knd", "knd", "kind"),
        ("session.begin", #"{"kind":"ndef","timout":null}"#, "params.timout", "timout", "timeout"),
        ("background.subscribe", #"{"filtr":{}}"#, "params.filtr", "filtr", "filter"),
        ("background.subscribe", #"{"filter":{"uriprefix":"x"}}"#, "params.filter.uriprefix", "uriprefix", "uriPrefix"),
        (
            "background.subscribe", #"{"filter":{"kind":"uri","mimetyp":"a/b"}}"#, "params.filter.mimetyp", "mimetyp",
            "mimeType"
        ),
        ("tag.readNDEF", #"{"session":"s","tags":"t"}"#, "params.tags", "tags", "tag"),
        (
            "tag.writeNDEF", #"{"session":"s","tag":"t","message":{"records":[]},"verfy":true}"#, "params.verfy",
            "verfy",
            "verify"
        ),
        (
            "iso7816.sendCommand", #"{"session":"s","tag":"t","apdu":"00","timout":1}"#, "params.timout", "timout",
            "timeout"
        ),
        ("$/cancelRequest", #"{"ID":1}"#, "params.ID", "ID", "id"),
        ("simulator.present", #"{"modell":"ntag213"}"#, "params.modell", "modell", "model"),
    ])
    func `an unknown name is refused, and the nearest known name suggested`(
        method: String, parameters: String, path: String, name: String, nearest: String
    ) throws {
        #expect(
            try Self.refusal(method, parameters)
                == #"\#(path): unknown parameter "\#(name)"; did you mean "\#(nearest)"?"#)
    }

    private static func text(_ count: Int) -> String { #""\#(String(repeating: "é", count: count / 2))""# }
    private static func list(_ count: Int, _ entry: String = #""desk""#) -> String {
        "[\(Array(repeating: entry, count: count).joined(separator: ","))]"
    }

    static let sizes: [(method: String, before: String, allowed: String, tooLarge: String, refusal: String)] = [
        (
            "session.begin", #""kind":"tag","alertMessage""#, text(1_024), text(1_026),
            "params.alertMessage: expected at most 1024 bytes, not 1026"
        ),
        (
            "session.begin", #""kind":"ndef","readers""#, list(64), list(65),
            "params.readers: expected at most 64 entries, not 65"
        ),
        (
            "session.begin", #""kind":"ndef","readers""#, list(1, text(256)), list(1, text(258)),
            "params.readers[0]: expected at most 256 bytes, not 258"
        ),
        (
            "session.begin", #""kind":"tag","iso7816SelectIdentifiers""#, list(128, #""A000000308""#),
            list(129, #""A000000308""#), "params.iso7816SelectIdentifiers: expected at most 128 entries, not 129"
        ),
        (
            "session.restartPolling", #""session":"s","feliCaSystemCodes""#, list(128, #""0003""#),
            list(129, #""0003""#),
            "params.feliCaSystemCodes: expected at most 128 entries, not 129"
        ),
        (
            "session.begin", #""kind":"tag","pollingOption""#, list(128, #""iso14443""#), list(129, #""iso14443""#),
            "params.pollingOption: expected at most 128 entries, not 129"
        ),
        (
            "session.setAlertMessage", #""session":"s","message""#, text(1_024), text(1_026),
            "params.message: expected at most 1024 bytes, not 1026"
        ),
        (
            "session.invalidate", #""session":"s","errorMessage""#, text(1_024), text(1_026),
            "params.errorMessage: expected at most 1024 bytes, not 1026"
        ),
        (
            "tag.readNDEF", #""tag":"t","session""#, text(1_024), text(90_000),
            "params.session: expected at most 1024 bytes, not 90000"
        ),
        (
            "simulator.present", #""dump""#, text(90_000), #""a","modell":1"#,
            #"params.modell: unknown parameter "modell"; did you mean "model"?"#
        ),
    ]

    @Test(arguments: sizes) func `a text or list that is too long is refused with its limit`(
        method: String, before: String, allowed: String, tooLarge: String, refusal: String
    ) throws {
        #expect(try Self.refusal(method, "{\(before):\(allowed)}") == nil)
        #expect(try Self.refusal(method, "{\(before):\(tooLarge)}") == refusal)
    }

    @Test(arguments: [
        ("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "abc"), ("aéé", 4, "aé"), ("👩‍👩‍👧x", 5, ""), ("a👩‍👩‍👧", 5, "a"),
    ])
    func `a text is shortened to whole characters`(text: String, limit: Int, result: String) {
        #expect(text.shortened(toBytes: limit) == result)
    }

    @Test(arguments: [
        ("session.invalidate", #"{"session":"s","colour":1}"#, #"the known ones are "errorMessage", "session""#),
        ("simulator.list", #"{"colour":1}"#, "the method has no parameters"),
        ("tag.readNDEF", #"{"session":"s","tag":"t","":1}"#, #"the known ones are "content", "session", "tag""#),
        (
            "session.invalidate", #"{"session":"s","\#(String(repeating: "x", count: 100_000))":1}"#,
            #"the known ones are "errorMessage", "session""#
        ),
    ])
    func `an unknown name without a similar one is refused, and all known names listed`(
        method: String, parameters: String, advice: String
    ) throws {
        #expect(try Self.refusal(method, parameters)?.hasSuffix("; \(advice)") == true)
    }

    @Test(arguments: [
        ("tag.readNDEF", #"{"session":"s","tag":"t","timeout":1}"#), ("server.info", #"{"session":"s"}"#),
        ("tag.cancelCommands", #"{"session":"s","tag":"t","progress":true}"#),
    ])
    func `a parameter of other methods is refused`(method: String, parameters: String) throws {
        #expect(try Self.refusal(method, parameters) != nil)
    }

    @Test(arguments: [
        ("session.begin", #"{"kind":"ndef","readers":["a"],"timeout":null}"#), ("server.info", "{}"),
        ("background.subscribe", "{}"), ("background.subscribe", #"{"filter":null}"#),
        ("background.subscribe", #"{"filter":{"kind":"uri","identifier":"04"}}"#),
        ("tag.dump", #"{"session":"s","tag":"t","progress":true}"#),
        (
            "tag.writeNDEF",
            #"{"session":"s","tag":"t","message":{"later":1,"records":[{"decoded":{"kind":"uri","uri":"a:b","later":1},"x":1}]}}"#
        ),
    ])
    func `known names are accepted, and any names in an NDEF message`(method: String, parameters: String) throws {
        #expect(try Self.refusal(method, parameters) == nil)
    }

    @Test(arguments: ["[]", "7", "null", #""text""#])
    func `parameters that are not an object are reported by the decoder`(parameters: String) throws {
        #expect(try Self.refusal("session.begin", parameters)?.hasPrefix("params: expected an object") == true)
    }
}
