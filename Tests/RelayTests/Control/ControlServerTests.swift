import FoundationEssentials
import Glibc
import LocalSocket
import NFCProtocol
import RelayProtocol
import TestSupport
import Testing

@testable import nfcd_relay

/// The control socket itself, and its limits.
@Suite struct ControlServerTests {
    private let scratch: RelayScratch
    private var path: String { "\(scratch.path)/relay.sock" }

    init() throws { scratch = try RelayScratch() }

    /// Runs a server as long as the body.
    private func withServer(
        _ limits: ControlServer.Limits = .init(), _ body: (String) async throws -> Void
    ) async throws {
        let (listening, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = ControlServer(
            path: path, operations: NoOperations(), limits: limits, onListening: { continuation.finish() })
        let life = Task { try await server.run() }
        for await _ in listening {}
        do {
            try await body(path)
        } catch {
            life.cancel()
            throw error
        }
        life.cancel()
        _ = await life.result
    }

    private static let request = Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"relay.metrics\"}\n".utf8)

    /// Sends bytes, and returns what came until a line or the end. On a separate thread, because it blocks.
    private func exchange(_ bytes: [UInt8], on socket: OpenSocket) async -> String {
        await ThreadPool(size: 1).run {
            _ = UnixSocket.write(bytes, to: socket.descriptor)
            return String(decoding: UnixSocket.read(from: socket.descriptor), as: UTF8.self)
        }
    }

    @Test func `requests are answered, one after another`() async throws {
        try await withServer { path in
            let socket = OpenSocket(try UnixSocket.connected(to: path))
            for _ in 0..<3 {
                #expect(await exchange(Self.request, on: socket).contains(#""result":{"text":"x 1\n"}"#))
            }
        }
    }

    @Test func `the socket is for its owner and its group, and is removed at the end`() async throws {
        try await withServer { path in
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o660)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a socket that was left behind is replaced, and one in use is not`() async throws {
        close(try UnixSocket.bound(to: path, listening: false))
        try await withServer { path in
            let second = ControlServer(
                path: path, operations: NoOperations())
            await #expect(throws: SocketFile.Failure.self) { try await second.run() }
        }
    }

    @Test func `a file that is not a socket is not removed`() async throws {
        try scratch.file("relay.sock", "x")
        let server = ControlServer(
            path: path, operations: NoOperations())
        await #expect(throws: SocketFile.Failure.self) { try await server.run() }
        #expect(scratch.text("relay.sock") == "x")
    }

    @Test func `one connection too many gets an error, and room is made again`() async throws {
        var limits = ControlServer.Limits()
        limits.privilegedConnections = 2
        try await withServer(limits) { path in
            var sockets: [OpenSocket] = []
            for _ in 0..<2 {
                let socket = OpenSocket(try UnixSocket.connected(to: path))
                #expect(await exchange(Self.request, on: socket).contains("result"))
                sockets.append(socket)
            }
            let third = OpenSocket(try UnixSocket.connected(to: path))
            #expect(await exchange([], on: third).contains("there are 2 connections, the limit"))
        }
    }

    @Test func `connections of other users leave room for root, and for each other`() {
        var admission = ControlAdmission(.init())
        let (root, users) = (
            PeerCredentials(userID: 0),
            (1...3).map { PeerCredentials(userID: UInt32($0) + 70_000) }
        )
        let taken = (0..<100).map { _ in admission.enter(users[0]) }
        #expect(taken.prefix(8).allSatisfy { $0 == nil } && taken.dropFirst(8).allSatisfy { $0 != nil })
        for _ in 0..<8 { #expect(admission.enter(users[1]) == nil) }
        #expect(admission.enter(users[2]) != nil)
        for _ in 0..<16 { #expect(admission.enter(root) == nil) }
        #expect(admission.enter(root) != nil)
        for _ in 0..<8 { admission.leave(users[0]) }
        #expect(admission.enter(users[2]) == nil)
    }

    @Test func `a line over the limit ends the connection`() async throws {
        try await withServer { path in
            let socket = OpenSocket(try UnixSocket.connected(to: path))
            let answer = await exchange([UInt8](repeating: UInt8(ascii: "x"), count: 200_000), on: socket)
            #expect(answer.isEmpty)
        }
    }

    @Test func `a client that is idle is disconnected`() async throws {
        var limits = ControlServer.Limits()
        limits.idle = .milliseconds(50)
        try await withServer(limits) { path in
            let socket = OpenSocket(try UnixSocket.connected(to: path))
            #expect(await exchange([], on: socket).isEmpty)
        }
    }
}

/// Operations of which only the metrics are asked for.
private struct NoOperations: RelayOperations {
    func status() async -> RelayStatus.Result {
        RelayStatus.Result(version: "1", daemonConnected: true, daemonError: nil, consumers: [])
    }
    func metrics() async -> String { "x 1\n" }
    func parked(_ consumer: String?) async throws(RPCError) -> [RelayParked.Tap] { [] }
    func test(_ consumer: String) async throws(RPCError) -> RelayTest.Result { throw .internalError("") }
    func unpark(_ parameters: RelayUnpark.Parameters) async throws(RPCError) -> Int { 0 }
    func pause(_ consumer: String, _ isPaused: Bool) async throws(RPCError) {}
    func replay(_ consumer: String, after sequence: Int64) async throws(RPCError) {}
}
