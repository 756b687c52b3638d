import NFCSessions
import NFCTypes
import ServiceSupport
import Testing

@testable import nfcd

@Suite struct `The grants of a file` {
    private static let usual = #"formats = ["NDEF"]\#ncapabilities = ["read"]\#nreaders = ["*"]"#

    private func warnings(_ text: String) throws -> [String] {
        try Configuration(text: text, file: "nfcd.toml").grantWarnings
    }

    @Test(arguments: ["", "[log]\nlevel = \"info\"\n", "[[grant]]\n\(usual)\n", "\(Grant.defaultTable)\n"])
    func `of every user, or the built-in one, need no warning`(text: String) throws {
        #expect(try warnings(text).isEmpty)
    }

    @Test(arguments: [
        ("", "permits nothing: add formats"),
        (#"capabilities = ["lock"]"#, "permits nothing: it has no readers"),
        (#"formats = ["TAG"]"#, "permits nothing: it has no readers"),
        (#"capabilities = ["taps"]"#, "permits nothing: it has no readers"),
        (#"readers = ["*"]"#, "permits nothing: add formats"),
        (#"capabilities = ["monitor", "raw"]"#, "permits nothing about tags: it has no readers"),
        ("capabilities = [\"background\"]\nreaders = [\"*\"]", "needs \"read\" in the same grant"),
        ("capabilities = [\"raw-unscreened\"]\nreaders = [\"*\"]", "needs \"raw\" in the same grant"),
        (
            "capabilities = [\"personalise-permanently\"]\nreaders = [\"*\"]",
            "needs \"personalise\" in the same grant"
        ),
    ])
    func `that permit nothing are named with what to add`(grant: String, warning: String) throws {
        let found = try warnings("[[grant]]\nuser = \"4242\"\n\(grant)\n\n\(Grant.defaultTable)\n")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("grant 1 (user 4242) \(warning)") == true || found.first?.contains(warning) == true)
    }

    @Test(arguments: [#"capabilities = ["monitor"]"#, #"capabilities = ["manage", "simulate"]"#, usual])
    func `that are useful without readers or with them need no warning`(grant: String) throws {
        #expect(try warnings("[[grant]]\ngroup = \"4243\"\n\(grant)\n\n\(Grant.defaultTable)\n").isEmpty)
    }

    @Test(arguments: [
        "[[grant]]\nsocket = \"kiosk\"\n\(usual)\n",
        "[[grant]]\nsocket = \"kiosk\"\nuser = \"4242\"\n\(usual)\n\n\(Grant.defaultTable)\n",
    ])
    func `for further sockets leave the built-in one in force`(text: String) throws {
        let configuration = try Configuration(text: text, file: "nfcd.toml")
        #expect(configuration.grantWarnings.isEmpty)
        let users = configuration.accessRules.permissions(of: Principal(userID: 1000, groupIDs: []))
        #expect(users.allow([.read, .write]) && !users.allow([.lock]))
    }

    @Test(arguments: [
        "grant = []\n", "[[grant]]\nuser = \"4242\"\n\(usual)\n[[grant]]\nsocket = \"kiosk\"\n\(usual)\n",
    ])
    func `for further sockets bring nothing back that the file took`(text: String) throws {
        let rules = try Configuration(text: text, file: "nfcd.toml").accessRules
        #expect(rules.permissions(of: Principal(userID: 1000, groupIDs: [])) == Permissions())
    }

    @Test(arguments: [
        ("", [], []), ("", ["kiosk"], ["no grant has socket = \"kiosk\""]),
        ("[[socket]]\nname = \"kiosk\"\nroot = true\n", ["kiosk"], []),
        ("[[grant]]\nsocket = \"kiosk\"\n\(usual)\n", ["kiosk"], []),
        ("[[grant]]\nsocket = \"kiosk\"\n\(usual)\n", [], ["systemctl enable nfcd@kiosk.socket"]),
        ("[[socket]]\nname = \"a\"\n", ["b"], ["the socket \"a\"", "no grant has socket = \"b\""]),
    ])
    func `are compared with the sockets that were passed`(text: String, names: [String], expected: [String]) throws {
        let found = try Configuration(text: text, file: "nfcd.toml").warnings(ofFurtherSockets: names)
        #expect(found.count == expected.count)
        for (warning, words) in zip(found, expected) { #expect(warning.contains(words), "\(warning)") }
    }

    @Test(arguments: [
        "[[socket]]\n", "[[socket]]\nname = \"a b\"\n", "[[socket]]\nname = \"a.socket\"\n",
        "[[socket]]\nname = \"a\"\nroot = \"yes\"\n", "[[socket]]\nname = \"a\"\nuser = \"b\"\n",
        "[[grant]]\nsocket = \"\"\n", "[[grant]]\nsocket = 1\n", "[[grant]]\nsocket = \"../a\"\n",
    ])
    func `and sockets with an impossible name are errors`(text: String) {
        #expect(throws: ConfigurationError.self) { try Configuration(text: text, file: "nfcd.toml") }
    }

    @Test(arguments: [("user = \"4242\"", "user 4242"), ("group = \"4243\"", "group 4243")])
    func `that replace the built-in one show the table that keeps it`(subject: String, name: String) throws {
        let file = "[[grant]]\n\(subject)\n\(Self.usual)\n"
        let found = try warnings(file)
        #expect(found.count == 1)
        let warning = try #require(found.first)
        #expect(warning.contains("permits nothing to others than \(name)."))
        let table = try #require(warning.firstRange(of: "[[grant]]").map { warning[$0.lowerBound...] })
        let kept = try Configuration(text: "\(file)\n\(table)\n", file: "nfcd.toml")
        #expect(kept.grants.last == .byDefault)
        #expect(kept.grantWarnings.isEmpty)
    }
}
