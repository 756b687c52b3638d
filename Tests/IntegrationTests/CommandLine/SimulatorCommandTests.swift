import Foundation
import Testing

/// `nfcctl simulator` and `nfcctl demo`: readers and tags without nfcd.
@Suite(.timeLimit(.minutes(20)))
struct `Simulated readers of nfcctl` {
    @Test(arguments: [SIGINT, SIGTERM])
    func `serve programs until a signal`(signal: Int32) async throws {
        let scratch = try Scratch()
        let variables = ["NFCD_SOCKET": "\(scratch.path)/nfcd.sock"]
        let simulator = try ChildProcess(
            [Programs.nfcctl, "simulator", "--readers", "2", "--json"], environment: variables)
        let ready = try #require(await simulator.output.next())
        #expect(
            ready == #"{"event":"listening","readers":[{"name":"Simulated Reader 0","reader":"simulated-0"},"#
                + #"{"name":"Simulated Reader 1","reader":"simulated-1"}],"socket":"\#(scratch.path)/nfcd.sock"}"#)
        let tag = try ChildProcess(
            [Programs.nfcctl, "virtual-tag", "ntag213", "--uri", "https://example.com"], environment: variables)
        _ = await tag.output.next()
        let read = try await run([Programs.nfcctl, "read"], environment: variables)
        #expect(read.status == 0 && read.output.contains("  1  URI https://example.com"), "\(read)")
        #expect(await simulator.end(signal) == 0, "\(simulator.errors.all)")
        #expect(await tag.status() == 69)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test func `do not take the socket of another daemon`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let finished = try await daemon.run("simulator")
        #expect(finished.status == 73)
        #expect(finished.errors.joined().contains("another nfcd listens on \(daemon.socket)"), "\(finished.errors)")
        await daemon.process.end()
    }

    @Test(arguments: [
        ["--readers", "0"], ["--readers", "65"], ["--model", "acr122"],
    ])
    func `are refused for an invalid option`(options: [String]) async throws {
        let finished = try await run([Programs.nfcctl, "simulator"] + options)
        #expect(finished.status == 64, "\(finished)")
    }
}

/// `nfcctl demo`, with a folder for what it leaves behind, and a Python of the test.
private struct DemoUnderTest {
    let scratch: Scratch
    /// What python3 does: the shell script has the lines of Python in `$2`.
    let python: String

    init(python: String) throws {
        scratch = try Scratch()
        self.python = python
        for folder in ["bin", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(folder)", withIntermediateDirectories: false)
        }
        let file = try scratch.file("bin/python3", "#!/bin/sh\n\(python)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }

    var variables: [String: String] {
        ["PATH": "\(scratch.path)/bin:/usr/bin:/bin", "TMPDIR": "\(scratch.path)/tmp"]
    }

    /// What is left behind.
    var remains: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/tmp") }
    }
}

@Suite(.timeLimit(.minutes(20)))
struct `The demo` {
    static let link = "https://example.com/nfcd"

    @Test func `reads a tag with nfcctl and with Python`() async throws {
        guard try await Programs.found(["python3"]) else { return }
        let demo = try DemoUnderTest(python: "PATH=${PATH#*:} exec python3 \"$@\"")
        let source = Repository.file("Clients/python/src").path
        let finished = try await run(
            [Programs.nfcctl, "demo"], environment: demo.variables.merging(["PYTHONPATH": source]) { $1 })
        #expect(finished.status == 0, "\(finished)")
        #expect(finished.output.contains { $0.hasPrefix("Tag on Simulated Reader 0: ") })
        #expect(finished.output.contains("  1  URI \(Self.link)"))
        #expect(finished.output.contains(Self.link), "\(finished)")
        #expect(try demo.remains.isEmpty)
    }

    @Test func `shows lines of Python that it cannot run`() async throws {
        let demo = try DemoUnderTest(python: "exit 1")
        let finished = try await run([Programs.nfcctl, "demo"], environment: demo.variables)
        #expect(finished.status == 0, "\(finished)")
        #expect(finished.output.contains { $0.contains("pip install nfcd") }, "\(finished)")
        #expect(try demo.remains.isEmpty)
    }

    @Test func `fails if the lines of Python fail`() async throws {
        let demo = try DemoUnderTest(python: "[ \"$2\" = 'import nfcd' ]")
        let finished = try await run([Programs.nfcctl, "demo"], environment: demo.variables)
        #expect(finished.status == 69, "\(finished)")
        #expect(try demo.remains.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `ends with everything that it has started`(signal: Int32) async throws {
        let demo = try DemoUnderTest(
            python: "[ \"$2\" != 'import nfcd' ] || exit 0; echo waiting; exec sleep 600")
        let child = try ChildProcess([Programs.nfcctl, "demo"], environment: demo.variables)
        try #require(await child.output.next(containing: "waiting") != nil)
        #expect(await child.end(signal) == 130, "\(child.errors.all)")
        #expect(try demo.remains.isEmpty)
        // Python, too: the last program that holds standard output.
        #expect(await child.output.next() == nil)
    }

    @Test func `leaves nothing behind where its output is closed`() async throws {
        let demo = try DemoUnderTest(python: "exit 1")
        let finished = try await run(
            ["sh", "-c", "\"$0\" demo | head -n 1", Programs.nfcctl], environment: demo.variables)
        #expect(finished.status == 0)
        #expect(try demo.remains.isEmpty)
    }
}
