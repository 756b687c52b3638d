import Foundation
import TestSupport
import Testing

/// nfcctl with a daemon that hangs.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `A command that nfcd does not answer` {
    /// What listens on the socket.
    enum Listener: CaseIterable {
        /// It accepts connections, and never answers.
        case silent
        /// It answers with half a line.
        case half
        /// It does not accept connections, and its queue is full.
        case full
    }

    /// Every command that needs nfcd, with little else.
    static let commands = [
        ["scan", "--timeout", "3"], ["scan", "--json", "--count", "1"], ["monitor"], ["monitor", "--json"], ["watch"],
        ["watch", "--exec", "true"], ["readers"], ["readers", "--json"], ["sessions"], ["metrics"], ["info"], ["read"],
        ["read", "--timeout", "3"], ["write", "--text", "x"], ["format"], ["lock", "--yes"], ["dump"],
        ["apdu", "00A40400"],
        ["transceive", "60"], ["taps", "list"], ["taps", "follow"], ["taps", "status"], ["taps", "export"],
        ["virtual-tag", "ntag213"], ["write", "--each", "--text", "{n}", "--count", "2", "--report", "r.csv"],
        ["config", "--counter", "on"], ["password", "remove"],
    ]

    /// A socket that behaves so, until the value is released.
    final class Daemon: Sendable {
        let scratch: Scratch
        let socket: String
        private let listener: OpenSocket
        private let waiting: [OpenSocket]

        init(_ kind: Listener) throws {
            scratch = try Scratch()
            socket = "\(scratch.path)/s"
            listener = OpenSocket(try UnixSocket.bound(to: socket))
            var waiting: [OpenSocket] = []
            if kind == .full {
                // One more than the queue of listen(2) holds would wait.
                for _ in 0..<9 { waiting.append(OpenSocket(try UnixSocket.connected(to: socket))) }
            } else {
                let listener = listener
                Thread.detachNewThread {
                    while case let client = accept(listener.descriptor, nil, nil), client >= 0 {
                        Thread.detachNewThread { Self.serve(OpenSocket(client), kind) }
                    }
                }
            }
            self.waiting = waiting
        }

        private static func serve(_ client: OpenSocket, _ kind: Listener) {
            while !UnixSocket.read(from: client.descriptor).isEmpty {
                if kind == .half {
                    _ = UnixSocket.write(Array(#"{"jsonrpc":"2.0","id":1,"res"#.utf8), to: client.descriptor)
                }
            }
        }
    }

    /// - Parameter limit: how many seconds the daemon has for an answer.
    private static func start(_ command: [String], _ daemon: Daemon, limit: Int) throws -> ChildProcess {
        let process = try ChildProcess(
            ["/usr/bin/env", "--chdir", daemon.scratch.path, Programs.nfcctl] + command,
            environment: ["NFCD_SOCKET": daemon.socket, "NFCD_ANSWER_LIMIT": "\(limit)"])
        process.finishInput()
        return process
    }

    @Test(arguments: Listener.allCases) func `ends after the limit with an error that names it`(kind: Listener)
        async throws
    {
        let daemon = try Daemon(kind)
        let processes = try Self.commands.map { try Self.start($0, daemon, limit: 1) }
        for (command, process) in zip(Self.commands, processes) {
            let finished = await process.finished()
            #expect(finished.status == 69, "\(command): \(finished)")
            #expect(finished.errors.joined().contains("within 1 s"), "\(command): \(finished)")
        }
    }

    /// Those that handle signals, and some that do not.
    static let interruptible = [
        ["scan", "--timeout", "3"], ["monitor"], ["watch"], ["read"], ["info"], ["readers"],
        ["virtual-tag", "ntag213"],
        ["taps", "follow"], ["taps", "export"], ["write", "--text", "x"],
        ["write", "--each", "--text", "{n}", "--count", "2", "--report", "r.csv"],
    ]

    /// Waits until a command has a socket for nfcd: one that only starts dies in any case.
    private static func isWaiting(_ process: ChildProcess) async throws {
        let folder = "/proc/\(process.processID)/fd"
        let limit = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < limit {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let links = names.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            if links.contains(where: { $0.hasPrefix("socket:") }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test(arguments: Listener.allCases) func `dies of the first signal`(kind: Listener) async throws {
        for number in [SIGINT, SIGTERM] {
            let daemon = try Daemon(kind)
            let processes = try Self.interruptible.map { try Self.start($0, daemon, limit: 60) }
            for process in processes { try await Self.isWaiting(process) }
            let start = ContinuousClock.now
            for process in processes { process.signal(number) }
            for (command, process) in zip(Self.interruptible, processes) {
                let finished = await process.finished()
                #expect([-number, 0, 130].contains(finished.status), "\(command): \(finished)")
            }
            // A command has a tenth of its limit to end by itself. One that waited for the answer would take longer than this.
            #expect(ContinuousClock.now - start < .seconds(40))
        }
    }
}
