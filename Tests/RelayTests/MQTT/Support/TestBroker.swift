import Foundation
import Synchronization
import TestSupport
import Testing

@testable import nfcd_relay

#if canImport(Glibc)
    import Glibc
#endif

/// A broker of the system, with its own port and folder. Killed when the value is released.
final class TestBroker: Sendable {
    private let command: @Sendable (Int, String) -> [String]
    private let process = Mutex<pid_t?>(nil)
    let port: Int
    let folder: String

    private init(_ command: @escaping @Sendable (Int, String) -> [String]) throws {
        self.command = command
        port = try #require(freePort())
        folder = NSTemporaryDirectory() + "nfcd-broker-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        process.withLock { Self.end($0, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The server, by the address of the loopback.
    var server: BrokerServer { BrokerServer(host: "127.0.0.1", port: port) }

    /// Starts mosquitto.
    ///
    /// - Parameters:
    ///   - files: other files of its folder.
    ///   - lines: what its configuration has besides the listener; FOLDER stands for the folder.
    ///   - passwords: whether its folder has a file of passwords: user `kiosk` with `secret`.
    static func mosquitto(
        files: [String: String] = [:], _ lines: [String] = ["allow_anonymous true"], passwords: Bool = false
    ) async throws -> TestBroker {
        let program = try #require(Self.path(of: "mosquitto"))
        let broker = try TestBroker { _, folder in [program, "-c", "\(folder)/broker.conf"] }
        let user = geteuid() == 0 ? ["user root"] : []
        let text = (["listener \(broker.port) 127.0.0.1"] + user + lines).joined(separator: "\n")
        try broker.write(files.merging(["broker.conf": text + "\n"]) { $1 })
        if passwords { try broker.addPassword("kiosk", "secret") }
        try await broker.start()
        return broker
    }

    private func addPassword(_ user: String, _ password: String) throws {
        try Self.run([
            try #require(Self.path(of: "mosquitto_passwd")), "-b", "-c", "\(folder)/passwords", user, password,
        ])
    }

    /// Runs a program to its end.
    static func run(_ command: [String]) throws {
        let child = try spawn(command)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        try #require(status == 0, "\(command.joined(separator: " ")) failed")
    }

    /// Ends a program with a signal, and waits for its end.
    private static func end(_ process: pid_t?, _ number: Int32) {
        guard let process else { return }
        kill(process, number)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Starts a program that receives all signals, which threads of the test block, and prints nothing.
    private static func spawn(_ command: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in 0..<Int32(3) { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, command[0], &actions, &attributes, &arguments, environ)
        try #require(result == 0, "\(command[0]) cannot be started: \(String(cString: strerror(result)))")
        return process
    }

    /// Starts nats-server with its MQTT gateway.
    static func nats() async throws -> TestBroker {
        let program = try #require(Self.path(of: "nats-server"))
        let broker = try TestBroker { _, folder in [program, "-c", "\(folder)/broker.conf"] }
        let text = """
            server_name: test
            host: 127.0.0.1
            port: \(try #require(freePort()))
            jetstream { store_dir: "\(broker.folder)/store" }
            mqtt { host: 127.0.0.1, port: \(broker.port) }
            """
        try broker.write(["broker.conf": text])
        try await broker.start()
        return broker
    }

    /// The path of a program that the tests need; nil where it is not installed.
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts the program again after `kill`, and returns when it accepts connections.
    func start() async throws {
        let command = command(port, folder)
        let child = try Self.spawn(command)
        process.withLock { $0 = child }
        for _ in 0..<600 {
            if Reachability.failure(of: server, within: .seconds(1)) == nil { return }
            try #require(kill(child, 0) == 0, "\(command.joined(separator: " ")) does not start")
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("\(command[0]) does not accept connections")
    }

    /// Ends the program with a signal, and starts it again: after SIGKILL it has saved nothing.
    func restart(_ number: Int32) async throws {
        process.withLock { process in
            Self.end(process, number)
            process = nil
        }
        try await start()
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        process.withLock { if let child = $0 { kill(child, number) } }
    }

    private func write(_ files: [String: String]) throws {
        for (name, text) in files {
            try text.replacing("FOLDER", with: folder).write(
                toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
            chmod("\(folder)/\(name)", 0o600)
        }
    }
}

/// A condition for tests that need a broker, which says what is missing.
extension Trait where Self == ConditionTrait {
    static var needsMosquitto: Self {
        .enabled(if: TestBroker.path(of: "mosquitto") != nil, "mosquitto is not installed (apt install mosquitto)")
    }
    static var needsNATS: Self {
        .enabled(
            if: TestBroker.path(of: "nats-server") != nil, "nats-server is not installed (apt install nats-server)")
    }
}
