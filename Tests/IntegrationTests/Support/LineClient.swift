import Foundation
import NFCProtocol
import TestSupport

/// A client that knows nothing of the protocol but lines of JSON.
final class LineClient {
    private let socket: OpenSocket
    private let log = LineLog()
    /// What came and nobody has asked for yet.
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

    /// Calls a method, and waits for the answer, whatever comes before it.
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

    /// Calls a method; its answer is passed over, or looked for as a text.
    func send(_ method: String, _ parameters: String) {
        requests += 1
        send(#"{"jsonrpc":"2.0","id":\#(requests),"method":"\#(method)","params":\#(parameters)}"#)
    }

    /// The answer to a method, as the text of its line.
    func answer(_ method: String, _ parameters: String) async throws -> String {
        send(method, parameters)
        return try await line(with: "\"id\":\(requests),")
    }

    /// The next line with a text in it; lines before it are passed over.
    func line(with text: String) async throws -> String {
        guard let line = await log.next(containing: text) else { throw TestError("no \(text) in \(log.all)") }
        return line
    }

    /// All lines so far.
    var all: [String] { log.all }

    /// What the next notification of this name carries.
    @discardableResult
    func notification(_ name: String) async throws -> JSONValue {
        try await next { $0["method"] == .string(name) }["params"] ?? .null
    }

    /// The next line that is looked for.
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
