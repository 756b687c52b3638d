import Foundation
import TestSupport
import Testing

/// The start of a relay after a broker lost what it had, ended at every place where something is stored or sent.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct `A relay that is killed while it starts` {
    private static let taps = 3
    private static let longestWait = Duration.seconds(60)

    /// A mosquitto without a memory, and what its subscriber has received.
    private final class Broker {
        let process: ChildProcess
        let subscriber: ChildProcess

        init(port: Int, in scratch: Scratch) async throws {
            let file = try scratch.file("broker.conf", "listener \(port) 127.0.0.1\nallow_anonymous true\n")
            process = try ChildProcess(["mosquitto", "-c", file])
            guard await process.errors.next(containing: "running") != nil else {
                throw TestError("mosquitto does not start: \(process.errors.all)")
            }
            subscriber = try ChildProcess([
                "stdbuf", "-oL", "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", "nfcd/+/+/+/tap",
                "-F", "%p", "-d",
            ])
            guard await subscriber.output.next(containing: "Subscribed") != nil else {
                throw TestError(
                    "mosquitto_sub does not subscribe: \(subscriber.output.all) \(subscriber.errors.all) \(process.errors.all)"
                )
            }
        }

        /// The taps that were delivered, each once.
        var received: Set<Int> {
            Set(
                subscriber.output.all.compactMap { line in
                    (1...`A relay that is killed while it starts`.taps).first { line.contains("example.com/\($0)\"") }
                })
        }

        func end() async {
            await subscriber.end(SIGKILL)
            await process.end(SIGKILL)
        }
    }

    private static func wait(_ isReached: () async -> Bool) async -> Bool {
        let started = ContinuousClock.now
        while await !isReached() {
            guard started.duration(to: .now) < longestWait else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    /// What the relay has done before it is started and killed.
    enum Past: CaseIterable {
        /// Nothing: it has no state file.
        case none
        /// It has delivered everything, to a broker that then lost it.
        case delivered
    }

    @Test(arguments: Past.allCases)
    func `delivers everything to a broker without a memory, wherever it was killed`(past: Past) async throws {
        guard try await Programs.found(["mosquitto", "mosquitto_sub", "stdbuf"]) else { return }
        let journal = try await JournalUnderTest(simulatedReaders: 1)
        let (folder, port) = (journal.scratch.path, try #require(freePort()))
        for tap in 1...Self.taps { try await journal.tapOnce("--uri", "https://example.com/\(tap)") }
        let file = try journal.scratch.file(
            "relay.toml",
            """
            [relay]
            device = "desk"
            reconnect-jitter = 0
            [state]
            path = "\(folder)/relay.db"
            [[mqtt]]
            name = "main"
            host = "127.0.0.1"
            port = \(port)
            start = "oldest"
            home-assistant = true
            """)
        func relay(killedAt place: Int?) throws -> ChildProcess {
            try ChildProcess(
                [Programs.relay, "--config", file, "--socket", journal.socket, "--control", "\(folder)/relay.sock"],
                environment: place.map { ["NFCD_RELAY_KILL_AT": "\($0)"] } ?? [:])
        }

        if past == .delivered {
            let first = try await Broker(port: port, in: journal.scratch)
            let whole = try relay(killedAt: nil)
            #expect(await Self.wait { first.received.count == Self.taps }, "\(whole.errors.all)")
            await whole.end()
            await first.end()
        }
        let files = ["relay.db", "relay.db-wal", "relay.db-shm"].map { "\(folder)/\($0)" }
        for path in files { try? FileManager.default.moveItem(atPath: path, toPath: path + ".kept") }

        var place = 1
        while true {
            for path in files {
                try? FileManager.default.removeItem(atPath: path)
                try? FileManager.default.copyItem(atPath: path + ".kept", toPath: path)
            }
            // nfcd remembers what was delivered, too.
            if past == .none { _ = try await journal.taps(["remove-consumer", "relay:main"]) }
            let broker = try await Broker(port: port, in: journal.scratch)
            let killed = try relay(killedAt: place)
            let status = Task { await killed.status() }
            // A place behind the last tap is not reached.
            let ended = await Self.wait { kill(killed.processID, 0) != 0 || broker.received.count == Self.taps }
            #expect(ended, "place \(place): \(killed.errors.all.suffix(5))")
            let isWhole = broker.received.count == Self.taps && kill(killed.processID, 0) == 0
            if isWhole { kill(killed.processID, SIGKILL) }
            _ = await status.value
            let next = try relay(killedAt: nil)
            let isComplete = await Self.wait { broker.received.count == Self.taps }
            #expect(isComplete, "killed at place \(place): only \(broker.received.sorted()) of \(Self.taps) taps")
            await next.end()
            await broker.end()
            guard !isWhole, isComplete else { break }
            place += 1
        }
        print("the start of a relay that has delivered \(past) has \(place - 1) places at which it was killed")
        #expect(place > 25)
        await journal.end()
    }
}
