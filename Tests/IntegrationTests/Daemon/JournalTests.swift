import Foundation
import NFCProtocol
import Testing

/// A real nfcd with a journal on disk, and simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `The journal of nfcd` {
    private static let tag =
        #"{"model":"ntag215","reader":"simulated-0","ndef":"D101045504612E62","identifier":"04112233445566"}"#

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private var path: String { "\(folder.path)/state/taps.db" }

    private func start(_ keys: String = "", more: String = "") async throws -> DaemonUnderTest {
        let text = "[journal]\nenabled = true\npath = \"\(path)\"\n\(keys)\n\(more)"
        return try await DaemonUnderTest(
            simulatedReaders: 2, configuration: try folder.file("nfcd.toml", text))
    }

    /// Presents a tag until its tap is reported, and takes it away.
    private func tap(_ client: LineClient, _ parameters: String = tag, event: String = "taps.didRecord") async throws
        -> JSONValue
    {
        let presentation = try await client.result("simulator.present", parameters)["presentation"]
        let tap = try await client.notification(event)
        guard case .string(let name)? = presentation else { throw TestError("no presentation") }
        try await client.result("simulator.remove", #"{"presentation":"\#(name)"}"#)
        return tap
    }

    private func taps(_ client: LineClient) async throws -> [JSONValue] {
        guard case .array(let taps)? = try await client.result("taps.list")["taps"] else { return [] }
        return taps
    }

    @Test func `a tap is on disk when it is notified: nfcd is killed at that moment`() async throws {
        for round in 1...3 {
            let daemon = try await start("debounce = 0")
            let client = try LineClient(path: daemon.socket)
            try await client.result("taps.subscribe", #"{"after":"new"}"#)
            client.send("simulator.present", Self.tag)
            let id = try await client.notification("taps.didRecord")["tap"]?["id"]
            await daemon.process.end(SIGKILL)

            let next = try await start()
            let taps = try await taps(try LineClient(path: next.socket))
            #expect(taps.last?["id"] == id && taps.count == round)
            #expect(taps.last?["readerSequence"] == .integer(Int64(round)))
            await next.process.end()
        }
    }

    @Test func `a consumer gets what it did not acknowledge after a restart`() async throws {
        let daemon = try await start("debounce = 0")
        let client = try LineClient(path: daemon.socket)
        try await client.result("taps.subscribe", #"{"consumer":"clock"}"#)
        for _ in 0..<3 { _ = try await tap(client) }
        try await client.result("taps.acknowledge", #"{"subscription":"taps-1","sequence":1}"#)
        #expect(await daemon.process.end() == 0)
        let next = try await start("debounce = 0")
        let again = try LineClient(path: next.socket)
        #expect(try await again.result("taps.subscribe", #"{"consumer":"clock"}"#)["after"] == 1)
        for sequence in 2...3 {
            #expect(try await again.notification("taps.didRecord")["tap"]?["sequence"] == .integer(Int64(sequence)))
        }
        await next.process.end()
    }

    @Test(arguments: [("refuse", 203), ("dropOldest", nil)])
    func `a full journal`(policy: String, error: Int64?) async throws {
        let daemon = try await start("debounce = 0\nmax-taps = 100\nwhen-full = \"\(policy)\"")
        let client = try LineClient(path: daemon.socket)
        try await client.result("taps.acknowledge", #"{"consumer":"gone"}"#)
        try await client.result("background.subscribe")
        for _ in 0..<100 { #expect(try await tap(client, event: "background.didReadTag")["error"] == nil) }
        let last = try await tap(client, event: "background.didReadTag")
        #expect(last["error"]?["code"] == error.map { .integer($0) })
        let status = try await client.result("taps.status")
        #expect(status["state"] == (error == nil ? "ready" : "full") && status["taps"] == 100)
        // Nothing else stops; and after the oldest taps were deleted there is room again.
        #expect(try await daemon.run("readers").status == 0)
        #expect(try await daemon.run("taps", "remove-consumer", "gone").status == 0)
        if error != nil { #expect(try await client.result("taps.prune", #"{"through":50}"#)["removed"] == 50) }
        let after = try await tap(client, event: "background.didReadTag")
        #expect(after["error"] == nil, "\(after["error"] ?? .null)")
        await daemon.process.end()
    }

    @Test func `a damaged file is moved aside, and reported`() async throws {
        let daemon = try await start("debounce = 0")
        let client = try LineClient(path: daemon.socket)
        try await client.result("taps.subscribe")
        let epoch = try await tap(client)["tap"]?["epoch"]
        await daemon.process.end()
        try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: path))

        let next = try await start("debounce = 0")
        let again = try LineClient(path: next.socket)
        try await again.result("taps.subscribe")
        let tap = try await tap(again)["tap"]
        #expect(tap?["sequence"] == 1 && tap?["epoch"] != epoch && tap?["epoch"] != nil)
        #expect(try await again.result("taps.status")["movedAside"] == 1)
        #expect(next.process.errors.all.contains { $0.contains("the journal was damaged") })
        await next.process.end()
    }

    @Test func `a journal that cannot be opened refuses taps, and nothing else stops`() async throws {
        _ = try folder.file("state", "this is a file, not a directory")
        let daemon = try await start()
        let client = try LineClient(path: daemon.socket)
        try await client.result("background.subscribe")
        let tap = try await tap(client, event: "background.didReadTag")
        #expect(tap["error"]?["code"] == 203 && tap["messages"] == .array([]))
        let status = try await client.result("taps.status")
        #expect(status["state"] == "failed" && status["reason"] != nil)
        let scan = try await daemon.startScan("--count", "1")
        client.send("simulator.present", Self.tag)
        #expect(try await scan.output.nextScanLine().event == "tag")
        await daemon.process.end()
    }

    @Test(arguments: [("hashed", 32), ("omitted", 0), ("plain", 14)])
    func `identifiers are stored as configured`(form: String, digits: Int) async throws {
        let daemon = try await start("identifiers = \"\(form)\"\ndebounce = 0")
        let client = try LineClient(path: daemon.socket)
        try await client.result("taps.subscribe")
        let first = try await tap(client)["tap"]?["tag"]
        let second = try await tap(client)["tap"]?["tag"]
        guard case .string(let identifier)? = first?["identifier"] else { throw TestError("no identifier") }
        #expect(identifier.count == digits && second?["identifier"] == first?["identifier"])
        #expect(first?["identifierForm"] == (form == "plain" ? nil : .string(form)))
        #expect((identifier == "04112233445566") == (form == "plain"))
        #expect(try await client.result("taps.status")["identifiers"] == .string(form))
        await daemon.process.end()
        let key = "\(folder.path)/state/identifier.key"
        #expect(FileManager.default.fileExists(atPath: key) == (form == "hashed"))
        guard form == "hashed" else { return }
        let attributes = try FileManager.default.attributesOfItem(atPath: key)
        #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == 32)
        // The same card has the same value after a restart.
        let next = try await start("identifiers = \"hashed\"")
        let again = try LineClient(path: next.socket)
        try await again.result("taps.subscribe")
        #expect(try await tap(again)["tap"]?["tag"]?["identifier"] == .string(identifier))
        await next.process.end()
    }

    @Test func `a card that comes back within the rest time of its reader is the same tap`() async throws {
        let reader = "[[reader]]\nmatch = \"Reader 1\"\ndebounce = 0\n"
        let daemon = try await start("debounce = 60000", more: reader)
        let client = try LineClient(path: daemon.socket)
        try await client.result("taps.subscribe")
        _ = try await tap(client)
        for _ in 0..<3 {
            let presentation = try await client.result("simulator.present", Self.tag)["presentation"]
            guard case .string(let name)? = presentation else { throw TestError("no presentation") }
            try await daemon.wait(for: "tagArrived")
            try await client.result("simulator.remove", #"{"presentation":"\#(name)"}"#)
        }
        // The other reader has no rest time; its tap comes after the repeated ones.
        for _ in 0..<2 {
            let tap = try await tap(client, Self.tag.replacingOccurrences(of: "simulated-0", with: "simulated-1"))
            #expect(tap["tap"]?["reader"] == "simulated-1")
        }
        #expect(try await taps(client).count == 3)
        await daemon.process.end()
    }

    @Test(arguments: [
        ("enabled = \"yes\"", ":2: journal.enabled: expected true or false"),
        ("path = \"taps.db\"", ":2: journal.path: expected the path of a file that begins with /"),
        ("max-taps = 99", ":2: journal.max-taps: expected a whole number from 100 to 100000000"),
        ("max-bytes = \"64M\"", ":2: journal.max-bytes: expected a whole number from 1048576"),
        ("max-age = 0", ":2: journal.max-age: expected a whole number from 1 to 3650"),
        ("when-full = \"drop\"", ":2: journal.when-full: expected one of \"refuse\", \"dropOldest\""),
        ("identifiers = \"hash\"", ":2: journal.identifiers: expected one of \"plain\", \"hashed\", \"omitted\""),
        ("identifier-key-file = \"/etc/passwd\"", "has "),
        ("sessions = 1", ":2: journal.sessions: expected true or false"),
        ("debounce = 60001", ":2: journal.debounce: expected a whole number from 0 to 60000"),
        ("max-tap = 5", ":2: journal.max-tap: unknown key; did you mean \"max-taps\"?"),
    ])
    func `a wrong key is named with its line and what to write`(line: String, error: String) async throws {
        let file = try folder.file("nfcd.toml", "[journal]\n\(line)\n")
        let checked = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(checked.status == 78)
        #expect(checked.errors.contains { $0.contains(error) }, "\(checked.errors)")
    }

    @Test func `a key that others can read is refused`() async throws {
        let key = try folder.file("site.key", [UInt8](repeating: 7, count: 32))
        chmod(key, 0o644)
        let file = try folder.file("nfcd.toml", "[journal]\nidentifier-key-file = \"\(key)\"\n")
        let checked = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(checked.status == 78)
        #expect(checked.errors.contains { $0.contains(":2: journal.identifier-key-file") && $0.contains("chmod 600") })
        chmod(key, 0o600)
        #expect(try await run([Programs.nfcd, "--check", "--config", file]).status == 0)
    }
}
