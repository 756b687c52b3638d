import Foundation
import NFCProtocol
import Testing

/// A client that is a program of the system, so that another user can run it: the programs under test may lie where only
/// their owner can read.
struct PlainClient: Sendable {
    let socket: String
    /// What stands before the command.
    private let prefix: [String]

    private static let interpreter = "/usr/bin/python3"
    /// Sends each of its arguments as a line, and prints one line for each.
    private static let program = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile("r")
        for line in sys.argv[2:]:
            s.sendall(line.encode() + b"\\n"); print(f.readline(), end="")
        """

    private static let conversation = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile("r")
        for step in sys.argv[2:]:
            if step[0] == "{": s.sendall(step.encode() + b"\\n")
            else: print(next(line for line in f if step in line), end="")
        """

    /// Whether there is one.
    static let canAsk = FileManager.default.isExecutableFile(atPath: interpreter)
    /// Whether there is one of another user.
    static let canChangeUser =
        canAsk && geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    /// One of whoever runs the tests.
    init(socket: String) {
        self.socket = socket
        prefix = []
    }

    /// One of another user, in groups.
    init(socket: String, user: UInt32, groups: [UInt32]) {
        self.socket = socket
        let list = groups.map(String.init).joined(separator: ",")
        prefix = ["setpriv", "--reuid", "\(user)", "--regid", "65534", "--groups", list]
    }

    /// The lines that come for lines.
    func ask(_ lines: String...) async throws -> [String] {
        let finished = try await run(prefix + [Self.interpreter, "-c", Self.program, socket] + lines)
        #expect(finished.status == 0, "\(finished.errors)")
        return finished.output
    }

    /// Sends each step that is an object as a line, and waits for a line that contains each other one: those lines.
    func converse(_ steps: String...) async throws -> [String] {
        let finished = try await run(prefix + [Self.interpreter, "-c", Self.conversation, socket] + steps)
        #expect(finished.status == 0, "\(finished.errors)")
        return finished.output
    }

    /// What `server.info` answers.
    func info() async throws -> ServerInfo.Result {
        struct Answer: Decodable { let result: ServerInfo.Result }
        let line = try await ask(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"#).first
        return try JSONDecoder().decode(Answer.self, from: Data(#require(line).utf8)).result
    }

    /// What the caller may do.
    func entitlements() async throws -> ServerInfo.Entitlements { try await info().entitlements }
}
