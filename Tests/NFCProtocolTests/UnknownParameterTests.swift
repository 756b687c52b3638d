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

    @Test(arguments: [
        ("session.invalidate", #"{"session":"s","colour":1}"#, #"the known ones are "errorMessage", "session""#),
        ("simulator.list", #"{"colour":1}"#, "the method has no parameters"),
        ("tag.readNDEF", #"{"session":"s","tag":"t","":1}"#, #"the known ones are "session", "tag""#),
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
