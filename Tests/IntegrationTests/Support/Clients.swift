import Foundation
import NFCProtocol
import Testing
import TestSupport

/// A client that sends and receives lines of JSON.
final class LineClient {
    private let socket: OpenSocket
    private let log = LineLog()
    /// The received lines that have not been read yet.
    private var untaken: [JSONValue] = []
    private var requests: Int64 = 0

    init(path: String) throws {
        socket = OpenSocket(try UnixSocket.connected(to: path))
        Thread.detachNewThread { [socket, log] in
            var bytes: [UInt8]
            repeat {
                bytes = UnixSocket.read(from: socket.descriptor)
                log.add(bytes)
            } while !bytes.isEmpty
        }
    }

    deinit {
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    /// Sends a line.
    func send(_ line: String) {
        _ = UnixSocket.write(Array("\(line)\n".utf8), to: socket.descriptor)
    }

    /// Calls a method and waits for its answer; other lines stay unread.
    func call(_ method: String, _ parameters: String = "{}") async throws -> JSONValue {
        requests += 1
        let id = requests
        send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#)
        return try await next { $0["id"] == .integer(id) }
    }

    /// The result of a method, which has to succeed.
    @discardableResult
    func result(_ method: String, _ parameters: String = "{}") async throws -> JSONValue {
        let answer = try await call(method, parameters)
        guard let result = answer["result"] else { throw TestError("\(method) \(parameters): \(answer)") }
        return result
    }

    /// Calls a method without waiting for the answer.
    func send(_ method: String, _ parameters: String) {
        requests += 1
        send(#"{"jsonrpc":"2.0","id":\#(requests),"method":"\#(method)","params":\#(parameters)}"#)
    }

    /// The answer to a method, as the text of its line.
    func answer(_ method: String, _ parameters: String) async throws -> String {
        send(method, parameters)
        return try await line(with: "\"id\":\(requests),")
    }

    /// The next line that contains a text; other lines are skipped.
    func line(with text: String) async throws -> String {
        guard let line = await log.next(containing: text) else { throw TestError("no \(text) in \(log.all)") }
        return line
    }

    /// All lines so far.
    var all: [String] { log.all }

    /// The parameters of the next notification with a name.
    @discardableResult
    func notification(_ name: String) async throws -> JSONValue {
        try await next { $0["method"] == .string(name) }["params"] ?? .null
    }

    /// The next line that satisfies a condition.
    func next(_ isWanted: (JSONValue) -> Bool) async throws -> JSONValue {
        if let index = untaken.firstIndex(where: isWanted) { return untaken.remove(at: index) }
        while let line = await log.next() {
            let value = try JSONLine.decode(JSONValue.self, from: Data(line.utf8))
            if isWanted(value) { return value }
            untaken.append(value)
        }
        throw TestError("the connection ended; what came was \(untaken)")
    }
}

/// A client that runs a program of the system, so that another user can run it: the programs under test may be in a
/// directory that only their owner can read.
struct PlainClient: Sendable {
    let socket: String
    /// The command that changes the user.
    private let prefix: [String]

    private static let interpreter = "/usr/bin/python3"
    /// Sends each argument as a line, and prints the answer to each.
    private static let program = """
        import json, socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile("r")
        for line in sys.argv[2:]:
            s.sendall(line.encode() + b"\\n")
            print(next((line for line in f if "method" not in json.loads(line)), ""), end="")
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
    /// Whether a client can run as another user.
    static let canChangeUser =
        canAsk && geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    /// A client of the current user.
    init(socket: String) {
        self.socket = socket
        prefix = []
    }

    /// A client of another user with these groups.
    init(socket: String, user: UInt32, groups: [UInt32]) {
        self.socket = socket
        let list = groups.map(String.init).joined(separator: ",")
        prefix = ["setpriv", "--reuid", "\(user)", "--regid", "65534", "--groups", list]
    }

    /// Sends requests and returns the answer to each; notifications are skipped.
    func ask(_ lines: String...) async throws -> [String] {
        let finished = try await run(prefix + [Self.interpreter, "-c", Self.program, socket] + lines)
        #expect(finished.status == 0, "\(finished.errors)")
        return finished.output
    }

    /// Sends each step that is an object as a line, waits for a line that contains each other step, and returns those lines.
    func converse(_ steps: String...) async throws -> [String] {
        let finished = try await run(prefix + [Self.interpreter, "-c", Self.conversation, socket] + steps)
        #expect(finished.status == 0, "\(finished.errors)")
        return finished.output
    }

    /// The result of `server.info`.
    func info() async throws -> ServerInfo.Result {
        struct Answer: Decodable { let result: ServerInfo.Result }
        let line = try await ask(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"#).first
        return try JSONDecoder().decode(Answer.self, from: Data(#require(line).utf8)).result
    }

    /// The entitlements of the client.
    func entitlements() async throws -> ServerInfo.Entitlements { try await info().entitlements }
}
