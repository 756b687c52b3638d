import Foundation
import Logging
import NFCProtocol
import ServiceSupport
import Testing

@testable import nfcd_desktop

@Suite("desktop.toml")
struct DesktopConfigurationTests {
    private static func read(_ text: String) throws -> DesktopConfiguration {
        try DesktopConfiguration(text: text, file: "desktop.toml")
    }

    @Test func `an empty file has the defaults: notifications, https after a click, no typing`() throws {
        let configuration = try Self.read("")
        #expect(configuration == DesktopConfiguration())
        #expect(configuration.shows && configuration.typing.isEmpty && configuration.hosts.isEmpty)
        #expect(configuration.schemes == ["https"])
        #expect(configuration.unknownLock == .locked)
        #expect(configuration.filter == nil)
    }

    @Test func `every key is read`() throws {
        let configuration = try Self.read(
            """
            [notifications]
            show = false
            [open]
            schemes = ["https", "tel"]
            hosts = ["example.com", "*.example.org"]
            [taps]
            readers = ["acr122u-0", "Desk"]
            uri-prefix = "https://a"
            uri-host = "a.example"
            media-type = "text/plain"
            external-type = "example.com:door"
            kind = "uri"
            require = "proven"
            [session]
            unknown-lock = "unlocked"
            [[typing]]
            reader = "acr122u-0"
            content = "text"
            form = "ten-digits"
            prefix = "<"
            suffix = "\\n"
            [log]
            level = "debug"
            """)
        #expect(!configuration.shows)
        #expect(configuration.policy.schemes == ["https", "tel"])
        #expect(configuration.policy.hosts.count == 2)
        #expect(configuration.uses(reader: "x", name: "Desk") && !configuration.uses(reader: "x", name: "y"))
        #expect(configuration.filter?.uriHost == "a.example" && configuration.filter?.mimeType == "text/plain")
        #expect(configuration.requirement == .proven)
        #expect(configuration.unknownLock == .unlocked)
        let rule = TypingRule(reader: "acr122u-0", content: .text, form: .tenDigits, prefix: "<", suffix: "\n")
        #expect(configuration.typingRule(reader: "acr122u-0", name: "x") == rule)
        #expect(configuration.typingRule(reader: "x", name: "y") == nil)
        #expect(configuration.logLevel == .debug)
    }

    @Test(arguments: [
        ("[open]\nschemes = [\"javascript\"]", "cannot be allowed"),
        ("[open]\nschemes = [\"file\"]", "cannot be allowed"),
        ("[open]\nhosts = [\"https://a.example/\"]", "expected a host"),
        ("[[typing]]\nform = \"decimal\"", "reader is missing"),
        ("[[typing]]\nreader = \"a\"\nsuffix = \"\\u001b\"", "the Enter key"),
        ("[[typing]]\nreader = \"a\"\nform = \"octal\"", "expected one of"),
        ("[notifications]\nshow = 1", "true or false"), ("[open]\nhost = [\"a.example\"]", "did you mean \"hosts\""),
    ])
    func `an invalid value names its key`(text: String, words: String) {
        #expect { try Self.read(text) } throws: { "\($0)".contains(words) }
    }

    @Test func `the file of the user takes precedence`() {
        let environment = ["HOME": "/h", "XDG_CONFIG_HOME": "/c"]
        #expect(DesktopConfiguration.file(environment) { $0 == "/c/nfcd/desktop.toml" } == "/c/nfcd/desktop.toml")
        #expect(DesktopConfiguration.file(environment) { _ in false } == "/etc/nfcd/desktop.toml")
        #expect(DesktopConfiguration.file(["HOME": "/h"]) { _ in true } == "/h/.config/nfcd/desktop.toml")
    }

    @Test func `Config/desktop.toml explains every key, and is valid with all of them`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Config/desktop.toml"), encoding: .utf8)
        #expect(try Self.read(text) == DesktopConfigurationTests.defaults(of: text))
        let filled = text.replacing(#/(?m)^# (?=\[\[typing\]\]|[a-z-]+ = )/#, with: "")
        let configuration = try Self.read(filled)
        #expect(configuration.typing.count == 1)
        for key in DesktopConfiguration.keys where key.section != nil {
            let name = key.name.split(separator: ".").last.map(String.init) ?? ""
            #expect(filled.contains("\n\(name) = "), "\(key.name)")
        }
    }

    @Test func `the configurations in Docs/desktop.md are valid`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Docs/desktop.md"), encoding: .utf8)
        let blocks = page.matches(of: #/(?s)```toml\n(.*?)```/#).map { String($0.1) }
        #expect(blocks.count == 3)
        for block in blocks { #expect(throws: Never.self) { try Self.read(block) } }
    }

    private static func defaults(of text: String) -> DesktopConfiguration {
        var configuration = DesktopConfiguration()
        configuration.sections = Set(text.matches(of: #/(?m)^\[([a-z]+)\]/#).map { String($0.1) })
        return configuration
    }
}
