import ServiceSupport
import Testing

@testable import nfcd

/// `require` in a grant of nfcd.toml.
@Suite struct `A grant that requires a proof` {
    @Test(arguments: [
        #"capabilities = ["read", "background", "taps"]"#, #"capabilities = ["taps"]"#,
        "formats = [\"NDEF\"]\ncapabilities = [\"read\"]",
    ])
    func `gives taps, and NDEF sessions`(keys: String) throws {
        let text = "[[grant]]\nuser = \"root\"\n\(keys)\nrequire = \"proven\"\n"
        _ = try Configuration(text: text, file: "f")
    }

    @Test(arguments: [
        (#"capabilities = ["read", "write"]"#, "proven", "a grant that requires a proof can have"),
        (#"capabilities = ["raw"]"#, "proven", "a grant that requires a proof can have"),
        (#"capabilities = ["monitor"]"#, "proven", "a grant that requires a proof can have"),
        (#"capabilities = ["manage"]"#, "proven", "a grant that requires a proof can have"),
        (#"formats = ["TAG"]"#, "proven", "a grant that requires a proof can have"),
        (#"formats = ["NDEF", "TAG"]"#, "proven", "a grant that requires a proof can have"),
        (#"capabilities = ["read"]"#, "weak", "expected"), (#"capabilities = ["read"]"#, "", "expected"),
    ])
    func `gives nothing else`(keys: String, value: String, message: String) {
        let text = "[[grant]]\nuser = \"root\"\n\(keys)\nrequire = \"\(value)\"\n"
        let error = #expect(throws: ConfigurationError.self) { try Configuration(text: text, file: "f") }
        #expect(error.map { "\($0)" }?.hasPrefix("f:4: grant[0].require: \(message)") == true, "\(error as Any)")
    }
}
