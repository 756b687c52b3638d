import Dispatch
import FoundationEssentials
import Glibc
import Testing
import TestSupport

/// A client without any knowledge of the protocol: it sends the bytes of a test and receives the lines of the server. Blocking
/// calls run on their own threads.
final class RawClient {
    private let socket: OpenSocket
    private let writing = DispatchQueue(label: "raw-client.writing")
    private let record = TrafficRecord.shared?.connect()
    private var lines: AsyncStream<String>.Iterator?
    private var requests = 0
    /// Lines that came before the answer to a call.
    private var untaken: [String] = []

    /// - Parameter reads: false for a client that does not read before `startReading`.
    init(path: String, reads: Bool = true) throws {
        socket = OpenSocket(try UnixSocket.connected(to: path))
        if reads { startReading() }
    }

    deinit {
        disconnect()
    }

    /// Starts to read lines.
    func startReading() {
        let (stream, sink) = AsyncStream<String>.makeStream()
        lines = stream.makeAsyncIterator()
        DispatchQueue(label: "raw-client.reading").async { [socket, record] in
            var rest: [UInt8] = []
            while case let bytes = UnixSocket.read(from: socket.descriptor), !bytes.isEmpty {
                record?.server.add(bytes)
                let parts = (rest + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                for line in parts.dropLast() { sink.yield(String(decoding: line, as: UTF8.self)) }
                rest = Array(parts.last ?? [])
            }
            sink.finish()
        }
    }

    /// Sends bytes. Returns false if the server has closed the connection.
    @discardableResult
    func send(bytes: [UInt8]) async -> Bool {
        record?.client.add(bytes)
        return await withCheckedContinuation { continuation in
            writing.async { [socket] in
                continuation.resume(returning: UnixSocket.write(bytes, to: socket.descriptor))
            }
        }
    }

    /// Sends bytes as the server takes them, without waiting for it.
    func post(bytes: [UInt8]) {
        record?.client.add(bytes)
        writing.async { [socket] in _ = UnixSocket.write(bytes, to: socket.descriptor) }
    }

    /// Sends a line.
    @discardableResult
    func send(_ line: String) async -> Bool {
        await send(bytes: Array("\(line)\n".utf8))
    }

    /// The next line; nil at the end of the connection.
    func next() async -> String? {
        if !untaken.isEmpty { return untaken.removeFirst() }
        return await lines?.next(isolation: #isolation)
    }

    /// The next line; the end of the connection is a failure.
    func line() async throws -> String {
        try #require(await next(), "the connection ended")
    }

    /// The next line as JSON; the end of the connection is a failure.
    func json() async throws -> JSON {
        try JSON(parsing: try await line())
    }

    /// Sends a line and returns the next line that arrives.
    func ask(_ line: String) async throws -> String {
        await send(line)
        return try await self.line()
    }

    /// Calls a method and returns the answer. Lines that come before it, such as notifications, are the next ones afterwards.
    func call(_ method: String, _ parameters: String = "{}") async throws -> JSON {
        requests += 1
        await send(#"{"jsonrpc":"2.0","id":\#(requests),"method":"\#(method)","params":\#(parameters)}"#)
        var earlier: [String] = []
        defer { untaken = earlier + untaken }
        while true {
            let line = try await line()
            let answer = try JSON(parsing: line)
            if answer["id"] == .number(Double(requests)) { return answer }
            earlier.append(line)
        }
    }

    /// Shuts down the sending side. Lines of the server are still read.
    func finishSending() {
        shutdown(socket.descriptor, Int32(SHUT_WR))
    }

    /// Ends the connection.
    func disconnect() {
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }
}

/// A JSON value that the server sent.
enum JSON: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(parsing line: String) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    /// A number, or null.
    init(_ number: Int?) {
        self = number.map { .number(Double($0)) } ?? .null
    }

    /// The member of an object; null if there is none.
    subscript(_ key: String) -> JSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    /// The element of an array; null if there is none.
    subscript(_ index: Int) -> JSON {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    /// The text; nil for another kind of value.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByNilLiteral, ExpressibleByBooleanLiteral
{
    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int) { self = .number(Double(number)) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(nilLiteral: ()) { self = .null }
    init(booleanLiteral bool: Bool) { self = .bool(bool) }
}
