import Dispatch
import FoundationEssentials
import Glibc
import NFCProtocol
import NFCReaders
import NFCSessions
import NIOCore
import TestSupport

@testable import NFCServer
@testable import NFCSocketServer

extension FuzzTarget {
    /// The input is what a client sends to a running server.
    static let requests = FuzzTarget(name: "requests") { bytes in
        guard let answers = ServerUnderFuzz.shared.answers(to: bytes, last: "the end of the input") else {
            return ["a connection outlives what a client sends, and later requests are answered"]
        }
        return answers.contains { !isAnswer($0) }
            ? ["every line is an answer or a notification, and no fault of nfcd's"] : []
    }

    /// The members that are checked. A batch is answered with an array.
    private struct Line: Decodable {
        struct Failure: Decodable {
            let code: Int
            let message: String
        }

        private enum CodingKeys: String, CodingKey {
            case jsonrpc, id, method, result, error
        }

        let isGood: Bool

        init(from decoder: any Decoder) throws {
            let line = try decoder.container(keyedBy: CodingKeys.self)
            let failure = try line.decodeIfPresent(Failure.self, forKey: .error)
            let kinds = [line.contains(.method), line.contains(.result), line.contains(.error)]
            isGood =
                try line.decode(String.self, forKey: .jsonrpc) == "2.0" && kinds.count { $0 } == 1
                && line.contains(.method) != line.contains(.id) && failure?.code != -32603
        }
    }

    private static func isAnswer(_ line: String) -> Bool {
        let data = Data(line.utf8)
        if let one = try? JSONDecoder().decode(Line.self, from: data) { return one.isGood }
        guard let batch = try? JSONDecoder().decode([Line].self, from: data) else { return false }
        return !batch.isEmpty && batch.allSatisfy(\.isGood)
    }
}

extension FuzzTarget {
    /// The input is a line of a client. What is decoded without `JSONDecoder` has to mean the same to it.
    static let flatRequests = FuzzTarget(name: "flatRequests") { bytes in
        let line = Data(bytes)
        guard let request = FlatRequest(line) else { return [] }
        guard let method = Interface.methods.first(where: { $0.name == request.method }) else { return [] }
        return isSame(method, request, line) ? [] : ["a request is the same with and without JSONDecoder"]
    }

    private struct Request<M: Method>: Decodable {
        let jsonrpc: String
        let id: RequestID?
        let method: String
        let params: M.Parameters?
    }

    private static func isSame<M: Method>(_ method: M.Type, _ flat: FlatRequest, _ line: Data) -> Bool {
        guard (try? ParameterNames(of: M.Parameters.self).check(flat.parameters)) != nil,
            let parameters = try? flat.parameters.decode(M.Parameters.self)
        else { return true }
        guard let request = try? JSONLine.decode(Request<M>.self, from: line) else { return false }
        let isSameEnvelope = request.jsonrpc == "2.0" && request.id == flat.id && request.method == flat.method
        guard let expected = request.params else { return isSameEnvelope && flat.parameters.members.isEmpty }
        return isSameEnvelope && (try? JSONLine.encode(expected)) == (try? JSONLine.encode(parameters))
    }
}

/// An nfcd on simulated readers within this process, open to every caller.
struct ServerUnderFuzz: Sendable {
    /// In the folder of the findings, which Scripts/checks/fuzz makes.
    let path = ".fuzz/requests/nfcd.sock"

    /// Starts when it is first asked for; lasts as long as the process.
    static let shared = ServerUnderFuzz()

    private init() {
        let simulated = SimulatedDriver(readers: 2)
        let coordinator = SessionCoordinator(driver: simulated, logger: .silent)
        let listens = DispatchSemaphore(value: 0)
        let server = SocketServer(
            socket: path, coordinator: coordinator,
            access: AccessPolicy(AccessRules(superusers: [geteuid()])), simulator: simulated, logger: .silent,
            onListening: { listens.signal() })
        Task.detached { await coordinator.run() }
        Task.detached {
            do {
                try await server.run()
            } catch {
                fatalError("the server does not start: \(error)")
            }
        }
        listens.wait()
    }

    /// What a new client is answered that sends these bytes, a newline, and last a request of this id.
    func answers(to bytes: [UInt8], last id: String) -> [String]? {
        guard let socket = try? OpenSocket(UnixSocket.connected(to: path)) else { return nil }
        let last = #"{"jsonrpc":"2.0","id":"\#(id)","method":"simulator.list"}"#
        guard UnixSocket.write(bytes + Array("\n\(last)\n".utf8), to: socket.descriptor) else { return nil }
        var received: [UInt8] = []
        while case let piece = UnixSocket.read(from: socket.descriptor), !piece.isEmpty {
            received += piece
            let lines = received.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            if received.last == UInt8(ascii: "\n"), lines.contains(where: { $0.hasPrefix(#"{"id":"\#(id)","#) }) {
                return lines
            }
        }
        return nil
    }
}

extension FuzzTarget {
    /// The first byte says in what pieces the rest arrives: the stream of a client.
    static let lines = FuzzTarget(name: "lines") { bytes in
        guard let first = bytes.first else { return [] }
        let stream = Array(bytes.dropFirst())
        let found = split(stream, pieces: 1 + Int(first), limit: lineLimit)
        return found == expected(stream, limit: lineLimit) ? [] : ["the stream is cut at newlines, up to the limit"]
    }

    /// Shorter than the daemon's, so that inputs reach it.
    private static let lineLimit = 40

    private static func split(_ stream: [UInt8], pieces size: Int, limit: Int) -> [IncomingLine] {
        var splitter = LineSplitter(limit: limit)
        var lines: [IncomingLine] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            splitter.add(ByteBuffer(bytes: stream[start..<min(start + size, stream.count)]))
            while let line = splitter.next() { lines.append(line) }
        }
        return lines
    }

    /// The same by the words of the protocol: a line ends with its newline; nothing behind one that is too long is looked at.
    private static func expected(_ stream: [UInt8], limit: Int) -> [IncomingLine] {
        let parts = stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let whole = parts.prefix { $0.count <= limit }
        guard whole.count == parts.count else { return whole.map { .line(Data($0)) } + [.tooLong] }
        return whole.dropLast().map { .line(Data($0)) }
    }
}
