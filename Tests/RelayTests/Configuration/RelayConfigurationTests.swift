import FoundationEssentials
import Glibc
import NFCTypes
import Testing

@testable import nfcd_relay
@testable import ServiceSupport

@Suite struct RelayConfigurationTests {
    private static let key = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

    private func configuration(_ text: String, isCheck: Bool = false) throws -> RelayConfiguration {
        try RelayConfiguration(text: text, file: "relay.toml", SecretReader(credentials: nil, isCheck: isCheck))
    }

    @Test func `a whole file is read`() throws {
        let scratch = try RelayScratch()
        let secret = try scratch.file("secret", "\(Self.key)\n\(Self.key)\n")
        let headers = try scratch.file("headers", "Authorization: Bearer x\nX-Site: a\n")
        let configuration = try configuration(
            """
            [relay]
            site = "north"
            device = "till-1"
            source-prefix = "https://example.com/"
            drain-limit = 10
            reconnect-jitter = 0
            [state]
            path = "/var/lib/x.db"
            [control]
            socket = "/run/x.sock"
            [log]
            level = "debug"
            [[webhook]]
            name = "shop"
            url = "https://example.com/taps"
            secret-file = "\(secret)"
            headers-file = "\(headers)"
            timeout = 5
            start = "oldest"
            attempts = 3
            [[webhook]]
            name = "spools"
            url = "http://127.0.0.1:7912"
            preset = "spoolman"
            [[command]]
            name = "door"
            run = ["/bin/true", "--open"]
            require = "proven"
            """)
        #expect(configuration.consumers.map(\.requiresProof) == [false, false, true])
        #expect(configuration.site == "north")
        #expect(configuration.sourcePrefix == "https://example.com")
        #expect(configuration.drainLimit == 10)
        #expect(configuration.consumers.map(\.name) == ["shop", "spools", "door"])
        #expect(configuration.consumers[0].start == .oldest)
        #expect(configuration.consumers[0].attempts == 3)
        let shop = try #require(configuration.consumers[0].sink as? WebhookSettings)
        #expect(shop.keys.count == 2)
        #expect(shop.headers.map(\.name) == ["Authorization", "X-Site"])
        let spools = try #require(configuration.consumers[1].sink as? WebhookSettings)
        #expect(spools.url == "http://127.0.0.1:7912/api/v1/tag/scan" && !spools.contents)
        let door = try #require(configuration.consumers[2].sink as? CommandSettings)
        #expect(door.run == ["/bin/true", "--open"])
    }

    @Test func `old taps are left out where the file or the preset says so`() throws {
        let configuration = try configuration(
            """
            [[webhook]]
            name = "a"
            url = "http://127.0.0.1:7912/"
            preset = "spoolman"
            contents = true
            [[webhook]]
            name = "b"
            url = "http://127.0.0.1:7125/"
            preset = "moonraker"
            max-age = 60
            timeout = 20
            [[webhook]]
            name = "c"
            url = "https://example.com/printer"
            preset = "moonraker"
            [[webhook]]
            name = "d"
            url = "https://example.com/"
            contents = false
            [[command]]
            name = "e"
            run = ["/bin/true"]
            max-age = 1
            [[command]]
            name = "f"
            run = ["/bin/true"]
            """)
        #expect(
            configuration.consumers.map(\.maxAge)
                == [.seconds(10), .seconds(60), .seconds(10), nil, .seconds(1), nil])
        #expect(configuration.consumers.map(\.sink.isSerial) == [true, true, true, false, false, false])
        let hooks = configuration.consumers.compactMap { $0.sink as? WebhookSettings }
        #expect(
            hooks.map(\.url) == [
                "http://127.0.0.1:7912/api/v1/tag/scan", "http://127.0.0.1:7125", "https://example.com/printer",
                "https://example.com/",
            ])
        #expect(hooks.map(\.contents) == [true, false, false, false])
        #expect(hooks.map(\.timeout) == [.seconds(5), .seconds(20), .seconds(5), .seconds(20)])
    }

    @Test func `a consumer names its readers, and by default gets all`() throws {
        let configuration = try configuration(
            """
            [[webhook]]
            name = "left"
            url = "http://127.0.0.1:7125"
            preset = "moonraker"
            readers = ["acr1552u-1", "ACS ACR1552 1S CL Reader [ACR1552] (1) 00 00"]
            [[command]]
            name = "all"
            run = ["/bin/true"]
            """)
        #expect(
            configuration.consumers.map(\.readers)
                == [["acr1552u-1", "ACS ACR1552 1S CL Reader [ACR1552] (1) 00 00"], nil])
    }

    @Test(arguments: [
        (WebhookSettings.Preset.spoolman, true), (.moonraker, true), (.cloudevents, false), (.json, false),
        (.ntfy, false),
    ])
    func `a receiver of spools can use no journal without UIDs`(preset: WebhookSettings.Preset, needsUID: Bool) {
        let settings = WebhookSettings(url: "http://127.0.0.1/x", preset: preset)
        #expect(settings.objection(to: .plain) == nil)
        for form in [IdentifierForm.hashed, .omitted] {
            let reason = settings.objection(to: form)
            #expect((reason != nil) == needsUID)
            if needsUID { #expect(reason?.contains("identifiers \(form.rawValue)") == true, "\(reason ?? "")") }
        }
        #expect(CommandSettings(run: ["/bin/true"]).objection(to: .hashed) == nil)
    }

    /// The page explains the receivers of spools with whole tables.
    @Test func `the examples of the page about spools are accepted`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/relay.md")
        let page = String(decoding: try Data(contentsOf: root.standardizedFileURL), as: UTF8.self)
        let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Spools") })
        let examples = section.matches(of: /```toml\n([^`]*)```/).map { String($0.1) }
        #expect(examples.count == 3)
        let scratch = try RelayScratch()
        let key = try scratch.file("key", "X-Api-Key: 0123456789abcdef\n")
        for example in examples {
            let text = example.replacing("/etc/nfcd/secrets/printer", with: key)
            #expect(try configuration(text).consumers.count == 1, "\(example)")
        }
    }

    @Test(arguments: [
        ("[relay]\nsiet = \"x\"\n", "2: relay.siet: unknown key; did you mean \"site\"?"),
        ("[rely]\nsite = \"x\"\n", "1: rely: unknown key; did you mean \"relay\"?"),
        ("[relay]\nsite = \"a b\"\n", "2: relay.site: expected 1 to 64 letters, digits, - and _"),
        ("[relay]\nsite = \"a/b\"\n", "2: relay.site: expected 1 to 64 letters, digits, - and _"),
        ("[relay]\ndrain-limit = 0\n", "2: relay.drain-limit: expected a whole number from 1 to 100000"),
        ("[relay]\nsource-prefix = \"nfcd\"\n", "2: relay.source-prefix: expected the beginning of a URL"),
        ("[state]\npath = \"relay.db\"\n", "2: state.path: expected an absolute path"),
        ("[webhook]\nname = \"a\"\n", "1: webhook: expected [[webhook]]"),
        ("[[webhook]]\nurl = \"https://a/\"\n", "1: webhook[0]: name is missing; write name = "),
        ("[[webhook]]\nname = \"a.b\"\n", "2: webhook[0].name: expected 1 to 64 letters, digits, - and _"),
        ("[[webhook]]\nname = \"a\"\n", "1: webhook[0]: url is missing; write url = "),
        ("[[webhook]]\nname = \"a\"\nurl = \"example.com\"\n", "3: webhook[0].url: expected an address such as"),
        ("[[webhook]]\nname = \"a\"\nurl = \"ftp://example.com\"\n", "3: webhook[0].url: expected an address such as"),
        ("[[webhook]]\nname = \"a\"\nurl = \"http://example.com\"\n", "3: webhook[0].url: http:// is not encrypted"),
        ("[[webhook]]\nname = \"a\"\nurl = \"http://127.0.0.1.example.com\"\n", "3: webhook[0].url: http:// is not"),
        ("[[webhook]]\nname = \"a\"\nurl = \"https://u:p@a/\"\n", "3: webhook[0].url: an address has no password"),
        ("[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\npreset = \"x\"\n", "4: webhook[0].preset: expected one of"),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://ntfy.sh\"\npreset = \"ntfy\"\n",
            "3: webhook[0].url: the topic is"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\ncontents = true\n",
            "4: webhook[0].contents: preset = \"cloudevents\" has no contents to add; remove the line"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/?b=c\"\npreset = \"moonraker\"\n",
            "3: webhook[0].url: expected the address of Moonraker alone"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nmax-age = 0\n",
            "4: webhook[0].max-age: expected a whole number from 1 to 31536000"
        ),
        ("[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\ntimeout = 0\n", "4: webhook[0].timeout: expected a whole"),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nreaders = []\n",
            "4: webhook[0].readers: the list is empty; name a reader, or remove the line"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nreaders = \"r\"\n",
            "4: webhook[0].readers: expected a list of texts"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nreaders = [\"r\", \"*\"]\n",
            "4: webhook[0].readers[1]: expected the id or the name of a reader"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nreaders = [\"acr*\"]\n",
            "4: webhook[0].readers[0]: expected the id or the name of a reader"
        ),
        (
            "[[command]]\nname = \"a\"\nrun = [\"true\"]\nreaders = [\"a\\nb\"]\n",
            "4: command[0].readers[0]: expected the id or the name of a reader"
        ),
        (
            "[[mqtt]]\nname = \"a\"\nhost = \"b\"\nreaders = [\"a\\u001B[2Jb\"]\n",
            "4: mqtt[0].readers[0]: expected the id or the name of a reader"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nreaders = [\"\"]\n",
            "4: webhook[0].readers[0]: expected the id or the name of a reader"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-flie = \"/x\"\n",
            "4: webhook[0].secret-flie: unknown key; did you mean \"secret-file\"?"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-file = \"/nonexistent\"\n",
            "4: webhook[0].secret-file: /nonexistent cannot be read: No such file or directory"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-credential = \"x\"\n",
            "4: webhook[0].secret-credential: the service manager passed no credentials; add LoadCredential=x:/path"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nca-file = \"/dev/null\"\n",
            "4: webhook[0].ca-file: /dev/null has no certificate"
        ),
        (
            "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\n[[command]]\nname = \"A\"\nrun = [\"/bin/true\"]\n",
            "5: command[0].name: there is another consumer \"A\"; use another name"
        ),
        ("[[command]]\nname = \"a\"\n", "1: command[0]: run is missing; write run = "),
        ("[[command]]\nname = \"a\"\nrun = \"x\"\n", "3: command[0].run: expected a list of texts"),
        ("[[command]]\nname = \"a\"\nrun = []\n", "3: command[0].run: the list is empty"),
        ("[[command]]\nname = \"a\"\nrun = [\"true\"]\n", "3: command[0].run[0]: expected the absolute path"),
        ("[[command]]\nname = \"a\"\nrun = [\"/nonexistent\"]\n", "3: command[0].run[0]: /nonexistent cannot be run"),
        (
            "[[command]]\nname = \"a\"\nrun = [\"/bin/true\"]\nattempts = 0\n",
            "4: command[0].attempts: expected a whole"
        ),
        ("[[command]]\nname = \"a\"\nrun = [\"/bin/true\"]\nrequire = \"x\"\n", "4: command[0].require: expected"),
        ("[[command]]\nname = \"a\"\nrun = [\"/bin/true\"]\nstart = \"now\"\n", "4: command[0].start: expected one of"),
    ])
    func `an error names file, line and key, and what to write`(text: String, message: String) {
        #expect(throws: ConfigurationError.self) { try configuration(text) }
        do {
            _ = try configuration(text)
        } catch {
            #expect("\(error)".hasPrefix("relay.toml:\(message)"), "\(error)")
        }
    }

    @Test(arguments: [
        (0o644, "can be read or changed by other users; run chmod 0640"), (0o660, "can be read or changed"),
        (0o604, "can be read or changed"),
    ])
    func `a secret that others can read is refused`(mode: UInt32, message: String) throws {
        let scratch = try RelayScratch()
        let file = try scratch.file("secret", Self.key, mode: mode)
        let text = "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-file = \"\(file)\"\n"
        #expect { try configuration(text) } throws: { "\($0)".contains(message) }
    }

    @Test(arguments: ["", "whsec_", "hunter2", "whsec_AAEC", "whsec_!!!!"])
    func `an invalid secret is refused, and not shown`(secret: String) throws {
        let scratch = try RelayScratch()
        let file = try scratch.file("secret", secret)
        let text = "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-file = \"\(file)\"\n"
        #expect {
            try configuration(text)
        } throws: { error in
            "\(error)".hasPrefix("relay.toml:4: webhook[0].secret-file: ")
                && !["hunter2", "AAEC", "!!!!"].contains { "\(error)".contains($0) }
        }
    }

    @Test(arguments: [
        ("a\n", ["a"]), (" a b \r\n\t\r\nc", ["a b", "c"]), ("\n\n", []), ("", []), ("ü €", ["ü €"]),
        ("a\u{B}b\u{C}c", ["a", "b", "c"]),
    ])
    func `a secret has its lines without spaces, and shows none of them`(text: String, lines: [String]) throws {
        let secret = try #require(Secret(Array(text.utf8)))
        #expect(secret.lines.map(\.text) == lines)
        for line in secret.lines { #expect(line.withCString { $0.map { String(cString: $0) } } == line.text) }
        var shown = ""
        dump(secret, to: &shown)
        shown += "\(secret) \(secret.lines)"
        for line in lines { #expect(!shown.contains(line) || "(secret)".contains(line), "\(shown)") }
    }

    @Test(arguments: [[0x61, 0x00, 0x62], [0xFF], [0xC3], [0x61, 0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func `a secret is text without NUL`(bytes: [UInt8]) {
        #expect(Secret(bytes) == nil)
    }

    @Test func `a secret that another user could replace is refused`() throws {
        let scratch = try RelayScratch()
        let file = try scratch.file("shop", Self.key, mode: 0o600)
        let text = "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-file = \"\(file)\"\n"
        #expect(try configuration(text).consumers.count == 1)
        #expect(chmod(scratch.path, 0o777) == 0)
        #expect(throws: ConfigurationError.self) { try configuration(text) }
    }

    @Test func `a check passes where the credentials are only there in the service`() throws {
        let text = "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-credential = \"x\"\n"
        #expect(try configuration(text, isCheck: true).consumers.count == 1)
    }

    @Test func `a credential is read from the directory of the service manager`() throws {
        let scratch = try RelayScratch()
        try scratch.file("shop", Self.key, mode: 0o400)
        let text = "[[webhook]]\nname = \"a\"\nurl = \"https://a/\"\nsecret-credential = \"shop\"\n"
        let configuration = try RelayConfiguration(
            text: text, file: "relay.toml", SecretReader(credentials: scratch.path))
        #expect((configuration.consumers.first?.sink as? WebhookSettings)?.keys.count == 1)
    }

    @Test func `the name of the machine is derived from its id, and is not the id`() throws {
        let scratch = try RelayScratch()
        let file = try scratch.file("machine-id", "0123456789abcdef0123456789abcdef\n")
        let identity = try RelayIdentity(configuration(""), machineIDFile: file)
        #expect(identity.device.count == 16)
        #expect(!"0123456789abcdef0123456789abcdef".contains(identity.device))
        #expect(try RelayIdentity(configuration(""), machineIDFile: file) == identity)
        #expect(identity.source(reader: "a b/ü") == "/nfcd/default/\(identity.device)/a%20b%2F%C3%BC")
    }

    @Test(arguments: ["", "uninitialized\n", "00000000000000000000000000000000\n"])
    func `a machine without an id needs a name`(id: String) throws {
        let scratch = try RelayScratch()
        let file = try scratch.file("machine-id", id)
        #expect { try RelayIdentity(configuration(""), machineIDFile: file) } throws: { "\($0)".contains("set device") }
    }
}
