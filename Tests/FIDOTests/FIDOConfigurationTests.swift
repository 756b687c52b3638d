import CTAP
import Foundation
import Logging
import ServiceSupport
import Testing

@testable import nfcd_fido

@Suite("fido.toml")
struct FIDOConfigurationTests {
    @Test func `an empty file has the defaults`() throws {
        #expect(try FIDOConfiguration(text: "", file: "fido.toml") == FIDOConfiguration())
        #expect(FIDOConfiguration().keySettings == CardSecurityKey.Settings())
    }

    @Test func `every key is read`() throws {
        let text = """
            [key]
            device = "always"
            linger = 90
            strict = true
            readers = ["acr122u-1", "Desk"]
            [log]
            level = "debug"
            """
        let configuration = try FIDOConfiguration(text: text, file: "fido.toml")
        #expect(configuration.device == .always)
        #expect(configuration.logLevel == .debug)
        #expect(
            configuration.keySettings
                == CardSecurityKey.Settings(
                    isPermanent: true, isStrict: true, linger: .seconds(90), openLinger: .seconds(90)))
        #expect(configuration.uses(reader: "acr122u-1", name: "x"))
        #expect(configuration.uses(reader: "x", name: "Desk"))
        #expect(!configuration.uses(reader: "x", name: "y"))
    }

    @Test func `Config/fido.toml explains every key with its default, and is valid`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Config/fido.toml"), encoding: .utf8)
        var expected = FIDOConfiguration()
        expected.sections = ["key", "log"]
        #expect(try FIDOConfiguration(text: text, file: "fido.toml") == expected)
        let examples = text.split(separator: "\n").map { line in
            line.wholeMatch(of: /# ([a-z-]+ = .*)/).map { String($0.1) } ?? String(line)
        }
        expected.readers = ["acr122u-0"]
        #expect(try FIDOConfiguration(text: examples.joined(separator: "\n"), file: "fido.toml") == expected)
        for key in ["device", "linger", "strict", "readers", "level"] {
            #expect(examples.contains { $0.hasPrefix("\(key) = ") }, "\(key)")
        }
    }

    @Test func `without a list every reader is used`() {
        #expect(FIDOConfiguration().uses(reader: "x", name: "y"))
    }

    @Test(arguments: [
        ("[key]\ndevise = \"card\"", ["fido.toml:2", "key.devise", "device"]),
        ("[key]\ndevice = \"never\"", ["fido.toml:2", "key.device", "\"card\"", "\"always\""]),
        ("[key]\nlinger = 301", ["fido.toml:2", "key.linger", "300"]),
        ("[key]\nlinger = \"30\"", ["fido.toml:2", "key.linger"]),
        ("[key]\nstrict = 1", ["fido.toml:2", "key.strict"]),
        ("[key]\nreaders = \"Desk\"", ["fido.toml:2", "key.readers"]),
        ("[key]\nreaders = [\"\"]", ["fido.toml:2", "key.readers", "nfcctl readers"]),
        ("[keys]\n", ["fido.toml", "keys"]),
        ("[key\n", ["fido.toml:1"]),
    ])
    func `an error names the line, the key and what to write`(text: String, parts: [String]) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try FIDOConfiguration(text: text, file: "fido.toml")
        }
        for part in parts { #expect(error.description.contains(part), "\(error)") }
    }
}
