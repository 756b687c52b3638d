import FoundationEssentials
import Glibc
import Logging
import NFCProtocol
import Synchronization
import Testing

@testable import nfcd_relay

/// Commands that misbehave.
@Suite struct CommandSinkTests {
    private let scratch: RelayScratch

    init() throws { scratch = try RelayScratch() }

    /// Runs a script, and returns how it ended, and its output.
    private func run(
        _ script: String, input: String = "{}\n", timeout: Duration = .seconds(30), stop: StopFlag = StopFlag()
    ) async throws -> (end: CommandRun.End, output: [String]) {
        let lines = Lines()
        let run = CommandRun(
            arguments: ["/bin/sh", "-c", script, "sh", "an argument"],
            variables: ["NFCD_TAP_ID": "id", "NFCD_TAG": "$(touch x); `id`"],
            input: Array(input.utf8), timeout: timeout
        ) { lines.add($0) }
        let end = await ThreadPool(size: 1).run { run.run(until: stop) }
        return (end, lines.all)
    }

    @Test func `a command gets its input, its arguments and a clean environment`() async throws {
        let (end, output) = try await run(
            #"cat; echo "$1"; env | sort; pwd; ls /proc/self/fd | wc -l; ulimit -c >/dev/null"#, input: "{\"a\":1}\n")
        #expect(end == .exited(0))
        #expect(output.first == "{\"a\":1}")
        #expect(output.contains("an argument"))
        #expect(output.contains("NFCD_TAG=$(touch x); `id`"))
        #expect(!output.contains { $0.hasPrefix("HOME=") })
        #expect(output.contains("/"))
        // Standard input, output and error, and the folder that ls reads.
        #expect(output.last == "4")
    }

    @Test func `a command leads a session`() async throws {
        let (_, output) = try await run(#"cut -d' ' -f1,5,6 /proc/$$/stat"#)
        let numbers = (output.first ?? "").split(separator: " ")
        #expect(numbers.count == 3 && Set(numbers).count == 1)
    }

    @Test func `signals have their default action in a command`() async throws {
        let (_, output) = try await run(#"grep -E '^Sig(Ign|Blk)' /proc/self/status | tr '\t' ' '"#)
        #expect(output.count == 2)
        let masks = output.compactMap { $0.split(separator: " ").last }.compactMap { UInt64($0, radix: 16) }
        // glibc keeps signals 32 and 33 to itself, and ignores them in a child.
        #expect(masks.count == 2 && masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(output)")
    }

    @Test(arguments: [
        (0, "delivered"), (1, "refused"), (2, "refused"), (64, "unacceptable"), (65, "unacceptable"),
        (66, "unacceptable"), (68, "unacceptable"), (69, "retry"), (70, "refused"), (71, "retry"), (74, "retry"),
        (75, "retry"), (76, "unacceptable"), (77, "held"), (78, "held"), (126, "held"), (127, "held"), (255, "refused"),
    ])
    func `the exit status decides what happens to the tap`(status: Int, kind: String) async throws {
        let (end, _) = try await run("exit \(status)")
        #expect(end == .exited(Int32(status)))
        #expect("\(end.delivery)".hasPrefix(kind))
    }

    @Test func `a signal is temporary`() async throws {
        let (end, _) = try await run("kill -SEGV $$")
        #expect(end == .signalled(SIGSEGV))
        #expect("\(end.delivery)".hasPrefix("retry"))
    }

    @Test func `a command that does not read its input does not fail`() async throws {
        let (end, _) = try await run("exec 0<&-; exit 0", input: String(repeating: "x", count: 1_000_000))
        #expect(end == .exited(0))
    }

    /// Whether a process exists and is not a zombie, which only waits for init.
    private static func isRunning(_ process: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.split(separator: " ")
        return state.map { $0[2] != "Z" } ?? false
    }

    @Test func `a command that hangs is ended with its children`() async throws {
        let (outcome, output) = try await run("sleep 1000 & echo $!; wait", timeout: .seconds(1))
        #expect(outcome == .timedOut(.seconds(1)))
        let child = try #require(output.first.flatMap { pid_t($0) })
        // It has its signal, and ends as soon as it gets the processor.
        let end = ContinuousClock.now + .seconds(60)
        while Self.isRunning(child), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!Self.isRunning(child))
    }

    @Test(arguments: ["wait", "exit 0", "kill -SEGV $$"])
    func `children that ignore signals do not outlive their run`(end: String) async throws {
        let script = "(trap '' TERM HUP INT; exec sleep 1000) & echo $!; \(end)"
        let (_, output) = try await run(script, timeout: .seconds(1))
        let child = try #require(output.first.flatMap { pid_t($0) })
        let limit = ContinuousClock.now + .seconds(60)
        while Self.isRunning(child), ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!Self.isRunning(child))
    }

    /// Ways to leave a process behind. Each prints its number into the file.
    static let leftovers = [
        "setsid sh -c 'echo $$ >FILE; exec sleep 1000' &",
        "nohup sh -c 'echo $$ >FILE; exec sleep 1000' >/dev/null 2>&1 &",
        "(setsid sh -c 'sh -c \"echo \\$\\$ >FILE; exec sleep 1000\" & exit' &)",
        "setsid -f sh -c \"trap '' TERM HUP INT; echo \\$\\$ >FILE; while :; do sleep 1; done\" >/dev/null 2>&1 </dev/null",
        "env -i setsid setsid -f sh -c 'echo $$ >FILE; cd /; exec sleep 1000 3>&- >/dev/null 2>&1'",
        "python3 -c 'import os, time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  open(\"FILE\", \"w\").write(f\"{os.getpid()}\\n\")\n  time.sleep(1000)\n os._exit(0)'",
    ]

    @Test(arguments: leftovers, ["exit 0", "exit 3", "kill -KILL $$", "sleep 1000"])
    func `nothing that a command has started outlives its run`(leftover: String, end: String) async throws {
        let file = "\(scratch.path)/number"
        let script = "\(leftover.replacing("FILE", with: file))\nwhile ! [ -s \(file) ]; do sleep 0.01; done\n\(end)"
        _ = try await run(script, timeout: end == "sleep 1000" ? .seconds(1) : .seconds(30))
        let number = try #require(pid_t(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[0]))
        #expect(!Self.isRunning(number))
    }

    @Test func `what other runs have started continues`() async throws {
        let gate = "\(scratch.path)/gate"
        #expect(mkfifo(gate, 0o600) == 0)
        async let other = run("setsid sh -c 'cat \(gate); echo through' & wait")
        _ = try await run("setsid sleep 1000 & exit 0")
        _ = try await run("echo go >\(gate)")
        #expect(try await other.output.contains("through"))
    }

    @Test(arguments: ["yes", "yes ''", "yes '\\033'", "yes é"])
    func `short lines do not become a long log`(command: String) async throws {
        let (_, output) = try await run("\(command) | head -c 200000")
        // Each line has at least the name of the consumer and the tap before it.
        #expect(output.reduce(0) { $0 + $1.utf8.count + 128 } < 80_000)
    }

    @Test func `a command that ignores SIGTERM is killed`() async throws {
        let (end, _) = try await run("trap '' TERM; while :; do sleep 1; done", timeout: .seconds(1))
        #expect(end == .timedOut(.seconds(1)))
    }

    @Test func `a command is ended where the relay stops`() async throws {
        let stop = StopFlag()
        stop.set()
        let (end, _) = try await run("sleep 1000", stop: stop)
        #expect(end == .stopped)
    }

    @Test func `output is limited, and the command continues`() async throws {
        let (end, output) = try await run("head -c 5000000 /dev/zero | tr '\\0' x; echo; seq 100000; exit 3")
        #expect(end == .exited(3))
        #expect(output.first?.utf8.count == 4096)
        #expect(output.reduce(0) { $0 + $1.utf8.count } < 70_000)
        #expect(output.last?.contains("more bytes of output were dropped") == true)
    }

    @Test func `a command that never stops writing is ended in time`() async throws {
        let (end, _) = try await run("exec yes", timeout: .seconds(1))
        #expect(end == .timedOut(.seconds(1)))
    }

    @Test func `output that could drive a terminal is made printable`() async throws {
        let (_, output) = try await run(#"printf 'a\033[2Jb\n'"#)
        #expect(output == ["a\\u{1B}[2Jb"])
    }

    @Test func `a child that keeps the output open does not hold the command`() async throws {
        let (end, _) = try await run("sleep 1000 & echo $! > /dev/null; kill -0 $!; setsid sleep 3 & exit 0")
        #expect(end == .exited(0))
    }

    @Test func `a program that does not exist holds the consumer`() async {
        let run = CommandRun(arguments: ["/nonexistent"], variables: [:], input: [], timeout: .seconds(9)) { _ in }
        let end = await ThreadPool(size: 1).run { run.run(until: StopFlag()) }
        #expect("\(end.delivery)".hasPrefix("held"))
    }

    @Test func `runs leave no descriptor and no child`() async throws {
        _ = try await run("exit 0")
        let before = descriptors
        for _ in 0..<100 { _ = try await run("exit 0") }
        // Other tests have descriptors of this process too; a leak would be at least 100.
        #expect(descriptors <= before + 60)
    }

    private var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    @Test func `a tap is on standard input and in the environment`() async throws {
        let script = "cat > \(scratch.path)/in; env | grep ^NFCD | sort > \(scratch.path)/env"
        let sink = CommandSink(
            CommandSettings(run: ["/bin/sh", "-c", script]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, name: "a")
        let identity = RelayIdentity(site: "s", device: "d")
        let tap = TapFactory.tap(70, reader: "reader-0", 7)
        let event = try TapEvent(tap, identity, attempt: 2, isReplay: false)
        #expect(await sink.deliver(event) == .delivered("exit status 0"))
        #expect(scratch.text("in") == String(decoding: try JSONLine.encode(tap), as: UTF8.self))
        let lines = scratch.text("env").split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "NFCD_ATTEMPT=2", "NFCD_EVENT=org.nfcd.tap.read", "NFCD_PROOF=", "NFCD_PROOF_COUNTER=",
                "NFCD_PROOF_CREDENTIAL=", "NFCD_PROOF_IDENTIFIER=", "NFCD_PROOF_KEY=", "NFCD_PROOF_KEY_VERSION=",
                "NFCD_PROOF_METHOD=", "NFCD_PROOF_PROFILE=", "NFCD_PROOF_SCOPE=", "NFCD_READER=reader-0",
                "NFCD_SEQ=70", "NFCD_SEQUENCE=70", "NFCD_TAG=046E11044D5A80", "NFCD_TAP_ID=\(tap.id)",
            ])
    }
}

/// Lines of output.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
